/* SPDX-License-Identifier: Zlib */
#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "formats/building.h"

/* Which entry of the tree stands for an object or part of the base. */
struct claim {
	struct hash_link link; /* by the object; first */
	entry_id object;
	size_t kept; /* nothing else stands for it than this file, whose name means nothing; or 0 */
};

static struct claim *claim_find(const struct building *b, entry_id id)
{
	entry_id object = entry_object(id);

	for (struct hash_link *l = hash_find(&b->claimed, hash_number(object)); l;
		l = hash_again(l))
		if (((struct claim *)l)->object == object)
			return (struct claim *)l;
	return NULL;
}

/* -ENOMEM. */
static int claim(struct building *b, entry_id id, size_t kept)
{
	struct claim *c;

	if (claim_find(b, id))
		return 0;
	if (!hash_room(&b->claimed))
		return -ENOMEM;
	c = &b->claims[b->n_claims++];
	*c = (struct claim){.object = entry_object(id), .kept = kept};
	hash_add(&b->claimed, &c->link, hash_number(c->object));
	return 0;
}

int building_meaning(const struct building *b, size_t i, struct meaning *ret, struct error *e)
{
	const struct tree_entry *t = &b->in[i];
	entry_id dir = b->out->entries[t->up].id;

	*ret = (struct meaning){.is = FORMAT_SCRATCH};
	if (dir == ENTRY_NONE)
		return 0;
	return b->f->tree->meaning(
		b->now, dir, t->name, t->dir, t->from == ENTRY_NONE ? ENTRY_ROOT : t->from, ret, e);
}

static int place(struct building *b, size_t i, entry_id id)
{
	const struct tree_entry *t = &b->in[i];

	return building_place(b, (struct placement){.id = id,
					 .dir = b->out->entries[t->up].id,
					 .name = t->name,
					 .order = (uint32_t)i});
}

/* Where the entry stands, for the format; told of what is new as well as of what moved. */
static int stands(struct building *b, size_t i, enum build_fate fate, entry_id id)
{
	struct built_entry *o = &b->out->entries[i];

	o->fate = fate;
	o->id = id;
	return place(b, i, id);
}

/* Something of the map that no base has. */
static int make(struct building *b, size_t i, struct error *e)
{
	const struct tree_entry *t = &b->in[i];
	struct error why = ERROR_INIT;
	entry_id id;
	int r = b->f->tree->add(&b->now, b->out->entries[t->up].id, t->name, t->dir, &id, &why);

	if (r == -ENOMEM)
		return error_set(e, r, "%s", error_text(&why));
	if (r < 0) {
		building_refuse(b, i, &why);
		return 0;
	}
	return stands(b, i, BUILD_NEW, id);
}

static bool is_fixed(const struct building *b, entry_id id)
{
	struct entry en;

	return b->f->stat(b->base, id, &en, NULL) == 0 && en.fixed;
}

static bool means_something(const struct meaning *m)
{
	return m->is == FORMAT_OBJECT || m->is == FORMAT_PART;
}

/* A directory is what it came from. */
static int settle_dir(struct building *b, size_t i, const struct meaning *m, struct error *e)
{
	const struct tree_entry *t = &b->in[i];
	struct built_entry *o = &b->out->entries[i];
	bool moved;
	int r;

	if (m->known && (m->id == t->from || is_fixed(b, m->id))) {
		o->id = m->id;
		return claim(b, m->id, 0);
	}
	if (t->from == ENTRY_NONE)
		return means_something(m) ? make(b, i, e) : 0;
	moved = m->fits && means_something(m);
	r = claim(b, t->from, 0);
	return r < 0 || !moved ? r : stands(b, i, BUILD_MOVED, t->from);
}

/* Does it stand where it stood in the base? */
static bool is_home(const struct building *b, size_t i)
{
	const struct tree_entry *t = &b->in[i];
	const struct tree_entry *dir = &b->in[t->up];
	struct entry en;

	return t->from != ENTRY_NONE && b->out->entries[t->up].id == dir->from &&
	       b->f->lookup(b->base, dir->from, t->name, &en, NULL) == 0 && en.id == t->from;
}

