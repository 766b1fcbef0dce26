/* SPDX-License-Identifier: Zlib */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "vfs/overlay/overlay.h"

/* Fold a name into buffer, of NAME_MAX + 1 bytes; or return it, if the format does not fold. */
static const char *fold_name(const struct overlay *o, const char *name, char *buffer)
{
	if (!o->base->format->fold)
		return name;
	o->base->format->fold(name, buffer);
	return buffer;
}

static uint64_t key_of(const struct oentry *dir, const char *folded)
{
	return hash_text((uint64_t)(uintptr_t)dir, folded);
}

struct oentry *oentry_find(const struct overlay *o, const struct oentry *dir, const char *name)
{
	char folded[NAME_MAX + 1], other[NAME_MAX + 1];

	name = fold_name(o, name, folded);
	for (struct hash_link *l = hash_find(&o->names, key_of(dir, name)); l;
		l = hash_find_next(l)) {
		struct oentry *u = (struct oentry *)l;

		if (u->parent == dir && strcmp(fold_name(o, u->name, other), name) == 0)
			return u;
	}
	return NULL;
}

static void detach_oentry(struct overlay *o, struct oentry *u)
{
	if (!u->parent)
		return;
	hash_remove(&o->names, &u->link);
	if (o->last_listed == u)
		o->last_listed = NULL;
	TAILQ_REMOVE(&u->parent->children, u, siblings);
	u->parent = NULL;
}

static void drop_parsed(struct oentry *u)
{
	parsed_unref(TAKE(u->parsed));
	parsed_unref(TAKE(u->accepted_parsed));
}

int oentry_place(struct overlay *o, struct oentry *u, struct oentry *dir, const char *name)
{
	char *copy = hash_reserve(&o->names) ? strdup(name) : NULL;
	char folded[NAME_MAX + 1];

	if (!copy)
		return -ENOMEM;
	detach_oentry(o, u);
	free(u->name);
	u->name = copy;
	u->parent = dir;
	u->position = ++o->last_position;
	hash_add(&o->names, &u->link, key_of(dir, fold_name(o, name, folded)));
	TAILQ_INSERT_TAIL(&dir->children, u, siblings);
	/* The values may be for another entry than the one at the new path. */
	drop_parsed(u);
	return 0;
}

struct dentry oentry_dentry(struct oentry *u)
{
	struct dentry d = {
		.parent = u->parent, .exists = true, .is_dir = u->is_dir, .oentry = u, .id = u->id};

	if (u->name)
		strcpy(d.name, u->name);
	return d;
}

struct oentry *oentry_new(struct overlay *o, bool dir, entry_id from)
{
	struct oentry *u = calloc(1, sizeof(*u));

	if (!u)
		return NULL;
	u->serial = ++o->last_serial;
	u->is_dir = dir;
	u->origin = u->id = from;
	TAILQ_INIT(&u->children);
	return u;
}

static void destroy_oentry(struct oentry *u)
{
	oentry_clear_content(u);
	snapshot_unref(u->frozen_map);
	free(u->name);
	free(u);
}

void oentry_freeze(const struct snapshot *s, struct oentry *u)
{
	if (u->is_dir || u->frozen_map || u->has_content || u->origin == ENTRY_NONE)
		return;
	u->frozen_map = snapshot_ref(s);
	u->frozen_id = u->origin;
}

void oentry_free(struct overlay *o, struct oentry *u)
{
	struct oentry *at = u;

	/* Bottom-up and without recursion, because paths of an archive may be deep. */
	while (at) {
		struct oentry *next = TAILQ_FIRST(&at->children);

		if (next) {
			at = next;
			continue;
		}
		next = at == u ? NULL : at->parent;
		detach_oentry(o, at);
		if (at->inode)
			oentry_freeze(overlay_shown(o, at), at);
		else
			destroy_oentry(at);
		at = next;
	}
}

void oentry_keep_parsed(struct oentry *u, struct parsed *take)
{
	parsed_unref(u->parsed);
	u->parsed = take;
}

void oentry_drop_accepted(struct oentry *u)
{
	extent_finish(&u->accepted);
	parsed_unref(TAKE(u->accepted_parsed));
}

void oentry_clear_content(struct oentry *u)
{
	drop_parsed(u);
	extent_finish(&u->bytes);
	extent_finish(&u->accepted);
	free(TAKE(u->refusal));
	u->has_content = false;
}

int oentry_write(struct oentry *u, struct extent in, const char *why)
{
	char *text = why ? strdup(why) : NULL;

	if (why && !text) {
		extent_finish(&in);
		return -ENOMEM;
	}
	if (why && u->has_content && !u->refusal) {
		extent_finish(&u->accepted);
		parsed_unref(u->accepted_parsed);
		u->accepted = u->bytes;
		u->accepted_parsed = TAKE(u->parsed);
		u->bytes = (struct extent)EXTENT_INIT;
	} else if (!why) {
		extent_finish(&u->accepted);
		parsed_unref(TAKE(u->accepted_parsed));
	}
	parsed_unref(TAKE(u->parsed));
	extent_finish(&u->bytes);
	free(u->refusal);
	u->bytes = in;
	u->refusal = text;
	snapshot_unref(TAKE(u->frozen_map));
	u->has_content = true;
	return 0;
}

