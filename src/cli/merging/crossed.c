/* SPDX-License-Identifier: Zlib */
#include "cli/merging/crossed.h"

#include <errno.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "cli/merging/pairs.h"

/* One of a side that is nowhere yet; or of base. */
struct candidate {
	struct hash_link link; /* first */
	struct item *item;
	size_t wanted; /* by how many */
};

/* In a table by their contents or their names. */
struct candidates {
	struct hash hash;
	struct candidate *all;
	size_t n, room;
};

/* What is looked for, and the only one that it can be. */
struct wanting {
	struct merged *x;
	struct candidate *is;
	unsigned alike;
};

struct finding {
	enum which w;
	bool equal; /* those of equal content are looked for, not those of one name */
	struct candidates base, side;
	struct wanting *wanting;
	size_t n, room;
	size_t looks; /* at two of one name */
};
enum { LOOKS_MAX = 1 << 25 }; /* beyond that none is found */

static uint64_t key_of_content(const struct item *i)
{
	return hash_number(i->digest.a);
}

static uint64_t key_of_name(const struct item *i)
{
	return i->bare[0] ? hash_text(i->dir, i->bare) : key_of_content(i);
}

static bool same_content(const struct item *a, const struct item *b)
{
	return a->dir == b->dir && digest_same(&a->digest, &b->digest);
}

/* How alike they are (content.h); 0: they are not the same. */
static unsigned same(bool equal, const struct item *a, const struct item *b)
{
	if (a->dir != b->dir || strcmp(a->up->name, b->up->name) != 0)
		return 0;
	if (equal || (!a->bare[0] && !b->bare[0]))
		return same_content(a, b) ? 1000 : 0;
	return strcmp(a->bare, b->bare) == 0 ? pairs_alike(a, b) : 0;
}

/* Is it new, or what one of base became? */
static bool is_changed(const struct item *i)
{
	const struct item *b = i->of ? i->of->at[BASE] : NULL;

	return !b || !digest_same(&b->digest, &i->digest);
}

static bool is_nowhere(const struct item *i)
{
	return !i->of;
}

static bool collect(struct candidates *c, struct merged *const *dirs, size_t n, enum which w,
	uint64_t (*key)(const struct item *), bool (*fits)(const struct item *))
{
	for (size_t i = 0; i < n; i++) {
		const struct item *dir = dirs[i]->at[w];

		for (size_t k = 0; dir && k < dir->n; k++) {
			if (!dir->below[k]->object || (fits && !fits(dir->below[k])))
				continue;
			if (!array_room(c->all, c->n, c->room))
				return false;
			c->all[c->n++] = (struct candidate){.item = dir->below[k]};
		}
	}
	for (size_t i = 0; i < c->n; i++) {
		if (!hash_room(&c->hash))
			return false;
		hash_add(&c->hash, &c->all[i].link, key(c->all[i].item));
	}
	return true;
}

static void candidates_finish(struct candidates *c)
{
	hash_finish(&c->hash);
	free(c->all);
}

/* Is it rather a copy of another one that base has? */
static bool is_copy(struct finding *f, const struct item *of, unsigned alike, const struct item *i)
{
	struct hash_link *l = f->equal ? NULL : hash_find(&f->base.hash, key_of_name(i));

	for (; l; l = hash_again(l)) {
		const struct item *b = container_of(l, struct candidate, link)->item;

		f->looks++;
		if (b != of && same(false, b, i) > alike)
			return true;
	}
	return false;
}

/* The only one that it can be; NULL: there is none, or several. */
static struct candidate *find(struct finding *f, const struct item *b, unsigned *ret_alike)
{
	struct candidate *found = NULL;
	struct hash_link *l =
		hash_find(&f->side.hash, f->equal ? key_of_content(b) : key_of_name(b));

	for (; l && f->looks <= LOOKS_MAX; l = hash_again(l)) {
		struct candidate *c = container_of(l, struct candidate, link);
		unsigned alike = same(f->equal, b, c->item);

		f->looks++;
		if (!alike || is_copy(f, b, alike, c->item))
			continue;
		if (found)
			return NULL;
		found = c;
		*ret_alike = alike;
	}
	return found;
}

static struct merged *dir_of(const struct merged *x, enum which w)
{
	return x->at[w] ? x->at[w]->up->of : NULL;
}

/* Does another one have its name where it was? */
static bool has_namesake(const struct merged *x, enum which w)
{
	const struct item *b = x->at[BASE], *dir = dir_of(x, BASE)->at[w];

	for (size_t k = 0; b->bare[0] && dir && k < dir->n; k++)
		if (dir->below[k] != x->at[w] && dir->below[k]->object &&
			strcmp(dir->below[k]->bare, b->bare) == 0 && is_changed(dir->below[k]))
			return true;
	return false;
}