/* It is what the base has there; its name may have other letters where those do not count. */
static int settle_here(struct building *b, size_t i, entry_id id)
{
	int r = claim(b, id, 0);

	b->out->entries[i].id = id;
	return r < 0 || !b->f->fold ? r : place(b, i, id);
}

/* The first look: directories, and files at the paths of what the base has. */
static int settle_known(struct building *b, size_t i, struct error *e)
{
	struct built_entry *o = &b->out->entries[i];
	struct error why = ERROR_INIT;
	struct meaning m;

	if (is_home(b, i))
		return settle_here(b, i, b->in[i].from);
	if (building_meaning(b, i, &m, &why) < 0) {
		building_refuse(b, i, &why);
		return 0;
	}
	o->fate = means_something(&m) ? BUILD_SAME : BUILD_SCRATCH;
	if (b->in[i].dir)
		return settle_dir(b, i, &m, e);
	/* A part is no object that has moved; and the next one's name may count on it. */
	if (!m.known)
		return m.is == FORMAT_PART ? make(b, i, e) : 0;
	return settle_here(b, i, m.id);
}

/* A directory that is always there is there again: each file in it went by itself. */
static void settle_standing(struct building *b, size_t i)
{
	const struct tree_entry *t = &b->in[i];

	if (t->dir && is_home(b, i) && is_fixed(b, t->from))
		b->out->entries[i].id = t->from;
}

/* The second: files that stand anywhere else. */
static int settle_other(struct building *b, size_t i, struct error *e)
{
	const struct tree_entry *t = &b->in[i];
	const struct built_entry *o = &b->out->entries[i];
	struct meaning m;
	int r;

	if (t->from != ENTRY_NONE && !claim_find(b, t->from) && o->fate == BUILD_SAME &&
		building_meaning(b, i, &m, NULL) == 0 && m.fits) {
		r = claim(b, t->from, 0);
		return r < 0 ? r : stands(b, i, BUILD_MOVED, t->from);
	}
	return o->fate == BUILD_SAME ? make(b, i, e) : 0;
}

/* The third: what was moved to a name that means nothing stays in the map as it was, unless its
 * directory went. */
static int settle_kept(struct building *b, size_t i)
{
	const struct tree_entry *t = &b->in[i];
	enum build_fate fate = b->out->entries[i].fate;
	bool kept = !t->dir && (fate == BUILD_SCRATCH || fate == BUILD_REFUSED);

	return kept && t->from != ENTRY_NONE ? claim(b, t->from, i) : 0;
}

/* What stands at its path in the base no more, and, of a directory, what was in it. */
static int add_left(struct building *b, entry_id id)
{
	if (!array_room(b->left, b->n_left, b->room_left))
		return -ENOMEM;
	b->left[b->n_left++] = entry_object(id);
	return 0;
}

static int by_id(const void *a, const void *b)
{
	return array_order(*(const entry_id *)a, *(const entry_id *)b);
}

static int add_left_below(struct building *b, entry_id dir)
{
	char name[NAME_MAX + 1];
	uint64_t cookie = 0;
	struct entry en;
	int r = 0;

	if (b->f->stat(b->base, dir, &en, NULL) < 0 || !en.dir || claim_find(b, dir))
		return 0;
	while (r == 0 && b->f->list(b->base, dir, &cookie, name, &en, NULL) > 0)
		r = add_left(b, en.id);
	return r;
}

static int find_left(struct building *b)
{
	int r = 0;

	for (size_t i = 1; r == 0 && i < b->out->n; i++) {
		const struct tree_entry *t = &b->in[i];

		if (t->gone && is_home(b, i))
			r = add_left(b, t->from);
		else if (!t->gone && t->hides != ENTRY_NONE)
			r = add_left(b, t->hides);
	}
	for (size_t i = 0; r == 0 && i < b->n_left; i++)
		r = add_left_below(b, b->left[i]);
	if (r == 0 && b->n_left)
		qsort(b->left, b->n_left, sizeof(*b->left), by_id);
	return r;
}

