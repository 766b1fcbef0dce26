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
	struct hash hash;
	struct candidate *all;
	size_t n, room;
};

static uint64_t key_of(const struct item *i)
{
	return i->bare[0] ? hash_text(i->dir, i->bare) : hash_number(i->digest.a);
}

static bool same(const struct item *a, const struct item *b)
{
	return a->dir == b->dir && strcmp(a->bare, b->bare) == 0 &&
	       strcmp(a->up->name, b->up->name) == 0 &&
	       (a->bare[0] ? pairs_alike(a, b) : digest_same(&a->digest, &b->digest));
}

static bool collect(struct finding *f, struct merged *const *dirs, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct item *dir = dirs[i]->at[f->w];

		for (size_t k = 0; dir && k < dir->n; k++) {
			if (!dir->below[k]->object || dir->below[k]->of)
				continue;
			if (!array_room(f->all, f->n, f->room))
				return false;
			f->all[f->n++] = (struct candidate){.item = dir->below[k]};
		}
	}
	for (size_t i = 0; i < f->n; i++) {
		if (!hash_room(&f->hash))
			return false;
		hash_add(&f->hash, &f->all[i].link, key_of(f->all[i].item));
	}
	return true;
}

/* The only one that it can be; NULL: there is none, or several. */
static struct candidate *find(const struct finding *f, const struct merged *x)
{
	const struct item *b = x->at[BASE];
	struct candidate *found = NULL;
	struct hash_link *l;

	if (!b || !b->object || x->at[f->w])
		return NULL;
	for (l = hash_find(&f->hash, key_of(b)); l; l = hash_again(l)) {
		struct candidate *c = container_of(l, struct candidate, link);

		if (!same(b, c->item))
			continue;
		if (found)
			return NULL;
		found = c;
	}
	return found;
}

static void match(struct finding *f, struct merged *const *dirs, size_t n, bool take)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < dirs[i]->n; k++) {
			struct merged *x = dirs[i]->below[k];
			struct candidate *c = find(f, x);

			if (!c)
				continue;
			c->wanted += !take;
			if (!take || c->wanted != 1)
				continue;
			x->at[f->w] = c->item;
			c->item->of = x;
			x->crossed = true;
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

int crossed_find(struct merged *const *dirs, size_t n)
{
	static const enum which sides[] = {OURS, THEIRS};
	bool any = false;
	int r = 0;

	for (size_t i = 0; r == 0 && n > 1 && i < 2; i++) {
		struct finding f = {.w = sides[i]};

		r = collect(&f, dirs, n) ? 0 : -ENOMEM;
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
