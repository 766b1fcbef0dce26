/* SPDX-License-Identifier: Zlib */
#include "laws.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

int entry_find(const struct snapshot *s, const char *path, struct file_attr *ret)
{
	char name[NAME_MAX + 1];
	int r = s->format->stat(s, ENTRY_ROOT, ret, NULL);

	while (r == 0 && *path) {
		size_t n = strcspn(path, "/");

		memcpy(name, path, n);
		name[n] = '\0';
		path += n + (path[n] == '/');
		r = s->format->lookup(s, ret->id, name, ret, NULL);
	}
	return r;
}

int entry_size(
	const struct snapshot *s, const struct file_attr *entry, uint64_t *ret, struct error *e)
{
	if (!entry->has_size)
		return snapshot_size(s, entry->id, ret, e);
	*ret = entry->size;
	return 0;
}

int entry_get(const struct snapshot *s, const struct file_attr *entry, struct bytes **ret,
	struct error *e)
{
	CLEANUP(bytes_unref) struct bytes *b = NULL;
	uint64_t size;
	uint8_t *dst;
	int r = entry_size(s, entry, &size, e);

	if (r < 0)
		return r;
	b = bytes_new((size_t)size, &dst);
	if (!b)
		return error_set(e, -ENOMEM, "out of memory");
	r = s->format->get(s, entry->id, 0, dst, (size_t)size, e);
	if (r == 0)
		*ret = TAKE(b);
	return r;
}

int entry_put_beside(struct snapshot **s, entry_id id, const void *data, size_t n,
	const struct build_context *others, struct error *e)
{
	struct bytes *b = bytes_copy(data, n);
	CLEANUP_EXTENT struct extent in = EXTENT_INIT;
	struct snapshot *next = NULL;
	int r;

	if (!b)
		return error_set(e, -ENOMEM, "out of memory");
	in = extent_of_bytes(b);
	r = format_put_file(*s, id, &in, others, &next, e);
	if (!next)
		return r;
	snapshot_unref(*s);
	*s = next;
	return r < 0 ? r : 1;
}

int entry_put(struct snapshot **s, entry_id id, const void *data, size_t n, struct error *e)
{
	return entry_put_beside(s, id, data, n, NULL, e);
}

int entry_walk(const struct snapshot *s, entry_id dir, const char *path, entry_visit fn, void *arg,
	struct error *e)
{
	char name[NAME_MAX + 1], below[PATH_MAX];
	uint64_t cookie = 0;
	struct file_attr entry;
	int r;

	while ((r = s->format->list(s, dir, &cookie, name, &entry, e)) == 1) {
		snprintf(below, sizeof(below), "%s%s%s", path, *path ? "/" : "", name);
		if (entry.is_dir)
			r = entry_walk(s, entry.id, below, fn, arg, e);
		else
			fn(arg, below, &entry);
		if (r < 0)
			return r;
	}
	return r;
}

/* Ranges at the beginning, at the end, and across the middle. */
static void check_ranges(const struct laws *l, const struct snapshot *s, const char *path,
	entry_id id, const struct bytes *whole)
{
	const uint64_t size = whole->size;
	const struct {
		uint64_t off, n;
	} ranges[] = {
		{0, size < 40 ? size : 40},
		{size / 3, size / 3 < 5000 ? size / 3 : 5000},
		{size / 2, size - size / 2 < 70000 ? size - size / 2 : 70000},
		{size - (size ? 1 : 0), size ? 1 : 0},
		{size, 0},
	};
	static uint8_t part[70000];

	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
		struct error e = ERROR_INIT;
		int r = s->format->get(s, id, ranges[i].off, part, (size_t)ranges[i].n, &e);

		if (r < 0)
			l->broken(l->arg, path, "a range cannot be read", error_text(&e));
		else if (memcmp(part, whole->data + ranges[i].off, (size_t)ranges[i].n) != 0)
			l->broken(l->arg, path, "determinism", "a range differs from the whole");
	}
}

