/* SPDX-License-Identifier: Zlib */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "vfs/overlay/overlay.h"

/* The form in which names of one file are the same; in buffer, of NAME_MAX + 1 bytes, or name. */
static const char *fold(const struct overlay *o, const char *name, char *buffer)
{
	if (!o->base->format->fold)
		return name;
	o->base->format->fold(name, buffer);
	return buffer;
}

static uint64_t key_of(const struct upper *dir, const char *folded)
{
	return hash_text((uint64_t)(uintptr_t)dir, folded);
}

struct upper *upper_find(const struct overlay *o, const struct upper *dir, const char *name)
{
	char folded[NAME_MAX + 1], other[NAME_MAX + 1];

	name = fold(o, name, folded);
	for (struct hash_link *l = hash_find(&o->names, key_of(dir, name)); l; l = hash_again(l)) {
		struct upper *u = (struct upper *)l;

		if (u->up == dir && strcmp(fold(o, u->name, other), name) == 0)
			return u;
	}
	return NULL;
}

static void detach(struct overlay *o, struct upper *u)
{
	if (!u->up)
		return;
	hash_remove(&o->names, &u->link);
	if (o->listed == u)
		o->listed = NULL;
	TAILQ_REMOVE(&u->up->below, u, beside);
	u->up = NULL;
}

static void drop_parsed(struct upper *u)
{
	parsed_unref(TAKE(u->parsed));
	parsed_unref(TAKE(u->last_parsed));
}

int upper_place(struct overlay *o, struct upper *u, struct upper *dir, const char *name)
{
	char *copy = hash_room(&o->names) ? strdup(name) : NULL;
	char folded[NAME_MAX + 1];

	if (!copy)
		return -ENOMEM;
	detach(o, u);
	free(u->name);
	u->name = copy;
	u->up = dir;
	u->place = ++o->places;
	hash_add(&o->names, &u->link, key_of(dir, fold(o, name, folded)));
	TAILQ_INSERT_TAIL(&dir->below, u, beside);
	/* It may be another entry's there. */
	drop_parsed(u);
	return 0;
}

struct spot upper_spot(struct upper *u)
{
	return (struct spot){u, u->id, u->dir, NULL};
}

struct upper *upper_new(struct overlay *o, bool dir, entry_id from)
{
	struct upper *u = calloc(1, sizeof(*u));

	if (!u)
		return NULL;
	u->number = ++o->numbers;
	u->dir = dir;
	u->from = u->id = from;
	TAILQ_INIT(&u->below);
	return u;
}

static void release(struct upper *u)
{
	upper_clean(u);
	snapshot_unref(u->of);
	free(u->name);
	free(u);
}

void upper_freeze(const struct snapshot *s, struct upper *u)
{
	if (u->dir || u->of || u->written || u->from == ENTRY_NONE)
		return;
	u->of = snapshot_ref(s);
	u->was = u->from;
}

void upper_free(struct overlay *o, struct upper *u)
{
	struct upper *at = u;

	/* From below, without recursion: paths of an archive may be deep. */
	while (at) {
		struct upper *next = TAILQ_FIRST(&at->below);

		if (next) {
			at = next;
			continue;
		}
		next = at == u ? NULL : at->up;
		detach(o, at);
		if (at->node)
			upper_freeze(overlay_shown(o, at), at);
		else
			release(at);
		at = next;
	}
}

void upper_keep_parsed(struct upper *u, struct parsed *take)
{
	parsed_unref(u->parsed);
	u->parsed = take;
}

void upper_drop_last(struct upper *u)
{
	extent_finish(&u->last);
	parsed_unref(TAKE(u->last_parsed));
}

void upper_clean(struct upper *u)
{
	drop_parsed(u);
	extent_finish(&u->in);
	extent_finish(&u->last);
	free(TAKE(u->why));
	u->written = false;
}

int upper_write(struct upper *u, struct extent in, const char *why)
{
	char *text = why ? strdup(why) : NULL;

	if (why && !text) {
		extent_finish(&in);
		return -ENOMEM;
	}
	if (why && u->written && !u->why) {
		extent_finish(&u->last);
		parsed_unref(u->last_parsed);
		u->last = u->in;
		u->last_parsed = TAKE(u->parsed);
		u->in = (struct extent)EXTENT_INIT;
	} else if (!why) {
		extent_finish(&u->last);
		parsed_unref(TAKE(u->last_parsed));
	}
	parsed_unref(TAKE(u->parsed));
	extent_finish(&u->in);
	free(u->why);
	u->in = in;
	u->why = text;
	snapshot_unref(TAKE(u->of));
	u->written = true;
	return 0;
}

