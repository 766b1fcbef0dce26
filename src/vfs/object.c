/* SPDX-License-Identifier: Zlib */
#include "vfs/object.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

entry_id object_key(const struct vfs *v, entry_id id)
{
	return v->vol->format->object ? v->vol->format->object(id) : id;
}

static struct object **object_at(struct vfs *v, entry_id key)
{
	struct object **o = &v->objects[key % OBJECT_BUCKETS];

	while (*o && (*o)->key != key)
		o = &(*o)->next;
	return o;
}

struct object *object_find(const struct vfs *v, entry_id id)
{
	return *object_at((struct vfs *)(uintptr_t)v, object_key(v, id));
}

static struct object *object_need(struct vfs *v, entry_id id)
{
	struct object **at = object_at(v, object_key(v, id)), *o = *at;

	if (!o) {
		o = calloc(1, sizeof(*o));
		if (!o)
			return NULL;
		o->key = object_key(v, id);
		*at = o;
	}
	o->id = id;
	return o;
}

int object_here(struct vfs *v, struct node *n, bool moved)
{
	struct object *o = object_need(v, n->id);
	char *path = o ? node_path(n) : NULL;

	if (!path)
		return -ENOMEM;
	o->state = OBJECT_HERE;
	o->node = n;
	o->seq = moved ? ++v->next_seq : 0;
	o->told = false;
	/* New objects are bound before they have content. */
	o->added |= n->fresh || (n->dir && n->ino >> INO_DYNAMIC_SHIFT && moved && !o->path);
	o->made |= n->fresh || (n->dir && n->ino >> INO_DYNAMIC_SHIFT && moved && !o->path);
	free(o->path);
	o->path = path;
	v->restructured = true;
	return 0;
}

void object_unbind(const struct vfs *v, struct node *n)
{
	const struct object *o = object_find(v, n->id);

	if (!node_scratch(n) && n->unlogged && !n->dir && (!o || o->node != n))
		n->has_id = n->fresh = n->unlogged = false;
}

bool object_made(const struct vfs *v, const struct node *n)
{
	const struct object *o = object_find(v, n->id);

	return n->fresh || (o && o->made);
}

void objects_saved(struct vfs *v)
{
	for (size_t i = 0; i < OBJECT_BUCKETS; i++)
		for (struct object *o = v->objects[i]; o; o = o->next)
			if (o->state == OBJECT_HERE && !o->node->fresh)
				o->made = false;
}

static void object_free(struct object *o)
{
	free(o->path);
	free(o->log_path);
	free(o->name);
	free(o);
}

/* What was removed from a directory before it went itself is no news any more. */
static void forget_below(struct vfs *v, const char *dir)
{
	size_t n = strlen(dir);

	for (size_t i = 0; i < OBJECT_BUCKETS; i++)
		for (struct object **at = &v->objects[i], *o = *at; o; o = *at) {
			if (o->state == OBJECT_GONE && strncmp(o->path, dir, n) == 0 &&
				o->path[n] == '/') {
				*at = o->next;
				object_free(o);
			} else {
				at = &o->next;
			}
		}
}

int object_left(struct vfs *v, const struct node *n, enum object_state state)
{
	struct object *o = object_need(v, n->id);
	char *path = node_path(n), *log_path = node_log_path(n);

	if (!o || !path || !log_path) {
		free(path);
		free(log_path);
		return -ENOMEM;
	}
	free(o->name);
	o->dir = n->parent->id;
	o->name = strdup(n->name);
	o->state = state;
	o->node = NULL;
	o->seq = ++v->next_seq;
	o->told = false;
	free(o->path);
	free(o->log_path);
	o->path = path;
	o->log_path = log_path;
	v->restructured = true;
	if (n->dir)
		forget_below(v, o->path);
	return 0;
}

void object_forget(struct vfs *v, entry_id id)
{
	struct object **at = object_at(v, object_key(v, id)), *o = *at;

	if (!o)
		return;
	*at = o->next;
	object_free(o);
}

void objects_finish(struct vfs *v)
{
	for (size_t i = 0; i < OBJECT_BUCKETS; i++)
		for (struct object *o = v->objects[i], *next; o; o = next) {
			next = o->next;
			object_free(o);
		}
}

void placements_free(struct placement *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free((void *)(uintptr_t)p[i].name);
	free(p);
}

static int by_seq(const void *a, const void *b)
{
	const struct object *x = *(struct object *const *)a, *y = *(struct object *const *)b;

	return x->seq < y->seq ? -1 : x->seq > y->seq;
}

/* Does the record say something that the format must know? */
static bool matters(const struct object *o)
{
	if (o->state == OBJECT_KEPT)
		return o->added && o->name;
	return o->state == OBJECT_GONE || (o->seq && !o->node->fresh && o->node->parent);
}

static int place(const struct object *o, struct placement *ret)
{
	*ret = (struct placement){.id = o->id, .removed = o->state == OBJECT_GONE};
	if (ret->removed)
		return 0;
	ret->dir = o->node ? o->node->parent->id : o->dir;
	ret->name = strdup(o->node ? o->node->name : o->name);
	return ret->name ? 0 : -ENOMEM;
}

int objects_place(struct vfs *v, struct placement **ret, size_t *ret_n)
{
	CLEANUP(free) struct object **list = NULL;
	struct placement *p;
	size_t n = 0, room = 1;
	int r = 0;

	for (size_t i = 0; i < OBJECT_BUCKETS; i++)
		for (struct object *o = v->objects[i]; o; o = o->next)
			room++;
	list = calloc(room, sizeof(struct object *));
	p = calloc(room, sizeof(*p));
	if (!list || !p) {
		free(p);
		return -ENOMEM;
	}
	for (size_t i = 0; i < OBJECT_BUCKETS; i++)
		for (struct object *o = v->objects[i]; o; o = o->next)
			if (matters(o))
				list[n++] = o;
	qsort(list, n, sizeof(*list), by_seq);
	for (size_t i = 0; r == 0 && i < n; i++)
		r = place(list[i], &p[i]);
	if (r < 0) {
		placements_free(p, n);
		return r;
	}
	*ret = p;
	*ret_n = n;
	return 0;
}

void objects_tell(struct vfs *v, object_line kept, object_line gone, void *arg)
{
	char line[4096];

	for (size_t i = 0; i < OBJECT_BUCKETS; i++)
		for (struct object *o = v->objects[i]; o; o = o->next) {
			if (o->state == OBJECT_HERE || o->told)
				continue;
			o->told = true;
			if (o->state == OBJECT_GONE) {
				gone(arg, o->path);
				continue;
			}
			snprintf(line, sizeof(line),
				"%s was moved to a name that means nothing, and stays in the map",
				o->path);
			kept(arg, line);
		}
}

void objects_status(struct vfs *v, object_line fn, void *arg)
{
	char line[4096];

	for (size_t i = 0; i < OBJECT_BUCKETS; i++)
		for (struct object *o = v->objects[i]; o; o = o->next) {
			if (o->state == OBJECT_KEPT || (o->state == OBJECT_HERE && !o->seq))
				continue;
			snprintf(line, sizeof(line), "%s %s",
				o->state == OBJECT_GONE ? "removed"
				: o->node->fresh        ? "new"
							: "placed",
				o->path);
			fn(arg, line);
		}
}
