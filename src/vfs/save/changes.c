/* SPDX-License-Identifier: Zlib */
#include "vfs/save/changes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vfs/volume/outcome.h"
#include "vfs/tree/attr.h"
#include "vfs/tree/dentry.h"
#include "vfs/tree/object.h"
#include "vfs/tree/path.h"

enum {
	NAMED_MAX = 8,           /* saved paths that a report names */
	LOOK_MAX = 8 << 20,      /* bytes of a file that are compared with what was there */
	LOOK_ALL_MAX = 64 << 20, /* ... of all together */
	CHUNK = 64 << 10,
};

static void add(struct changes *c, const char *path, struct change_line line)
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
	line.path = strdup(path);
	c->lines[c->n] = line;
	c->n += c->lines[c->n].path != NULL;
}

void changes_finish(struct changes *c)
{
	for (size_t i = 0; i < c->n; i++)
		free(c->lines[i].path);
	free(c->lines);
	snapshot_unref(c->before);
	snapshot_unref(c->now);
	*c = (struct changes)CHANGES_INIT;
}

static bool live(const struct node *n)
{
	return n && !node_scratch(n);
}

/* Does something of the map stand at the path? was: what stood there when it was changed, and is to
 * stand there still (0: anything). */
static bool stands(struct vfs *v, const char *path, entry_id was, entry_id *ret)
{
	struct node *n;
	bool yes;

	if (names_walk(v, path, &n, NULL) < 0)
		return false;
	yes = live(n) && (n->dir || n->lens != LENS_NEW) && (!was || n->id == was);
	*ret = n->id;
	node_free_unused(v, n);
	return yes;
}

/* That path as what stands there is called, where capitals are not told; NULL: nothing stands. */
static char *standing_path(struct vfs *v, const struct changed *at, entry_id *ret)
{
	struct node *n;
	char *path;

	if (!stands(v, at->path, at->id, ret) || names_walk(v, at->path, &n, NULL) < 0)
		return NULL;
	path = node_path(n);
	node_free_unused(v, n);
	return path;
}

/* Has it a time that a program set, and that the map does not have? */
static bool is_stamped(struct vfs *v, const char *path)
{
	struct node *n;
	bool yes;

	if (!v->vol->format->keeps_times || names_walk(v, path, &n, NULL) < 0)
		return false;
	yes = node_is_stamped(n);
	node_free_unused(v, n);
	return yes;
}

static bool same_bytes(const struct changes *c, entry_id id, uint64_t size)
{
	CLEANUP(free) uint8_t *chunk = malloc(2 * CHUNK);
	const struct format *f = c->now->format;

	for (uint64_t off = 0; chunk && off < size; off += CHUNK) {
		size_t n = size - off < CHUNK ? (size_t)(size - off) : CHUNK;

		if (f->get(c->before, id, off, chunk, n, NULL) < 0 ||
			f->get(c->now, id, off, chunk + CHUNK, n, NULL) < 0 ||
			memcmp(chunk, chunk + CHUNK, n) != 0)
			return false;
	}
	return chunk;
}

/* Another content stands at the path, or perhaps none: of what is large nobody asks. */
static void add_content(struct vfs *v, struct changes *c, const char *path, entry_id id)
{
	const struct volume *vol = v->vol;
	const struct format *f = vol->format;
	struct entry a, b;
	bool known = f->stat(vol->now, id, &b, NULL) == 0, alike;
	uint64_t size;

	/* Of a directory there is nothing but where it stands. */
	if (known && b.dir)
		return;
	alike = known && !vol->renumbered && !vol->fresh &&
		f->stat(vol->before, id, &a, NULL) == 0 && a.sized && b.sized && a.size == b.size &&
		a.size <= LOOK_MAX;
	if (alike && f->keeps_times)
		alike = a.has_mtime == b.has_mtime && a.mtime.tv_sec == b.mtime.tv_sec &&
			a.mtime.tv_nsec == b.mtime.tv_nsec && !is_stamped(v, path);
	size = alike ? a.size : 0;
	/* Two empty files are the same without a look. */
	if (!alike || a.size)
		add(c, path, (struct change_line){CHANGE_CONTENT, .id = id, .size = size});
}

void changes_weigh(struct changes *c)
{
	uint64_t looked = 0;
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++) {
		struct change_line *l = &c->lines[i];

		if (l->size && looked + l->size <= LOOK_ALL_MAX) {
			looked += l->size;
			if (same_bytes(c, l->id, l->size)) {
				free(l->path);
				continue;
			}
		}
		c->lines[n++] = *l;
	}
	c->n = n;
}