static bool has_left(const struct building *b, entry_id object)
{
	return b->n_left && bsearch(&object, b->left, b->n_left, sizeof(object), by_id);
}

/* An object belongs to the file at its path, also to one that nobody touched: a file that came from
 * there is another one then. */
static int settle_untouched(struct building *b)
{
	int r = find_left(b);

	for (size_t i = 1; r == 0 && i < b->out->n; i++) {
		const struct tree_entry *t = &b->in[i];
		entry_id object = entry_object(t->from);

		if (!t->gone && !t->dir && t->from != ENTRY_NONE && !claim_find(b, object) &&
			!has_left(b, object))
			r = claim(b, object, 0);
	}
	return r;
}

/* It is there again, empty. */
static int empty(struct building *b, entry_id id, enum build_fate *ret)
{
	const struct extent nothing = EXTENT_INIT;
	struct error why = ERROR_INIT;
	bool put = false;
	int r = building_put(b, id, &nothing, &put, &why);

	if (put)
		*ret = BUILD_EMPTIED;
	return error_is_transient(r) ? r : 0;
}

/* A part that is always there, unless its object leaves: from the begin, as if that had been
 * written, since other files may say more of it. */
static int empty_part(struct building *b, size_t i, entry_id id, enum build_fate *ret)
{
	struct error why = ERROR_INIT;
	bool put;
	int r = b->in[b->in[i].up].gone ? 0 : building_apply(b, id, NULL, &put, &why);

	*ret = r < 0 ? BUILD_NEEDED : BUILD_EMPTIED;
	return error_is_transient(r) ? r : 0;
}

/* What the base has at a path where nothing of it stands any more. */
static int leave(struct building *b, size_t i, entry_id id, enum build_fate gone)
{
	struct built_entry *o = &b->out->entries[i];
	const struct claim *c = claim_find(b, id);
	struct entry en;

	if (c && c->kept && b->out->entries[c->kept].fate == BUILD_SCRATCH)
		b->out->entries[c->kept].fate = BUILD_KEPT;
	if (c || b->f->stat(b->base, id, &en, NULL) < 0 || en.fixed)
		return 0;
	if (en.standing)
		return empty(b, id, &o->old);
	o->old = en.needed ? BUILD_NEEDED : en.lasting ? BUILD_EMPTIED : gone;
	if (en.lasting && !en.dir) {
		int r = empty_part(b, i, id, &o->old);

		if (r < 0 || o->old == BUILD_EMPTIED)
			return r;
	}
	return building_place(b, (struct placement){.id = id, .removed = true});
}

int settle(struct building *b, struct error *e)
{
	size_t n = b->out->n;
	int r = 0;

	b->out->entries[0].id = ENTRY_ROOT;
	for (size_t i = 1; r == 0 && i < n; i++)
		if (b->in[i].gone)
			settle_standing(b, i);
		else
			r = settle_known(b, i, e);
	if (r == 0)
		r = settle_untouched(b);
	for (size_t i = 1; r == 0 && i < n; i++)
		if (!b->in[i].gone && !b->in[i].dir && b->out->entries[i].id == ENTRY_NONE)
			r = settle_other(b, i, e);
	for (size_t i = 1; r == 0 && i < n; i++)
		if (!b->in[i].gone)
			r = settle_kept(b, i);
	for (size_t i = 1; r == 0 && i < n; i++) {
		if (b->in[i].gone)
			r = is_home(b, i) ? leave(b, i, b->in[i].from, BUILD_GONE) : 0;
		else if (b->in[i].hides != ENTRY_NONE)
			r = leave(b, i, b->in[i].hides, BUILD_REPLACED);
	}
	return r;
}

int settle_begin(struct building *b)
{
	b->claims = calloc(2 * b->out->n + 1, sizeof(*b->claims));
	return b->claims ? 0 : -ENOMEM;
}

void settle_finish(struct building *b)
{
	hash_finish(&b->claimed);
	free(b->left);
	free(b->claims);
}