bool upper_is_raw(const struct upper *u)
{
	while (u->up && u->up->up)
		u = u->up;
	return u->name && strcmp(u->name, "raw") == 0;
}

bool upper_differs(const struct upper *u)
{
	return u->whiteout || u->written || u->timed || u->moved || u->from == ENTRY_NONE;
}

void upper_settle(struct overlay *o, struct upper *u)
{
	while (u && u != o->root && !u->node && TAILQ_EMPTY(&u->below) &&
		(!u->up || !upper_differs(u))) {
		struct upper *up = u->up;

		detach(o, u);
		release(u);
		u = up;
	}
}

struct upper *upper_raise(
	struct overlay *o, struct upper *dir, const char *name, const struct spot *s)
{
	struct upper *u = s->upper;

	if (u)
		return u;
	u = upper_new(o, s->dir, s->id);
	if (u && upper_place(o, u, dir, s->name ? s->name : name) < 0) {
		free(u);
		u = NULL;
	}
	return u;
}

bool overlay_is_standing(const struct overlay *o, const struct upper *dir, const char *name)
{
	const struct format *f = o->base->format;
	struct entry en;
	int r = -ENOENT;

	if (dir->from != ENTRY_NONE)
		r = upper_base(o, dir, name, &en);
	else if (dir->id != ENTRY_NONE)
		r = f->lookup(o->shape, dir->id, name, &en, NULL);
	return r == 0 && en.dir && en.fixed;
}

int overlay_raise_fixed(struct overlay *o, struct upper *dir, const char *name, struct spot *ret)
{
	struct entry en;
	struct upper *u;
	int r;

	if (dir->from != ENTRY_NONE || dir->id == ENTRY_NONE)
		return -ENOENT;
	r = o->base->format->lookup(o->shape, dir->id, name, &en, NULL);
	if (r < 0 || !en.dir || !en.fixed)
		return r < 0 ? r : -ENOENT;
	u = upper_new(o, true, ENTRY_NONE);
	if (!u)
		return -ENOMEM;
	u->id = en.id;
	r = upper_place(o, u, dir, name);
	if (r < 0)
		upper_free(o, u);
	else
		*ret = upper_spot(u);
	return r;
}

int upper_base(
	const struct overlay *o, const struct upper *dir, const char *name, struct entry *ret)
{
	if (dir->from == ENTRY_NONE)
		return -ENOENT;
	return o->base->format->lookup(overlay_names(o), dir->from, name, ret, NULL);
}

bool upper_is_gone(const struct overlay *o, const struct upper *u)
{
	struct entry en;

	return o->base->format->follows && u->up && !u->dir && !u->of && !upper_differs(u) &&
	       upper_base(o, u->up, u->name, &en) == -ENOENT;
}

char *upper_path(const struct upper *u)
{
	size_t n = 0;
	char *path;

	for (const struct upper *at = u; at->up; at = at->up)
		n += strlen(at->name) + 1;
	path = malloc(n + 1);
	if (!path)
		return NULL;
	path[n ? n - 1 : 0] = '\0';
	for (const struct upper *at = u; at->up; at = at->up) {
		size_t name = strlen(at->name);

		n -= name + 1;
		memcpy(path + n, at->name, name);
		if (n)
			path[n - 1] = '/';
	}
	return path;
}

struct upper *overlay_after(struct overlay *o, struct upper *dir, uint64_t place)
{
	struct upper *u = TAILQ_LAST(&dir->below, uppers);

	if (!u || u->place <= place)
		return NULL;
	u = o->listed && o->listed->up == dir && o->listed->place <= place
		    ? o->listed
		    : TAILQ_FIRST(&dir->below);
	while (u->place <= place)
		u = TAILQ_NEXT(u, beside);
	o->listed = TAILQ_PREV(u, uppers, beside);
	return u;
}

struct upper *overlay_next(const struct overlay *o, const struct upper *u)
{
	struct upper *next = u ? TAILQ_FIRST(&u->below) : TAILQ_FIRST(&o->root->below);

	while (!next && u && u != o->root) {
		next = TAILQ_NEXT(u, beside);
		u = u->up;
	}
	return next;
}

bool overlay_differs(const struct overlay *o)
{
	for (const struct upper *u = NULL; (u = overlay_next(o, u));)
		if (upper_differs(u) && !(u->dir && u->id == ENTRY_NONE) &&
			!(u->scratch && u->from == ENTRY_NONE))
			return true;
	return false;
}
