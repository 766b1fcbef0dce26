/* SPDX-License-Identifier: Zlib */
/* A tree goes on over the map that was built of it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "vfs/overlay/overlay.h"

/* What the old base has at a path, and the new one. */
struct renumbered {
	entry_id old, new;
};

struct renumbers {
	struct renumbered *at;
	size_t n, room;
};

struct rebase {
	struct overlay *o;
	struct snapshot *old, *shown; /* the base of before, and what clean files showed */
	struct renumbers paths;
	struct renumbers origins; /* that were kept for files whose names mean nothing */
	struct upper **dead;      /* to be freed, from the last on */
	size_t n_dead, room_dead;
	void (*fn)(void *arg, struct upper *u, bool stands);
	void *arg;
};

static bool die(struct rebase *b, struct upper *u)
{
	if (!array_room(b->dead, b->n_dead, b->room_dead))
		return false;
	b->dead[b->n_dead++] = u;
	if (u->node)
		upper_freeze(u->moved ? b->old : b->shown, u);
	/* What was in it finds nothing there. */
	u->from = u->id = ENTRY_NONE;
	return true;
}

static bool base_has(const struct snapshot *base, entry_id dir, const char *name, struct entry *ret)
{
	return dir != ENTRY_NONE && base->format->lookup(base, dir, name, ret, NULL) == 0;
}

static int by_old(const void *a, const void *b)
{
	const struct renumbered *x = a, *y = b;

	return x->old < y->old ? -1 : x->old > y->old;
}

static struct renumbered *find_old(const struct renumbers *in, entry_id old)
{
	const struct renumbered key = {.old = old};

	return in->n ? bsearch(&key, in->at, in->n, sizeof(key), by_old) : NULL;
}

static bool add(struct renumbers *to, entry_id old, entry_id new)
{
	if (!array_room(to->at, to->n, to->room))
		return false;
	to->at[to->n++] = (struct renumbered){old, new};
	return true;
}

static void sort(struct renumbers *r)
{
	if (r->n)
		qsort(r->at, r->n, sizeof(*r->at), by_old);
}

static bool rebase_whiteout(struct rebase *b, struct upper *u, const struct entry *en)
{
	if (en && find_old(&b->origins, entry_object(u->old))) {
		u->from = u->id = en->id;
		return true;
	}
	if (en && u->dir && !TAILQ_EMPTY(&u->below))
		u->whiteout = false;
	else
		return die(b, u);
	u->from = u->id = en->id;
	return true;
}

static bool rebase_dir(struct rebase *b, struct upper *u, const struct entry *en)
{
	const struct format_tree *tree = b->o->base->format->tree;

	if (en && en->dir && u->up->from != ENTRY_NONE) {
		u->from = u->id = en->id;
		u->moved = false;
		return true;
	}
	if (u->id == ENTRY_NONE)
		return true;
	if (u->from != ENTRY_NONE && !u->moved)
		return die(b, u);
	u->from = ENTRY_NONE;
	if (u->up->id == ENTRY_NONE ||
		tree->add(&b->o->shape, u->up->id, u->name, true, &u->id, NULL) < 0)
		u->id = ENTRY_NONE;
	return true;
}

static bool rebase_file(struct rebase *b, struct upper *u, const struct entry *en)
{
	if (u->scratch || u->why) {
		u->moved = !en || u->scratch;
		u->id = u->from = en && !u->scratch ? en->id : ENTRY_NONE;
		return true;
	}
	if (en && !en->dir) {
		upper_clean(u);
		snapshot_unref(TAKE(u->of));
		u->from = u->id = en->id;
		u->moved = u->timed = false;
		return true;
	}
	/* raw/ has what is in the map now, by other numbers. */
	if (!upper_differs(u) || upper_is_raw(u))
		return die(b, u);
	u->from = u->id = ENTRY_NONE;
	return true;
}

static bool rebase_one(struct rebase *b, struct upper *u)
{
	const struct snapshot *new = b->o->base;
	bool had, has;
	struct entry old, en;

	had = base_has(b->old, u->up->old, u->name, &old);
	has = base_has(new, u->up->from, u->name, &en);
	if (had && has && !add(&b->paths, entry_object(old.id), en.id))
		return false;
	if (u->whiteout)
		return rebase_whiteout(b, u, has ? &en : NULL);
	return u->dir ? rebase_dir(b, u, has ? &en : NULL) : rebase_file(b, u, has ? &en : NULL);
}

/* Files whose object was kept still came from there, and show what it is now. */
static void rebase_origins(struct rebase *b)
{
	sort(&b->paths);
	for (struct upper *u = NULL; (u = overlay_next(b->o, u));) {
		const struct renumbered *r;

		if (u->dir || u->whiteout || u->from != ENTRY_NONE || !u->scratch)
			continue;
		r = find_old(&b->paths, entry_object(u->old));
		if (!r)
			continue;
		u->from = u->id = r->new;
		snapshot_unref(TAKE(u->of));
	}
}

static void bury(const struct rebase *b)
{
	for (size_t i = b->n_dead; i-- > 0;) {
		struct upper *u = b->dead[i];

		b->fn(b->arg, u, false);
		upper_free(b->o, u);
	}
}

/* What is none of the new base's shows what it showed. */
static bool begin(struct rebase *b)
{
	for (struct upper *u = NULL; (u = overlay_next(b->o, u));) {
		u->old = u->from;
		if (u->whiteout || !(u->scratch || u->why))
			continue;
		upper_freeze(overlay_shown(b->o, u), u);
		if (!u->dir && u->scratch && u->old != ENTRY_NONE &&
			!add(&b->origins, entry_object(u->old), ENTRY_NONE))
			return false;
	}
	sort(&b->origins);
	return true;
}

int overlay_rebase(struct overlay *o, const struct snapshot *base,
	void (*fn)(void *arg, struct upper *u, bool stands), void *arg)
{
	struct rebase b = {.o = o, .old = o->base, .fn = fn, .arg = arg};
	struct upper *u, *next;
	bool room;

	b.shown = snapshot_ref(overlay_names(o));
	room = begin(&b);
	o->base = snapshot_ref(base);
	snapshot_unref(o->shape);
	o->shape = snapshot_ref(base);
	for (u = NULL; room && (u = overlay_next(o, u));)
		room = rebase_one(&b, u);
	rebase_origins(&b);
	bury(&b);
	for (u = overlay_next(o, NULL); u; u = next) {
		next = overlay_next(o, u);
		if (u->node)
			fn(arg, u, true);
	}
	free(b.paths.at);
	free(b.origins.at);
	free(b.dead);
	snapshot_unref(b.shown);
	snapshot_unref(b.old);
	return room ? 0 : -ENOMEM;
}