/* What was made at its path again, and is no object's, is what it was; so is a directory that was
 * made since, which replaces all that was in it. */
static bool is_anothers(const struct vfs *v, const struct object *o, entry_id id)
{
	bool same = entry_object(id) == entry_object(o->id);
	const struct object *other = same ? NULL : object_find(v, id);
	const struct volume *vol = v->vol;
	struct entry en;

	return other && vol->format->stat(vol->now, id, &en, NULL) == 0 &&
	       !(en.dir && other->since == OBJECT_MADE);
}

/* Where it stands. Of a form that it does not have there is no more than a draft: a save writes the
 * other one. */
static char *path_of(struct vfs *v, const struct object *o)
{
	char *path = o->seq ? node_path(o->node) : strdup(o->path);
	char *slash = path ? strrchr(path, '/') : NULL;
	char other[NAME_MAX + 1], *shown;
	struct entry en;

	if (!slash || v->vol->format->stat(v->vol->now, o->id, &en, NULL) == 0 ||
		!object_alternate(v, o->dir, slash + 1, other) ||
		asprintf(&shown, "%.*s/%s", (int)(slash - path), path, other) < 0)
		return path;
	free(path);
	return shown;
}

/* Where what left stood last. What it was in may have left, too, and moved after that. */
static char *left_path(const struct object *o, const struct object *in)
{
	char *path;

	if (!in || in->state != OBJECT_GONE)
		return strdup(o->path);
	return asprintf(&path, "%s/%s", in->path, o->name) < 0 ? NULL : path;
}

static void add_left(struct vfs *v, struct changes *c, const struct object *o)
{
	const struct object *in = object_find(v, o->dir);
	CLEANUP(free) char *path = left_path(o, in);
	struct change_line line = {.kind = CHANGE_KEPT};
	entry_id id;

	if (!path || o->told)
		return;
	if (o->state == OBJECT_GONE && !stands(v, path, 0, &id))
		line = changes_removed(v, o, path);
	else if (o->state == OBJECT_GONE && is_anothers(v, o, id))
		line.kind = CHANGE_REPLACED;
	else if (o->state == OBJECT_GONE)
		return;
	/* Of what no saved map had there is nothing to tell, unless it stays. */
	if (o->since != OBJECT_MADE || line.kind == CHANGE_NEEDED)
		add(c, path, line);
}

static void add_object(struct vfs *v, struct changes *c, const struct object *o)
{
	CLEANUP(free) char *path = NULL;
	entry_id id;
	bool is_new;

	/* The last save told of it. */
	if (o->absent && (o->unwritten || o->state == OBJECT_GONE))
		return;
	if (o->state != OBJECT_HERE) {
		add_left(v, c, o);
		return;
	}
	is_new = o->absent || (o->seq && o->since == OBJECT_MADE);
	if (o->seq && (!o->node->parent || o->node->lens == LENS_NEW))
		return;
	/* One at its old path is not held: but the map of the last save may have it elsewhere, or
	 * not at all. */
	if (!o->seq && ((!is_new && !o->moved) || !stands(v, o->path, o->id, &id)))
		return;
	path = path_of(v, o);
	if (path && (is_new || o->moved))
		add(c, path,
			(struct change_line){
				is_new ? CHANGE_NEW : CHANGE_MOVED, .id = o->id, .in = o->dir});
}

/* What is in a directory comes right after it, before names that go on otherwise. */
static int rank(char c)
{
	return c == '/' ? 1 : c ? 1 + (uint8_t)c : 0;
}

static int by_path(const void *a, const void *b)
{
	const struct change_line *x = a, *y = b;
	const char *p = x->path, *q = y->path;

	while (*p && *p == *q)
		p++, q++;
	return rank(*p) - rank(*q);
}

/* Among the first n lines, which are sorted. */
static const struct change_line *find(const struct changes *c, size_t n, const char *path)
{
	struct change_line key = {.path = (char *)(uintptr_t)path};

	return n ? bsearch(&key, c->lines, n, sizeof(key), by_path) : NULL;
}

