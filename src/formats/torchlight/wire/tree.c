/* SPDX-License-Identifier: Zlib */
#include "formats/torchlight/wire/tree.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "codec/text/text.h"
#include "formats/torchlight/wire/tree_names.h"

/* A child as it is collected: where it hangs and what it is called in the file. */
struct pending {
	uint32_t parent;
	uint32_t index;
	struct str name; /* in the manifest's text */
	bool dir;
	uint32_t hash; /* of parent and folded name; of directories, for finding them */
	uint32_t next; /* directory of the same bucket + 1 */
};

struct builder {
	const struct manifest *m;
	struct called called;
	struct pending *all;
	size_t n, room;
	uint32_t *buckets; /* pending + 1 of directories */
	uint32_t n_buckets;
	uint32_t n_dirs;
	struct tree *tree;
	struct buffer text;
};

static unsigned char fold(char c)
{
	return (unsigned char)(c >= 'a' && c <= 'z' ? c - 32 : c);
}

static uint32_t hash_of(uint32_t parent, struct str name)
{
	uint32_t h = parent * 0x9E3779B1U ^ 0x811C9DC5U;

	for (size_t i = 0; i < name.n; i++)
		h = (h ^ fold(name.s[i])) * 0x01000193U;
	return h ^ h >> 15;
}

static int grow_buckets(struct builder *b)
{
	uint32_t n = b->n_buckets ? 2 * b->n_buckets : 256;
	uint32_t *buckets = calloc(n, sizeof(*buckets));

	if (!buckets)
		return -ENOMEM;
	for (uint32_t i = 0; i < b->n; i++) {
		struct pending *p = &b->all[i];

		if (!p->dir)
			continue;
		p->next = buckets[p->hash % n];
		buckets[p->hash % n] = i + 1;
	}
	free(b->buckets);
	b->buckets = buckets;
	b->n_buckets = n;
	return 0;
}

static struct pending *add(struct builder *b, uint32_t parent, struct str name)
{
	if (b->n >= UINT32_MAX || !array_room(b->all, b->n, b->room))
		return NULL;
	b->all[b->n] = (struct pending){.parent = parent, .name = name};
	return &b->all[b->n++];
}

/* The directory `name` in parent, made where it is not. */
static int enter(struct builder *b, uint32_t parent, struct str name, uint32_t *ret)
{
	uint32_t hash = hash_of(parent, name);
	struct pending *p;

	if (b->n_dirs >= b->n_buckets && grow_buckets(b) < 0)
		return -ENOMEM;
	for (uint32_t i = b->buckets[hash % b->n_buckets]; i; i = p->next) {
		p = &b->all[i - 1];
		if (p->hash == hash && p->parent == parent && str_equal_nocase(p->name, name)) {
			*ret = p->index;
			return 0;
		}
	}
	p = add(b, parent, name);
	if (!p)
		return -ENOMEM;
	p->dir = true;
	p->hash = hash;
	p->index = b->n_dirs++;
	p->next = b->buckets[hash % b->n_buckets];
	b->buckets[hash % b->n_buckets] = (uint32_t)b->n;
	*ret = p->index;
	return 0;
}

/* The directory at path below dir; empty parts of the path are passed over. */
static int walk(struct builder *b, uint32_t dir, struct str path, uint32_t *ret)
{
	int r = 0;

	while (r == 0 && path.n) {
		struct str part = str_cut(&path, '/');

		if (part.n)
			r = enter(b, dir, part, &dir);
	}
	*ret = dir;
	return r;
}

static int collect_record(struct builder *b, const struct manifest_record *record)
{
	const struct manifest *m = b->m;
	uint32_t dir, inner;
	int r = walk(b, 0, manifest_path(m, record), &dir);

	if (r == 0)
		b->tree->record_dirs[record - m->records] = dir;
	for (uint32_t i = record->first; r == 0 && i < record->first + record->n; i++) {
		struct str name = manifest_name(m, &m->entries[i]);
		struct pending *p;

		if (m->entries[i].type == MANIFEST_DIR) {
			r = walk(b, dir, name, &inner);
			continue;
		}
		if (manifest_removed(&m->entries[i]))
			continue;
		p = add(b, dir, name);
		if (!p)
			return -ENOMEM;
		p->index = i;
	}
	return r;
}

/* Where each directory's children stand, then the children into their places. */
static int place_children(struct builder *b)
{
	struct tree *t = b->tree;
	uint32_t at = 0, *filled;

	t->n_dirs = b->n_dirs;
	t->n_children = (uint32_t)b->n;
	t->dirs = calloc(b->n_dirs, sizeof(*t->dirs));
	t->children = calloc(b->n + 1, sizeof(*t->children));
	filled = calloc(b->n_dirs, sizeof(*filled));
	if (!t->dirs || !t->children || !filled) {
		free(filled);
		return -ENOMEM;
	}
	for (size_t i = 0; i < b->n; i++)
		t->dirs[b->all[i].parent].n++;
	for (uint32_t i = 0; i < b->n_dirs; i++) {
		t->dirs[i].first = at;
		at += t->dirs[i].n;
	}
	/* Directories first: they keep their names, and files that clash get others. */
	for (int dirs = 1; dirs >= 0; dirs--) {
		for (size_t i = 0; i < b->n; i++) {
			const struct pending *p = &b->all[i];

			if (p->dir != (dirs == 1))
				continue;
			/* name is the place in all until the names are made. */
			t->children[t->dirs[p->parent].first + filled[p->parent]++] =
				(struct tree_child){p->index, (uint32_t)i, p->dir};
		}
	}
	free(filled);
	return 0;
}

