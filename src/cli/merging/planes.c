/* SPDX-License-Identifier: Zlib */
/* The tables of one layer that both sides changed. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/merging/cells.h"
#include "cli/merging/conflict.h"
#include "cli/merging/content.h"
#include "cli/merging/file.h"
#include "cli/merging/mark.h"

struct layer {
	struct merge *m;
	struct merged *dir;
	struct cells_mask mask;
	bool clash, size, other;
};

static int read_planes(
	struct merge *m, const struct merged *x, struct planes *p, struct bytes *ret[SIDES])
{
	int r = 0;

	for (int w = 0; r == 0 && w < SIDES; w++)
		if (x->at[w])
			r = content_read(m, (enum which)w, x->at[w], &ret[w]);
	*p = (struct planes){ret[BASE], ret[OURS], ret[THEIRS]};
	return r;
}

static void drop_planes(struct bytes *all[SIDES])
{
	for (int w = 0; w < SIDES; w++)
		bytes_unref(all[w]);
}

static bool is_plane(const struct merged *x)
{
	return x->at[OURS] && x->at[THEIRS] && !merged_dir(x) && !merged_object(x) &&
	       strcmp(x->at[OURS]->ending, ".csv") == 0;
}

/* Did theirs change it, and in another way than ours? -errno. */
static int theirs_changed(struct merge *m, const struct merged *x)
{
	int r = file_same(m, x, BASE, THEIRS);

	if (r == 0)
		r = file_same(m, x, OURS, THEIRS);
	return r < 0 ? r : !r;
}

static int mark(struct layer *l, struct merged *x)
{
	struct bytes *all[SIDES] = {NULL};
	struct planes p;
	int r = read_planes(l->m, x, &p, all);

	if (r == 0)
		r = cells_mark(&p, &l->mask);
	if (r < 0 && r != -ENOMEM) {
		l->other = true;
		r = 0;
	}
	drop_planes(all);
	return r;
}

static int tell(struct layer *l, struct merged *x, const struct cells_clash *c)
{
	return conflict_add(l->m, x, true,
		"changed by both: %ju %s, lines %u to %u, columns %u to %u", (uintmax_t)c->n,
		c->n == 1 ? "cell" : "cells", c->top + 1, c->bottom + 1, c->left + 1, c->right + 1);
}

static int join(struct layer *l, struct merged *x)
{
	struct bytes *all[SIDES] = {NULL};
	struct cells_clash clash;
	struct planes p;
	int r = read_planes(l->m, x, &p, all);

	if (r == 0)
		r = cells_join(&p, &l->mask, &x->content, &clash);
	x->decided = r == 0;
	l->size |= r == 0 && clash.size;
	if (r == 0 && clash.n && !clash.size) {
		l->clash = true;
		r = tell(l, x, &clash);
	}
	drop_planes(all);
	return r == -ENOMEM ? r : 0;
}

/* All of the layer stays as ours has it. */
static int keep_all(struct layer *l, size_t conflicts)
{
	int r = 0;

	while (l->m->n_conflicts > conflicts)
		free(l->m->conflicts[--l->m->n_conflicts].why);
	for (size_t i = 0; r == 0 && i < l->dir->n; i++) {
		struct merged *x = l->dir->below[i];

		if (!x->at[OURS] || !x->at[THEIRS] || merged_dir(x))
			continue;
		r = theirs_changed(l->m, x);
		bytes_unref(TAKE(x->content));
		x->decided = true;
		if (r == 1)
			r = conflict_add(l->m, x, true,
				"changed by both, and the layer's size by one or both of them");
	}
	return r < 0 ? r : 0;
}

static int each(struct layer *l, bool both, int (*fn)(struct layer *l, struct merged *x), bool *any)
{
	int r = 0;

	for (size_t i = 0; r >= 0 && i < l->dir->n; i++) {
		struct merged *x = l->dir->below[i];

		r = is_plane(x) ? theirs_changed(l->m, x) : 0;
		if (r == 1 && both)
			r = x->at[BASE] ? !file_same(l->m, x, BASE, OURS) : 1;
		if (r != 1)
			continue;
		*any = true;
		if (fn)
			r = fn(l, x);
	}
	return r < 0 ? r : 0;
}

int file_decide_planes(struct merge *m, struct merged *dir, bool marked)
{
	size_t conflicts = m->n_conflicts;
	struct layer l = {.m = m, .dir = dir};
	bool any = false;
	int r = each(&l, true, NULL, &any);

	if (r < 0 || !any || merged_doubtful(dir))
		return r;
	r = each(&l, true, mark, &any);
	if (r == 0 && !l.other)
		r = each(&l, false, join, &any);
	if (r == 0 && l.size)
		r = keep_all(&l, conflicts);
	if (r == 0 && l.clash && !l.size && marked)
		r = mark_add(m, dir, &l.mask);
	free(l.mask.cells);
	return r;
}