bool oentry_is_raw(const struct oentry *u)
{
	while (u->parent && u->parent->parent)
		u = u->parent;
	return u->name && strcmp(u->name, "raw") == 0;
}

bool oentry_differs(const struct oentry *u)
{
	return u->is_whiteout || u->has_content || u->has_mtime || u->is_moved ||
	       u->origin == ENTRY_NONE;
}

void oentry_free_unused(struct overlay *o, struct oentry *u)
{
	while (u && u != o->root && !u->inode && TAILQ_EMPTY(&u->children) &&
		(!u->parent || !oentry_differs(u))) {
		struct oentry *up = u->parent;

		detach_oentry(o, u);
		destroy_oentry(u);
		u = up;
	}
}

struct oentry *oentry_raise(
	struct overlay *o, struct oentry *dir, const char *name, const struct dentry *s)
{
	struct oentry *u = s->oentry;

	if (u)
		return u;
	u = oentry_new(o, s->is_dir, s->id);
	if (u && oentry_place(o, u, dir, s->listed_name ? s->listed_name : name) < 0) {
		free(u);
		u = NULL;
	}
	return u;
}

bool overlay_is_permanent(const struct overlay *o, const struct oentry *dir, const char *name)
{
	const struct format *f = o->base->format;
	struct file_attr en;
	int r = -ENOENT;

	if (dir->origin != ENTRY_NONE)
		r = oentry_lookup_base(o, dir, name, &en);
	else if (dir->id != ENTRY_NONE)
		r = f->lookup(o->shape, dir->id, name, &en, NULL);
	return r == 0 && en.is_dir && en.is_permanent;
}

int overlay_add_permanent(
	struct overlay *o, struct oentry *dir, const char *name, struct dentry *ret)
{
	struct file_attr en;
	struct oentry *u;
	int r;

	if (dir->origin != ENTRY_NONE || dir->id == ENTRY_NONE)
		return -ENOENT;
	r = o->base->format->lookup(o->shape, dir->id, name, &en, NULL);
	if (r < 0 || !en.is_dir || !en.is_permanent)
		return r < 0 ? r : -ENOENT;
	u = oentry_new(o, true, ENTRY_NONE);
	if (!u)
		return -ENOMEM;
	u->id = en.id;
	r = oentry_place(o, u, dir, name);
	if (r < 0)
		oentry_free(o, u);
	else
		*ret = oentry_dentry(u);
	return r;
}

int oentry_lookup_base(
	const struct overlay *o, const struct oentry *dir, const char *name, struct file_attr *ret)
{
	if (dir->origin == ENTRY_NONE)
		return -ENOENT;
	return o->base->format->lookup(overlay_names(o), dir->origin, name, ret, NULL);
}

bool oentry_is_gone(const struct overlay *o, const struct oentry *u)
{
	struct file_attr en;

	return o->base->format->has_dependent_files && u->parent && !u->is_dir && !u->frozen_map &&
	       !oentry_differs(u) && oentry_lookup_base(o, u->parent, u->name, &en) == -ENOENT;
}

char *oentry_path(const struct oentry *u)
{
	size_t n = 0;
	char *path;

	for (const struct oentry *at = u; at->parent; at = at->parent)
		n += strlen(at->name) + 1;
	path = malloc(n + 1);
	if (!path)
		return NULL;
	path[n ? n - 1 : 0] = '\0';
	for (const struct oentry *at = u; at->parent; at = at->parent) {
		size_t name = strlen(at->name);

		n -= name + 1;
		memcpy(path + n, at->name, name);
		if (n)
			path[n - 1] = '/';
	}
	return path;
}

struct oentry *overlay_child_after(struct overlay *o, struct oentry *dir, uint64_t place)
{
	struct oentry *u = TAILQ_LAST(&dir->children, oentries);

	if (!u || u->position <= place)
		return NULL;
	u = o->last_listed && o->last_listed->parent == dir && o->last_listed->position <= place
		    ? o->last_listed
		    : TAILQ_FIRST(&dir->children);
	while (u->position <= place)
		u = TAILQ_NEXT(u, siblings);
	o->last_listed = TAILQ_PREV(u, oentries, siblings);
	return u;
}

struct oentry *overlay_next(const struct overlay *o, const struct oentry *u)
{
	struct oentry *next = u ? TAILQ_FIRST(&u->children) : TAILQ_FIRST(&o->root->children);

	while (!next && u && u != o->root) {
		next = TAILQ_NEXT(u, siblings);
		u = u->parent;
	}
	return next;
}

bool overlay_differs(const struct overlay *o)
{
	for (const struct oentry *u = NULL; (u = overlay_next(o, u));)
		if (oentry_differs(u) && !(u->is_dir && u->id == ENTRY_NONE) &&
			!(u->is_scratch && u->origin == ENTRY_NONE))
			return true;
	return false;
}
