/* SPDX-License-Identifier: Zlib */
#include "vfs/tree/object.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "vfs/tree/dentry.h"
#include "vfs/tree/path.h"
#include "vfs/tree/placements.h"

int object_meaning(const struct vfs *v, entry_id dir, const char *name, bool is_dir,
	entry_id object, struct meaning *ret)
{
	const struct format_tree *t = v->vol->format->tree;

	*ret = (struct meaning){.is = FORMAT_SCRATCH};
	return t ? t->meaning(v->vol->now, dir, name, is_dir, object, ret, NULL) : 0;
}

bool object_alternate(const struct vfs *v, entry_id dir, const char *name, char ret[NAME_MAX + 1])
{
	struct meaning m;

	if (!v->vol->format->has_forms || object_meaning(v, dir, name, false, ENTRY_ROOT, &m) < 0)
		return false;
	strcpy(ret, m.alternate);
	return *ret;
}

struct object *object_find(const struct vfs *v, entry_id id)
{
	struct hash_link *l = hash_find(&v->vol->objects, hash_number(entry_object(id)));

	while (l && entry_object(((struct object *)l)->id) != entry_object(id))
		l = hash_again(l);
	return (struct object *)l;
}

struct object *object_next(const struct vfs *v, const struct object *o)
{
	return (struct object *)hash_next(&v->vol->objects, o ? &o->link : NULL);
}

struct object *object_next_gone(const struct vfs *v, const struct object *o)
{
	struct hash_link *l = hash_next(&v->vol->gone, o ? &o->place : NULL);

	return l ? container_of(l, struct object, place) : NULL;
}

static struct object *object_need(struct vfs *v, entry_id id)
{
	struct object *o = object_find(v, id);

	if (!o && hash_room(&v->vol->objects) && (o = calloc(1, sizeof(*o))))
		hash_add(&v->vol->objects, &o->link, hash_number(entry_object(id)));
	if (o)
		o->id = id;
	return o;
}

/* Does n stand where the mount showed its object? */
static bool at_home(struct vfs *v, const struct node *n, const struct object *o)
{
	struct meaning m;

	return o->since == OBJECT_MOUNTED && n->lens != LENS_NEW &&
	       object_meaning(v, n->parent->id, n->name, n->dir, ENTRY_ROOT, &m) == 0 && m.known &&
	       entry_object(m.id) == entry_object(o->id);
}

bool object_alternate_at(struct vfs *v, struct node *dir, const char *other, entry_id *ret)
{
	const struct object *o;
	struct node *alternate;
	bool is;

	if (names_resolve(v, dir, other, &alternate, NULL) < 0)
		return false;
	o = node_scratch(alternate) ? NULL : object_find(v, alternate->id);
	is = o && o->state == OBJECT_HERE && o->node == alternate;
	if (is)
		*ret = alternate->id;
	node_free_unused(v, alternate);
	return is;
}

/* The one that left last, of what was last called so there; or found. */
static const struct object *left_last(
	const struct vfs *v, entry_id dir, const char *name, const struct object *found)
{
	struct hash_link *l = hash_find(&v->vol->gone, hash_text(dir, name));

	for (; l; l = hash_again(l)) {
		const struct object *o = container_of(l, struct object, place);

		if (o->dir == dir && names_equal(v, o->name, name) &&
			(!found || o->left > found->left))
			found = o;
	}
	return found;
}

bool object_left_at(struct vfs *v, const struct node *dir, const char *name, entry_id *ret)
{
	const struct object *found = left_last(v, dir->id, name, NULL);
	char other[NAME_MAX + 1];

	if (v->vol->gone.n && object_alternate(v, dir->id, name, other))
		found = left_last(v, dir->id, other, found);
	if (found)
		*ret = found->id;
	return found;
}

/* Its place is about to change, and did. */
static void unlist(struct vfs *v, struct object *o)
{
	if (o->state != OBJECT_HERE)
		hash_remove(&v->vol->gone, &o->place);
}

static void list(struct vfs *v, struct object *o)
{
	if (o->state != OBJECT_HERE)
		hash_add(&v->vol->gone, &o->place, hash_text(o->dir, o->name));
}

