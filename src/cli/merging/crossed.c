/* SPDX-License-Identifier: Zlib */
#include "cli/merging/crossed.h"

#include <errno.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "cli/merging/pairs.h"

/* One of a side that is nowhere yet. */
struct candidate {
	struct hash_link link; /* first */
	struct item *item;
	size_t wanted; /* by how many */
};

struct finding {
	enum which w;
	bool equal; /* those of equal content are looked for, not those of one name */
	struct hash hash;
	struct candidate *all;
	size_t n, room;
};

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

/* Is it rather a copy of another one that base has? */
static bool is_copy(struct merged *const *dirs, size_t n, const struct item *of, unsigned alike,
	const struct item *i)
{
	for (size_t d = 0; d < n; d++) {
		const struct item *dir = dirs[d]->at[BASE];

		for (size_t k = 0; dir && k < dir->n; k++)
			if (dir->below[k] != of && dir->below[k]->object &&
				same(false, dir->below[k], i) > alike)
				return true;
	}
	return false;
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

static bool collect(
	struct finding *f, struct merged *const *dirs, size_t n, bool (*fits)(const struct item *))
{
	for (size_t i = 0; i < n; i++) {
		const struct item *dir = dirs[i]->at[f->w];

		for (size_t k = 0; dir && k < dir->n; k++) {
			if (!dir->below[k]->object || !fits(dir->below[k]))
				continue;
			if (!array_room(f->all, f->n, f->room))
				return false;
			f->all[f->n++] = (struct candidate){.item = dir->below[k]};
		}
	}
	for (size_t i = 0; i < f->n; i++) {
		if (!hash_room(&f->hash))
			return false;
		hash_add(&f->hash, &f->all[i].link,
			f->equal ? key_of_content(f->all[i].item) : key_of_name(f->all[i].item));
	}
	return true;
}

/* The only one that it can be; NULL: there is none, or several. */
static struct candidate *find(
	const struct finding *f, struct merged *const *dirs, size_t n, const struct merged *x)
{
	const struct item *b = x->at[BASE];
	struct candidate *found = NULL;
	struct hash_link *l;

	if (!b || !b->object || x->at[f->w])
		return NULL;
	l = hash_find(&f->hash, f->equal ? key_of_content(b) : key_of_name(b));
	for (; l; l = hash_again(l)) {
		struct candidate *c = container_of(l, struct candidate, link);

		unsigned alike = same(f->equal, b, c->item);

		if (!alike || is_copy(dirs, n, b, alike, c->item))
			continue;
		if (found)
			return NULL;
		found = c;
	}
	return found;
}

/* Does another one have its name where it was? */
static bool has_namesake(const struct merged *x, enum which w)
{
	const struct item *b = x->at[BASE], *dir = x->up->at[w];

	for (size_t k = 0; b->bare[0] && dir && k < dir->n; k++)
		if (dir->below[k] != x->at[w] && dir->below[k]->object &&
			strcmp(dir->below[k]->bare, b->bare) == 0 && is_changed(dir->below[k]))
			return true;
	return false;
}

static void match(struct finding *f, struct merged *const *dirs, size_t n, bool take)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < dirs[i]->n; k++) {
			struct merged *x = dirs[i]->below[k];
			struct candidate *c = find(f, dirs, n, x);

			if (!c)
				continue;
			c->wanted += !take;
			if (!take || c->wanted != 1)
				continue;
			x->at[f->w] = c->item;
			c->item->of = x;
			x->crossed = c->item->up->of != x->up;
			x->doubt |= !pairs_sure(same(f->equal, x->at[BASE], c->item)) ||
				    has_namesake(x, f->w);
		}
}

static struct merged *dir_of(const struct merged *x, enum which w)
{
	return x->at[w] ? x->at[w]->up->of : NULL;
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

int crossed_find(struct merged *const *dirs, size_t n, bool equal)
{
	static const enum which sides[] = {OURS, THEIRS};
	bool any = false;
	int r = 0;

	for (size_t i = 0; r == 0 && n > 1 && i < 2; i++) {
		struct finding f = {.w = sides[i], .equal = equal};

		r = collect(&f, dirs, n, is_nowhere) ? 0 : -ENOMEM;
		if (r == 0 && f.n) {
			match(&f, dirs, n, false);
			match(&f, dirs, n, true);
			any = true;
		}
		hash_finish(&f.hash);
		free(f.all);
	}
	return r == 0 && any ? move(dirs, n) : r;
}

/* Does what it was in base stand in another directory now? */
static bool stands_elsewhere(const struct finding *f, const struct merged *x)
{
	const struct item *b = x->at[BASE];
	struct hash_link *l = hash_find(&f->hash, key_of_content(b));

	for (; l; l = hash_again(l)) {
		const struct item *i = container_of(l, struct candidate, link)->item;

		if (i->up != x->at[f->w]->up && same_content(i, b))
			return true;
	}
	return false;
}

static void doubt(const struct finding *f, struct merged *const *dirs, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < dirs[i]->n; k++) {
			struct merged *x = dirs[i]->below[k];

			if (x->at[BASE] && x->at[BASE]->object && x->at[f->w] &&
				is_changed(x->at[f->w]))
				x->doubt |= stands_elsewhere(f, x);
		}
}

int crossed_doubt(struct merged *const *dirs, size_t n)
{
	static const enum which sides[] = {OURS, THEIRS};
	int r = 0;

	for (size_t i = 0; r == 0 && n > 1 && i < 2; i++) {
		struct finding f = {.w = sides[i], .equal = true};

		r = collect(&f, dirs, n, is_changed) ? 0 : -ENOMEM;
		if (r == 0)
			doubt(&f, dirs, n);
		hash_finish(&f.hash);
		free(f.all);
	}
	return r;
}
