/* SPDX-License-Identifier: Zlib */
/* The tables of one layer that both sides changed. */
#include <errno.h>
#include <string.h>

#include "cli/merging/cells.h"
#include "cli/merging/content.h"
#include "cli/merging/file.h"

static struct merged *part(struct merge *m, struct merged *dir, const char *file)
{
	struct item *at[SIDES] = {[THEIRS] = item_made(dir ? dir->at[THEIRS] : NULL, file)};

	return at[THEIRS] ? merged_new(m, dir, at) : NULL;
}

static int text(const struct format_merging *how, const struct cells_mask *mask, struct bytes **ret)
{
	CLEANUP_BUFFER struct buffer out = BUFFER_INIT;
	const char *p = how->mark_text, *next;
	uint32_t sides[2] = {mask->width, mask->height};

	for (int i = 0; i < 2 && (next = strstr(p, "%u")); i++, p = next + 2) {
		buffer_append(&out, p, (size_t)(next - p));
		buffer_printf(&out, "%u", sides[i]);
	}
	buffer_text(&out, p);
	return buffer_finish(&out, ret);
}

/* A layer CONFLICT behind this one, as if theirs had added it; nothing where the format has no such
 * layer. -ENOMEM. */
static int mark_add(struct merge *m, struct merged *layer, const struct cells_mask *mask)
{
	struct item *made, *at[SIDES] = {NULL};
	struct merged *x, *file, *table;
	struct bytes *b = NULL;
	int r;

	if (!m->how->mark_file)
		return 0;
	/* Below the directory of the layers in theirs, which frees it. */
	made = at[THEIRS] = item_made(layer->at[THEIRS]->up, "CONFLICT");
	if (!made || !(made->bare = strdup("CONFLICT")))
		return -ENOMEM;
	made->dir = made->object = true;
	x = merged_new(m, layer->up, at);
	file = x ? part(m, x, m->how->mark_file) : NULL;
	table = file ? part(m, x, m->how->mark_table) : NULL;
	if (!table)
		return -ENOMEM;
	x->after = layer;
	r = text(m->how, mask, &b);
	file->made = r == 0;
	file->content = extent_of_bytes(b);
	if (r == 0)
		r = cells_draw(m, mask, &table->content);
	table->made = r == 0;
	return r;
}

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

static int tell(struct layer *l, struct merged *x, const struct area *c)
{
	return conflict_add(l->m, x, true,
		"changed by both: %ju %s, lines %zu to %zu, columns %zu to %zu", (uintmax_t)c->n,
		c->n == 1 ? "cell" : "cells", c->top + 1, c->bottom + 1, c->left + 1, c->right + 1);
}

static int join(struct layer *l, struct merged *x)
{
	struct cells_clash clash;
	int r = cells_join(l->m, x, &l->mask, &x->content, &clash);

	x->made = x->decided = r == 0;
	l->size |= r == 0 && clash.size;
	if (r == 0 && clash.at.n && !clash.size) {
		l->clash = true;
		r = tell(l, x, &clash.at);
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

int file_decide_planes(struct merge *m, struct merged *dir)
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
	if (r == 0 && l.clash && !l.size && m->mark)
		r = mark_add(m, dir, &l.mask);
	free(l.mask.cells);
	return r;
}