static void put_shown_name(struct builder *b, struct tree_child *c)
{
	struct str stored = b->all[c->name].name;
	uint32_t n = c->index + (c->dir ? b->m->n_entries : 0);
	const char *called = b->called.names ? b->called.names[n] : NULL;
	char shown[NAME_MAX + 1];

	c->name = (uint32_t)b->text.size;
	if (c->dir)
		b->tree->dirs[c->index].called = called;
	if (called)
		strcpy(shown, called);
	else if (!name_escape_whole(stored.s, stored.n, shown, NAME_MAX))
		memcpy(shown, "%", 2);
	buffer_append(&b->text, shown, strlen(shown) + 1);
}

static void mark_recorded(struct builder *b)
{
	struct tree *t = b->tree;

	for (uint32_t i = 0; i < b->m->n_records; i++) {
		const struct manifest_record *r = &b->m->records[i];
		uint32_t dir = t->record_dirs[i], k = r->first;

		t->split |= t->dirs[dir].recorded;
		t->dirs[dir].recorded = true;
		while (k < r->first + r->n && !manifest_removed(&b->m->entries[k]))
			k++;
		for (; k < r->first + r->n && !t->dirs[dir].lists_removed;
			dir = t->dirs[dir].parent)
			t->dirs[dir].lists_removed = true;
	}
}

static int finish(struct builder *b, const struct bytes *names, struct error *e)
{
	struct tree *t = b->tree;
	int r = called_read(names, b->m->n_entries + b->n_dirs, &b->called, e);

	if (r < 0)
		return r;
	if (place_children(b) < 0)
		return -ENOMEM;
	for (uint32_t i = 0; i < t->n_children; i++)
		put_shown_name(b, &t->children[i]);
	if (b->text.error)
		return -ENOMEM;
	for (uint32_t i = 0; i < t->n_dirs; i++)
		if (tree_name_dir(t, &t->dirs[i], &b->text) < 0)
			return -ENOMEM;
	for (uint32_t i = 0; i < t->n_dirs; i++) {
		for (uint32_t k = t->dirs[i].first; k < t->dirs[i].first + t->dirs[i].n; k++) {
			if (!t->children[k].dir)
				continue;
			t->dirs[t->children[k].index].parent = i;
			t->dirs[t->children[k].index].self = k;
		}
	}
	mark_recorded(b);
	if (buffer_finish(&b->text, &t->text_bytes) < 0)
		return -ENOMEM;
	t->text = (const char *)t->text_bytes->data;
	return 0;
}

int tree_build(
	const struct manifest *m, const struct bytes *names, struct tree **ret, struct error *e)
{
	CLEANUP(tree_free) struct tree *t = calloc(1, sizeof(*t));
	struct builder b = {.m = m, .tree = t, .n_dirs = 1};
	int r = t && grow_buckets(&b) == 0 ? 0 : -ENOMEM;

	if (t)
		t->record_dirs = calloc((size_t)m->n_records + 1, sizeof(*t->record_dirs));
	if (t && !t->record_dirs)
		r = -ENOMEM;
	for (uint32_t i = 0; r == 0 && i < m->n_records; i++)
		r = collect_record(&b, &m->records[i]);
	if (r == 0)
		r = finish(&b, names, e);
	called_finish(&b.called);
	free(b.all);
	free(b.buckets);
	buffer_finish_free(&b.text);
	if (r < 0)
		return r == -EINVAL ? r
				    : error_set(e, r, "no memory for the archive's directories");
	*ret = TAKE(t);
	return 0;
}

void tree_free(struct tree *t)
{
	if (!t)
		return;
	free(t->dirs);
	free(t->children);
	free(t->record_dirs);
	bytes_unref(t->text_bytes);
	free(t);
}

void tree_fold(const char *name, char *ret)
{
	char stored[NAME_MAX + 1];
	size_t n = name_unescape(name, strnlen(name, NAME_MAX), stored);

	if (!name_escape_whole(stored, n, ret, NAME_MAX))
		*ret = '\0';
	for (; *ret; ret++)
		*ret = (char)fold(*ret);
}

const struct tree_child *tree_find(const struct tree *t, uint32_t dir, const char *name)
{
	const struct tree_child *c = tree_search(t, &t->dirs[dir], t->text, name);
	char folded[NAME_MAX + 1];

	if (c)
		return c;
	tree_fold(name, folded);
	return tree_search(t, &t->dirs[dir], t->text, folded);
}