/* Is it named, or in a directory that is named as new? That tells of all that is in it. */
static bool is_told(const struct changes *c, size_t n, const char *path)
{
	CLEANUP(free) char *above = strdup(path);
	const struct change_line *line;

	if (!above || find(c, n, path))
		return true;
	for (char *slash; (slash = strrchr(above, '/'));) {
		*slash = '\0';
		line = find(c, n, above);
		if (line && line->kind == CHANGE_NEW)
			return true;
	}
	return false;
}

static bool is_below(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	return strncmp(path, dir, n) == 0 && path[n] == '/';
}

/* A directory that is new tells of all that is in it, and comes before that, but not of what was
 * removed from the one that was there before, unless it has one of its own; one that was removed
 * tells of that, too. */
static void drop_below(struct changes *c)
{
	const struct change_line *made = NULL, *gone = NULL;
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++) {
		struct change_line *l = &c->lines[i];
		bool stays = l->kind != CHANGE_NEEDED &&
			     ((l->kind != CHANGE_REMOVED && l->kind != CHANGE_KEPT) || l->needed);

		if ((stays && made && is_below(l->path, made->path)) ||
			(l->kind == CHANGE_REMOVED && gone && is_below(l->path, gone->path))) {
			free(l->path);
			continue;
		}
		c->lines[n] = *l;
		if (l->kind == CHANGE_NEW)
			made = &c->lines[n];
		else if (l->kind == CHANGE_REMOVED || l->kind == CHANGE_REPLACED)
			gone = &c->lines[n];
		n++;
	}
	c->n = n;
}

void changes_find(struct vfs *v, struct changes *ret)
{
	const struct volume *vol = v->vol;
	const struct changed *at;
	entry_id id;
	size_t named;

	*ret = (struct changes){.before = snapshot_ref(vol->before), .now = snapshot_ref(vol->now)};
	for (const struct object *o = NULL; (o = object_next(v, o));)
		add_object(v, ret, o);
	if (ret->n)
		qsort(ret->lines, ret->n, sizeof(*ret->lines), by_path);
	drop_below(ret);
	named = ret->n;
	TAILQ_FOREACH (at, &vol->changed, in_order) {
		CLEANUP(free)
		char *path = is_told(ret, named, at->path) ? NULL : standing_path(v, at, &id);

		if (path && !is_told(ret, named, path))
			add_content(v, ret, path, id);
	}
}

/* A new object whose parts never came, or were refused, is in no map. */
static bool is_saved(const struct change_line *l, const struct snapshot *finalized)
{
	const struct format_names *names = finalized->format->names;
	char name[NAME_MAX + 1];
	int r;

	if (l->kind == CHANGE_KEPT || l->kind == CHANGE_REMOVED || l->kind == CHANGE_REPLACED ||
		l->kind == CHANGE_NEEDED)
		return false;
	if (l->kind == CHANGE_CONTENT || l->kind == CHANGE_EMPTIED || !names)
		return true;
	/* A part is where what it is a part of is. */
	r = names->shown_as(finalized, l->id, name);
	return (r == -ENOTSUP ? names->shown_as(finalized, l->in, name) : r) != -ENOENT;
}

void changes_report(const struct changes *c, const struct snapshot *finalized, bool written,
	struct report *report)
{
	size_t saved = 0;

	for (size_t i = 0; i < c->n; i++) {
		const struct change_line *l = &c->lines[i];

		if (l->kind == CHANGE_KEPT)
			report_add(report, REPORT_NOTE,
				"%s was moved to a name that means nothing, and stays in the map",
				l->path);
		else if (l->kind == CHANGE_NEEDED)
			report_code(report, OUTCOME_LEFT); /* the format said why */
		else if (l->kind == CHANGE_EMPTIED && written)
			report_add(report, REPORT_NOTE,
				"%s was removed, and is empty now: the map still has one", l->path);
		else if (l->kind == CHANGE_REPLACED && written)
			report_add(report, REPORT_NOTE, "what was %s before was removed", l->path);
		else if (l->kind == CHANGE_REMOVED && written)
			report_add(report, REPORT_REMOVED, "%s", l->path);
	}
	for (size_t i = 0; written && i < c->n; i++) {
		const struct change_line *l = &c->lines[i];

		if (is_saved(l, finalized) && saved++ < NAMED_MAX)
			report_add(report, REPORT_SAVED, "%s", l->path);
	}
	if (saved > NAMED_MAX)
		report_add(report, REPORT_SAVED, "and %zu more", saved - NAMED_MAX);
}

void changes_saved(struct vfs *v)
{
	for (struct object *o = NULL; (o = object_next_gone(v, o));)
		o->told = true;
}