bool object_stood_at(const struct vfs *v, const struct object *o, entry_id dir, const char *name)
{
	char other[NAME_MAX + 1];

	if (!o->name || o->dir != dir)
		return false;
	return names_equal(v, o->name, name) ||
	       (object_alternate(v, dir, name, other) && strcmp(o->name, other) == 0);
}

/* Remembers n's place as the object's, in which it is as `state` says. */
static int take_place(
	struct vfs *v, struct object *o, const struct node *n, bool home, enum object_state state)
{
	char *path = node_path(n), *name = strdup(n->name);

	if (!path || !name || !hash_room(&v->vol->gone)) {
		free(path);
		free(name);
		return -ENOMEM;
	}
	if (!object_stood_at(v, o, n->parent->id, name))
		o->moved = home ? o->away : true;
	unlist(v, o);
	free(o->path);
	free(o->name);
	o->path = path;
	o->name = name;
	o->dir = n->parent->id;
	o->state = state;
	list(v, o);
	return 0;
}

static void object_free(struct object *o)
{
	free(o->path);
	free(o->log_path);
	free(o->name);
	free(o);
}

void object_forget(struct vfs *v, entry_id id)
{
	struct object *o = object_find(v, id);

	if (!o)
		return;
	unlist(v, o);
	hash_remove(&v->vol->objects, &o->link);
	object_free(o);
}

/* Out of memory: what has no place is none. */
static int no_object(struct vfs *v, const struct object *o)
{
	if (o && !o->path)
		object_forget(v, o->id);
	return -ENOMEM;
}

int object_here(struct vfs *v, struct node *n)
{
	struct object *o = object_need(v, n->id);
	bool moved = o && !at_home(v, n, o), first = o && !o->path;
	bool is_new =
		n->lens == LENS_NEW || (n->dir && n->ino >> INO_DYNAMIC_SHIFT && moved && first);
	bool stood = o && o->state != OBJECT_GONE && object_stood_at(v, o, n->parent->id, n->name);
	uint64_t seq = o ? o->seq : 0;

	if (o && o->state != OBJECT_HERE)
		o->was_gone = o->state == OBJECT_GONE;
	if (!o || take_place(v, o, n, !moved, OBJECT_HERE) < 0)
		return no_object(v, o);
	o->node = n;
	if (!stood || !seq)
		o->seq = moved ? ++v->vol->next_seq : 0;
	o->told = false;
	o->unwritten &= n->lens != LENS_LIVE;
	/* New objects are bound before they have content. */
	if (is_new)
		o->since = OBJECT_MADE;
	v->vol->restructured = true;
	if (!stood || o->seq != seq)
		objects_name(v, moved && !(first && o->since == OBJECT_MADE) && !n->dir);
	return 0;
}

bool object_second(const struct vfs *v, const struct node *n)
{
	const struct object *o = object_find(v, n->id);

	return n->lens == LENS_MADE && (!o || o->node != n);
}

/* Is n's object in no saved map? */
static bool is_made(const struct vfs *v, const struct node *n)
{
	const struct object *o = object_find(v, n->id);

	return n->lens == LENS_NEW || (o && o->since == OBJECT_MADE);
}

void objects_saved(struct vfs *v, bool saved)
{
	for (struct object *o = object_next(v, NULL), *next; o; o = next) {
		next = object_next(v, o);
		if (saved) {
			o->away = o->seq != 0;
			o->unwritten |= o->state == OBJECT_GONE;
			o->absent = o->unwritten;
			o->moved = false;
		}
		if (o->since != OBJECT_MADE)
			continue;
		if (o->state == OBJECT_HERE && o->node->lens != LENS_NEW)
			o->since = OBJECT_ADDED;
		else if (o->state == OBJECT_KEPT)
			object_forget(v, o->id);
	}
}

/* Has n's object, which may be new, always one? Then this one had content that is to go, or that
 * stays. */
static bool is_lasting(const struct vfs *v, const struct node *n)
{
	struct entry en;

	return n->lens == LENS_LIVE && v->vol->format->stat(v->vol->now, n->id, &en, NULL) == 0 &&
	       (en.needed || en.lasting);
}

