/* SPDX-License-Identifier: Zlib */
/*
 * quake_pak: Quake's archives, read-only; the example of docs/developing.md.
 *
 * The header has 12 bytes: "PACK", offset and size of the directory. The directory has 64 bytes for
 * each file: 56 of its path, padded with NUL, then the offset and the size of its content.
 */
#include "quake_pak.h"

#include <errno.h>
#include <string.h>

#include "base/array.h"
#include "base/cursor.h"
#include "base/name.h"

enum { HEADER = 12, RECORD = 64, PATH = 56, RECORDS_MAX = 4096 };

/*
 * A file; or a directory, which exists because a path contains it. The entry's number is twice its
 * index in the list, because bit 0 is the form, and this format has only one.
 */
struct node {
	uint32_t parent;
	bool dir;
	char name[PATH + 1];
	uint32_t off, size;
};

struct pak {
	struct snapshot snapshot; /* first */
	struct file *file;
	struct node *nodes; /* the root, then all others after their parents */
	uint32_t n, room;
};

static const struct pak *pak_of(const struct snapshot *s)
{
	return (const struct pak *)s;
}

/* Returns p->n if the name does not exist. */
static uint32_t find_node(const struct pak *p, uint32_t parent, const char *name)
{
	uint32_t i = 1;

	while (i < p->n && (p->nodes[i].parent != parent || strcmp(p->nodes[i].name, name) != 0))
		i++;
	return i;
}

static int append_node(struct pak *p, uint32_t parent, const char *name)
{
	if (!array_reserve(p->nodes, p->n, p->room))
		return -ENOMEM;
	p->nodes[p->n] = (struct node){.parent = parent, .dir = true};
	strcpy(p->nodes[p->n++].name, name);
	return 0;
}

static int add_file(struct pak *p, const uint8_t *record, uint64_t whole, struct error *e)
{
	uint32_t off = load_u32(record + PATH), size = load_u32(record + PATH + 4), at = 0, parent;
	char path[PATH + 1] = "", name[NAME_MAX + 1];
	const char *rest = path;

	memcpy(path, record, PATH);
	if ((uint64_t)off + size > whole)
		return error_set(
			e, -EINVAL, "%s: %u bytes at %u are past the end", path, size, off);
	if (path_check(path) < 0)
		return error_set(e, -EINVAL, "\"%s\" is no path", path);
	while (path_next(&rest, name) > 0) {
		parent = at;
		at = find_node(p, parent, name);
		if (at < p->n && !(*rest && p->nodes[at].dir))
			return error_set(e, -EINVAL, "%s is there twice", path);
		if (at == p->n && append_node(p, parent, name) < 0)
			return error_set(e, -ENOMEM, "out of memory");
	}
	p->nodes[at].dir = false;
	p->nodes[at].off = off;
	p->nodes[at].size = size;
	return 0;
}

static int read_directory(struct pak *p, uint64_t whole, struct error *e)
{
	uint8_t header[HEADER], record[RECORD];
	uint64_t at, end;
	int r = file_read(p->file, 0, header, HEADER, e);

	if (r < 0)
		return r;
	at = load_u32(header + 4);
	end = at + load_u32(header + 8);
	if (end > whole || (end - at) % RECORD || end - at > (uint64_t)RECORD * RECORDS_MAX)
		return error_set(e, -EINVAL, "the directory is said to have %u bytes at %u",
			(unsigned)(end - at), (unsigned)at);
	for (; r == 0 && at < end; at += RECORD) {
		r = file_read(p->file, at, record, RECORD, e);
		if (r == 0)
			r = add_file(p, record, whole, e);
	}
	return r;
}

static bool probe(const struct source *src, const uint8_t *head, size_t n)
{
	(void)src;
	return n >= 4 && memcmp(head, "PACK", 4) == 0;
}

static void pak_free(struct snapshot *s)
{
	struct pak *p = (struct pak *)s;

	file_unref(p->file);
	free(p->nodes);
	free(p);
}

static int pak_open(const struct source *src, const struct format_context *ctx,
	struct snapshot **ret, struct error *e)
{
	struct pak *p = calloc(1, sizeof(*p));
	CLEANUP(snapshot_unref) struct snapshot *s = p ? &p->snapshot : NULL;
	int r;

	(void)ctx;
	if (!p)
		return error_set(e, -ENOMEM, "out of memory");
	snapshot_init(s, &format_quake_pak, pak_free);
	p->file = file_ref(src->files[0]);
	r = append_node(p, UINT32_MAX, "") < 0 ? error_set(e, -ENOMEM, "out of memory")
					       : read_directory(p, src->sizes[0], e);
	if (r == 0)
		*ret = TAKE(s);
	return r;
}

static int pak_stat(const struct snapshot *s, entry_id id, struct file_attr *ret, struct error *e)
{
	const struct node *n = &pak_of(s)->nodes[id / 2];

	if (id / 2 >= pak_of(s)->n)
		return error_set(e, -ENOENT, "no such entry");
	*ret = (struct file_attr){.id = id, .is_dir = n->dir, .has_size = true, .size = n->size};
	return 0;
}

static int pak_lookup(const struct snapshot *s, entry_id dir, const char *name,
	struct file_attr *ret, struct error *e)
{
	return pak_stat(s, 2 * (entry_id)find_node(pak_of(s), (uint32_t)(dir / 2), name), ret, e);
}

static int pak_list(const struct snapshot *s, entry_id dir, uint64_t *cookie, char *name,
	struct file_attr *ret, struct error *e)
{
	const struct pak *p = pak_of(s);

	while (*cookie < p->n) {
		uint32_t at = (uint32_t)(*cookie)++;

		if (p->nodes[at].parent != dir / 2)
			continue;
		strcpy(name, p->nodes[at].name);
		return pak_stat(s, 2 * (entry_id)at, ret, e) < 0 ? -EIO : 1;
	}
	return 0;
}

static int pak_get(
	const struct snapshot *s, entry_id id, uint64_t off, void *dst, size_t n, struct error *e)
{
	const struct pak *p = pak_of(s);

	return file_read(p->file, p->nodes[id / 2].off + off, dst, n, e);
}

static const char *const endings[] = {"pak", NULL};

const struct format format_quake_pak = {
	.name = "quake-pak",
	.extensions = endings,
	.probe = probe,
	.open = pak_open,
	.stat = pak_stat,
	.lookup = pak_lookup,
	.list = pak_list,
	.get = pak_get,
};
