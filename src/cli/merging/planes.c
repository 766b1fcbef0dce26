/* SPDX-License-Identifier: Zlib */
/* The tables of one layer that both sides changed. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/merging/cells.h"
#include "cli/merging/content.h"
#include "cli/merging/file.h"
#include "cli/merging/mark.h"

struct layer {
	struct merge *m;
	struct merged *dir;
	struct cells_mask mask;
	bool clash, size, other;
};

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
	int r = cells_mark(l->m, x, &l->mask);

	if (r < 0 && r != -ENOMEM) {
		l->other = true;
		r = 0;
	}
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
	struct cells_clash clash;
	int r = cells_join(l->m, x, &l->mask, &x->content, &clash);

	x->made = x->decided = r == 0;
	l->size |= r == 0 && clash.size;
	if (r == 0 && clash.n && !clash.size) {
		l->clash = true;
		r = tell(l, x, &clash);
	}
	return r == -ENOTSUP || r == -EIO ? 0 : r;
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
		merged_keep(x);
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
