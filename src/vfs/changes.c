/* SPDX-License-Identifier: Zlib */
#include "vfs/changes.h"

#include <stdlib.h>
#include <string.h>

#include "vfs/object.h"

enum {
	NAMED_MAX = 8,           /* saved paths that a report names */
	LOOK_MAX = 8 << 20,      /* bytes of a file that are compared with what was there */
	LOOK_ALL_MAX = 64 << 20, /* ... of all together, since this is the owner's time */
	CHUNK = 64 << 10,
};

static const struct change_line *find(const struct changes *c, const char *path)
{
	for (size_t i = 0; i < c->n; i++)
		if (strcmp(c->lines[i].path, path) == 0)
			return &c->lines[i];
	return NULL;
}

static void add(struct changes *c, enum change_kind kind, const char *path)
{
	struct change_line *lines;

	if (c->n == c->room) {
		c->room = c->room ? 2 * c->room : 16;
		lines = realloc(c->lines, c->room * sizeof(*lines));
		if (!lines) {
			c->room = c->n;
			return;
		}
		c->lines = lines;
	}
	c->lines[c->n].kind = kind;
	c->lines[c->n].path = strdup(path);
	c->n += c->lines[c->n].path != NULL;
}

void changes_finish(struct changes *c)
{
	for (size_t i = 0; i < c->n; i++)
		free(c->lines[i].path);
	free(c->lines);
	*c = (struct changes)CHANGES_INIT;
}

/* Does a file of the map stand there, or (dirs) a directory? And which. */
static bool stands(struct vfs *v, const char *path, bool dirs, entry_id *ret)
{
	struct node *n;
	bool yes;

	if (names_walk(v, path, &n, NULL) < 0)
		return false;
	yes = !node_scratch(n) && n->has_id && (dirs || !n->dir);
	*ret = n->id;
	node_settle(v, n);
	return yes;
}

static bool same_bytes(const struct volume *vol, entry_id id, uint64_t size)
{
	CLEANUP(free) uint8_t *chunk = malloc(2 * CHUNK);
	const struct format *f = vol->format;

	for (uint64_t off = 0; chunk && off < size; off += CHUNK) {
		size_t n = size - off < CHUNK ? (size_t)(size - off) : CHUNK;

		if (f->get(vol->before, id, off, chunk, n, NULL) < 0 ||
			f->get(vol->now, id, off, chunk + CHUNK, n, NULL) < 0 ||
			memcmp(chunk, chunk + CHUNK, n) != 0)
			return false;
	}
	return chunk;
}

/* Was it written, and then written back? Of what is large nobody asks. */
static bool is_undone(struct changes *c, const struct volume *vol, entry_id id)
{
	const struct format *f = vol->format;
	struct entry a, b;

	if (vol->renumbered || vol->fresh || f->stat(vol->before, id, &a, NULL) < 0 ||
		f->stat(vol->now, id, &b, NULL) < 0 || a.dir || !a.sized || !b.sized ||
		a.size != b.size || a.size > LOOK_MAX || c->looked + a.size > LOOK_ALL_MAX)
		return false;
	if (f->keeps_times && (a.has_mtime != b.has_mtime || a.mtime.tv_sec != b.mtime.tv_sec ||
				      a.mtime.tv_nsec != b.mtime.tv_nsec))
		return false;
	c->looked += a.size;
	return same_bytes(vol, id, a.size);
}

static void add_object(struct vfs *v, struct changes *c, const struct object *o)
{
	CLEANUP(free) char *path = NULL;
	entry_id id;

	if (o->state != OBJECT_HERE) {
		if (o->told || o->made)
			return;
		/* What was made at its path again, and is no object's, is what it was. */
		if (o->state == OBJECT_KEPT)
			add(c, CHANGE_KEPT, o->path);
		else if (!stands(v, o->path, true, &id))
			add(c, CHANGE_REMOVED, o->path);
		return;
	}
	if (!o->seq || !o->node->parent || (o->node->fresh && !o->node->dir))
		return;
	path = node_path(o->node);
	if (path && (o->made || o->moved))
		add(c, o->made ? CHANGE_NEW : CHANGE_MOVED, path);
}

static int by_path(const void *a, const void *b)
{
	const struct change_line *x = a, *y = b;

	return strcmp(x->path, y->path);
}

void changes_find(struct vfs *v, struct changes *ret)
{
	const struct volume *vol = v->vol;
	entry_id id;

	*ret = (struct changes)CHANGES_INIT;
	for (size_t i = 0; i < OBJECT_BUCKETS; i++)
		for (const struct object *o = v->objects[i]; o; o = o->next)
			add_object(v, ret, o);
	if (ret->n)
		qsort(ret->lines, ret->n, sizeof(*ret->lines), by_path);
	for (size_t i = 0; i < vol->n_changed; i++)
		if (!find(ret, vol->changed[i]) && stands(v, vol->changed[i], false, &id) &&
			!is_undone(ret, vol, id))
			add(ret, CHANGE_CONTENT, vol->changed[i]);
}

void changes_report(const struct changes *c, bool written, struct report *report)
{
	size_t saved = 0;

	for (size_t i = 0; i < c->n; i++) {
		const struct change_line *l = &c->lines[i];

		if (l->kind == CHANGE_KEPT)
			report_add(report, REPORT_NOTE,
				"%s was moved to a name that means nothing, and stays in the map",
				l->path);
		else if (l->kind == CHANGE_REMOVED && written)
			report_add(report, REPORT_REMOVED, "%s", l->path);
	}
	for (size_t i = 0; written && i < c->n; i++) {
		const struct change_line *l = &c->lines[i];

		if (l->kind != CHANGE_KEPT && l->kind != CHANGE_REMOVED && saved++ < NAMED_MAX)
			report_add(report, REPORT_SAVED, "%s", l->path);
	}
	if (saved > NAMED_MAX)
		report_add(report, REPORT_SAVED, "and %zu more", saved - NAMED_MAX);
}

void changes_saved(struct vfs *v)
{
	for (size_t i = 0; i < OBJECT_BUCKETS; i++)
		for (struct object *o = v->objects[i]; o; o = o->next)
			o->told |= o->state != OBJECT_HERE;
}