int object_left(struct vfs *v, const struct node *n, enum object_state state)
{
	struct object *o;
	char *log_path;

	if (state == OBJECT_GONE && is_made(v, n) && !is_lasting(v, n)) {
		object_forget(v, n->id);
		objects_name(v, !n->dir);
		return 0;
	}
	o = object_need(v, n->id);
	log_path = node_log_path(n);
	if (!o || !log_path || take_place(v, o, n, !o->seq, state) < 0) {
		free(log_path);
		return no_object(v, o);
	}
	o->node = NULL;
	o->left = ++v->vol->next_seq;
	if (state == OBJECT_GONE)
		o->seq = o->left;
	o->told = false;
	free(o->log_path);
	o->log_path = log_path;
	v->vol->restructured = true;
	objects_name(v, state == OBJECT_GONE && !n->dir);
	return 0;
}

void objects_finish(struct vfs *v)
{
	for (struct object *o = object_next(v, NULL), *next; o; o = next) {
		next = object_next(v, o);
		object_free(o);
	}
	hash_finish(&v->vol->objects);
	hash_finish(&v->vol->gone);
}

static int by_seq(const void *a, const void *b)
{
	const struct object *x = *(struct object *const *)a, *y = *(struct object *const *)b;

	return x->seq < y->seq ? -1 : x->seq > y->seq;
}

/* Is it in no map? fresh: but what has no content yet has a place. */
static bool is_out(const struct object *o, bool fresh)
{
	return o->state == OBJECT_GONE || (o->unwritten && !fresh);
}

/* Does the record say something that the format must know? */
static bool matters(const struct object *o, bool fresh)
{
	if (is_out(o, fresh))
		return true;
	if (o->state == OBJECT_KEPT)
		return o->seq && o->name && o->since != OBJECT_MADE;
	return o->seq && (fresh || o->node->lens != LENS_NEW) && o->node->parent;
}

static int place(const struct object *o, bool fresh, struct placement *ret)
{
	*ret = (struct placement){.id = o->id, .removed = is_out(o, fresh)};
	if (ret->removed)
		return 0;
	ret->dir = o->node ? o->node->parent->id : o->dir;
	ret->name = strdup(o->node ? o->node->name : o->name);
	return ret->name ? 0 : -ENOMEM;
}

static bool has_position(const struct object *o)
{
	const struct node *n = o->node;

	return n && n->parent && placements_digits(n->parent, n->name, n->dir, false);
}

static int place_all(struct vfs *v, bool fresh, struct placement **ret, size_t *ret_n)
{
	CLEANUP(free) struct object **list = NULL; /* in order */
	struct placement *p;
	size_t n = 0, room = v->vol->objects.n + 1;
	int r = 0;

	list = calloc(room, sizeof(struct object *));
	p = calloc(room, sizeof(*p));
	if (!list || !p) {
		free(p);
		return -ENOMEM;
	}
	for (struct object *o = NULL; (o = object_next(v, o));)
		if (matters(o, fresh))
			list[n++] = o;
	qsort(list, n, sizeof(*list), by_seq);
	for (size_t i = 0; r == 0 && i < n; i++) {
		r = place(list[i], fresh, &p[i]);
		/* What came to a position later stands before; what has none comes last. */
		p[i].order = (uint32_t)(has_position(list[i]) ? n - i : n + i);
	}
	if (r < 0) {
		placements_free(p, n);
		return r;
	}
	*ret = p;
	*ret_n = n;
	return 0;
}

int objects_place(struct vfs *v, struct placement **ret, size_t *ret_n)
{
	return place_all(v, false, ret, ret_n);
}

void objects_name(struct vfs *v, bool moved)
{
	v->vol->named |= moved;
	v->vol->unnamed |= v->vol->named;
}

bool objects_unnamed(const struct vfs *v)
{
	const struct format_names *names = v->vol->format->names;

	return v->vol->unnamed && !v->vol->situated && names && names->renamed;
}

void objects_tell(struct vfs *v)
{
	struct volume *vol = v->vol;
	struct placement *p;
	size_t n;

	assert(v->vol->commit_queue); /* its head is held */
	if (!objects_unnamed(v))
		return;
	v->vol->unnamed = false;
	if (place_all(v, true, &p, &n) < 0)
		return;
	(void)vol->format->names->renamed(&vol->now, p, n, false, NULL);
	placements_free(p, n);
}