int laws_read(const struct laws *l, const struct snapshot *s, const char *path,
	const struct file_attr *entry, struct bytes **ret)
{
	CLEANUP(bytes_unref) struct bytes *whole = NULL;
	CLEANUP(snapshot_unref) struct snapshot *same = snapshot_ref(s);
	struct error e = ERROR_INIT;
	struct file_attr found;
	uint64_t size;
	int r;

	if (entry_find(s, path, &found) < 0 || found.id != entry->id)
		l->broken(l->arg, path, "lookup", "its name does not find it");
	r = entry_get(s, entry, &whole, &e);
	if (r < 0) {
		if (r != -EIO)
			l->broken(l->arg, path, "get", error_text(&e));
		return r;
	}
	size = whole->size;
	if ((s->format->size && s->format->size(s, entry->id, &size, &e) < 0) ||
		size != whole->size)
		l->broken(l->arg, path, "Size", "size and get disagree");
	check_ranges(l, s, path, entry->id, whole);
	if (s->format->stat(s, entry->id, &found, &e) < 0 || !found.has_size ||
		found.size != whole->size)
		l->broken(l->arg, path, "Size", "it is not remembered");
	r = entry_put(&same, entry->id, whole->data, whole->size, &e);
	if (r != 0)
		l->broken(l->arg, path, "GetPut",
			r < 0 ? error_text(&e) : "its own content is a change");
	*ret = TAKE(whole);
	return 0;
}

/* Check the result of get after `content` was put. */
static void check_canonical(const struct laws *l, struct snapshot **s, const char *path,
	entry_id id, const struct bytes *content, bool canonical)
{
	CLEANUP(bytes_unref) struct bytes *back = NULL;
	struct error e = ERROR_INIT;
	struct file_attr now;
	int r = (*s)->format->stat(*s, id, &now, &e);

	if (r == 0)
		r = entry_get(*s, &now, &back, &e);
	if (r < 0)
		l->broken(l->arg, path, "PutGet: get", error_text(&e));
	else if (canonical && !bytes_equal(back, content))
		l->broken(l->arg, path, "PutGet", "get gives something else than was put");
	else if (entry_put(s, id, back->data, back->size, &e) != 0)
		l->broken(l->arg, path, "PutGet", "its canonical form is another change");
	else if (entry_put(s, id, content->data, content->size, &e) != 0)
		l->broken(l->arg, path, "PutGet", "putting it again is a change");
}

int laws_put(const struct laws *l, struct snapshot **s, const char *path,
	const struct file_attr *entry, const struct bytes *content, bool canonical, struct error *e)
{
	const struct snapshot *before = *s;
	int r = entry_put(s, entry->id, content->data, content->size, e);

	if (r == -EINVAL && *s != before)
		l->broken(l->arg, path, "PutGet", "a refusal changed something");
	if (r == 1)
		check_canonical(l, s, path, entry->id, content, canonical);
	else if (r != -EINVAL)
		l->broken(l->arg, path, "PutGet", r == 0 ? "a change is none" : error_text(e));
	return r;
}

struct comparison {
	const struct laws *laws;
	const struct snapshot *meant, *is;
	const char *law;
};

static void compare_file(void *arg, const char *path, const struct file_attr *entry)
{
	const struct comparison *c = arg;
	CLEANUP(bytes_unref) struct bytes *a = NULL, *b = NULL;
	struct error e = ERROR_INIT;
	struct file_attr found;
	int r;

	if (entry_get(c->meant, entry, &a, NULL) < 0)
		return;
	r = entry_find(c->is, path, &found);
	if (r < 0)
		error_set(&e, r, "it is not there");
	else
		r = entry_get(c->is, &found, &b, &e);
	if (r < 0)
		c->laws->broken(c->laws->arg, path, c->law, error_text(&e));
	else if (!bytes_equal(a, b))
		c->laws->broken(c->laws->arg, path, c->law, "it has other bytes");
}

void laws_same(const struct laws *l, const char *law, const struct snapshot *meant,
	const struct snapshot *is)
{
	struct comparison c = {l, meant, is, law};
	struct error e = ERROR_INIT;

	if (entry_walk(meant, ENTRY_ROOT, "", compare_file, &c, &e) < 0)
		l->broken(l->arg, "", law, error_text(&e));
}