static int find_all(struct finding *f, struct merged *const *dirs, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < dirs[i]->n; k++) {
			struct merged *x = dirs[i]->below[k];
			const struct item *b = x->at[BASE];
			struct wanting new = {.x = x};

			if (!b || !b->object || x->at[f->w])
				continue;
			new.is = find(f, b, &new.alike);
			if (!new.is)
				continue;
			if (!array_room(f->wanting, f->n, f->room))
				return -ENOMEM;
			f->wanting[f->n++] = new;
			new.is->wanted++;
		}
	return 0;
}

/* What two might be is none of them. */
static void take(struct finding *f)
{
	for (size_t i = 0; i < f->n; i++) {
		struct merged *x = f->wanting[i].x;
		struct item *is = f->wanting[i].is->item;

		if (f->wanting[i].is->wanted != 1)
			continue;
		x->at[f->w] = is;
		is->of = x;
		x->crossed |= dir_of(x, f->w) != dir_of(x, BASE);
		x->doubt |= !pairs_sure(f->wanting[i].alike) || has_namesake(x, f->w);
	}
}

/* Where it is to be. */
static struct merged *place_of(const struct merged *x)
{
	struct merged *was = dir_of(x, BASE), *o = dir_of(x, OURS), *t = dir_of(x, THEIRS);

	return o && o != was ? o : t && t != was ? t : was;
}

static int move(struct merged *const *dirs, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct merged *dir = dirs[i];
		size_t kept = 0, all = dir->n;

		for (size_t k = 0; k < all; k++) {
			struct merged *x = dir->below[k], *to = x->crossed ? place_of(x) : dir;

			if (to == dir) {
				dir->below[kept++] = x;
				continue;
			}
			if (!array_room(to->below, to->n, to->room))
				return -ENOMEM;
			to->below[to->n++] = x;
			x->up = to;
		}
		if (kept == all)
			continue;
		/* Behind them is what came here meanwhile. */
		memmove(dir->below + kept, dir->below + all, (dir->n - all) * sizeof(*dir->below));
		dir->n -= all - kept;
	}
	return 0;
}

static int find_of(struct merged *const *dirs, size_t n, enum which w, bool equal)
{
	struct finding f = {.w = w, .equal = equal};
	uint64_t (*key)(const struct item *) = equal ? key_of_content : key_of_name;
	int r = collect(&f.side, dirs, n, w, key, is_nowhere) ? 0 : -ENOMEM;

	if (r == 0 && f.side.n && !equal)
		r = collect(&f.base, dirs, n, BASE, key, NULL) ? 0 : -ENOMEM;
	if (r == 0 && f.side.n)
		r = find_all(&f, dirs, n);
	if (r == 0 && f.looks <= LOOKS_MAX)
		take(&f);
	candidates_finish(&f.base);
	candidates_finish(&f.side);
	free(f.wanting);
	return r;
}

int crossed_find(struct merged *const *dirs, size_t n, bool equal)
{
	int r = 0;

	for (int w = OURS; r == 0 && n > 1 && w < SIDES; w++)
		r = find_of(dirs, n, (enum which)w, equal);
	return r == 0 && n > 1 ? move(dirs, n) : r;
}

/* Does what it was in base stand in another directory now? */
static bool stands_elsewhere(const struct candidates *changed, const struct merged *x, enum which w)
{
	const struct item *b = x->at[BASE];
	struct hash_link *l = hash_find(&changed->hash, key_of_content(b));

	for (; l; l = hash_again(l)) {
		const struct item *i = container_of(l, struct candidate, link)->item;

		if (i->up != x->at[w]->up && same_content(i, b))
			return true;
	}
	return false;
}

static void doubt(
	const struct candidates *changed, struct merged *const *dirs, size_t n, enum which w)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < dirs[i]->n; k++) {
			struct merged *x = dirs[i]->below[k];

			if (x->at[BASE] && x->at[BASE]->object && x->at[w] && is_changed(x->at[w]))
				x->doubt |= stands_elsewhere(changed, x, w);
		}
}

int crossed_doubt(struct merged *const *dirs, size_t n)
{
	int r = 0;

	for (int w = OURS; r == 0 && n > 1 && w < SIDES; w++) {
		struct candidates changed = {.n = 0};

		r = collect(&changed, dirs, n, (enum which)w, key_of_content, is_changed) ? 0
											  : -ENOMEM;
		if (r == 0)
			doubt(&changed, dirs, n, (enum which)w);
		candidates_finish(&changed);
	}
	return r;
}
