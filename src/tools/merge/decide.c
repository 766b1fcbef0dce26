/* SPDX-License-Identifier: Zlib */
#include <errno.h>
#include <string.h>

#include "tools/merge/content.h"
#include "tools/merge/file.h"
#include "tools/merge/steps.h"

static int decide_node(struct merge *m, struct merge_node *x);

static int decide_children(struct merge *m, struct merge_node *x)
{
	size_t n = x->n; /* decide_node may append marks (planes.c) */
	int r = 0;

	for (size_t i = 0; r == 0 && i < n; i++)
		if (!x->children[i]->changed_dir)
			r = decide_node(m, x->children[i]);
	return r;
}

/* Set is_kept for a node and all below it. Skips children that changed their directory. */
static void set_kept(struct merge_node *x, bool kept)
{
	x->is_kept = kept && (x->items[OURS] || x->items[THEIRS]);
	x->takes_theirs = false;
	for (size_t i = 0; i < x->n; i++)
		if (!x->children[i]->changed_dir)
			set_kept(x->children[i], kept);
}

/* Keep a directory that is no object if any of its children is kept. */
static int decide_plain_dir(struct merge *m, struct merge_node *x)
{
	int r = decide_children(m, x);

	x->is_kept = false;
	for (size_t i = 0; i < x->n; i++)
		x->is_kept |= x->children[i]->is_kept;
	return r;
}

/* Does side w have the content, bare name and directory of the base? 1, 0, or -errno. */
static int is_unchanged(struct merge *m, struct merge_node *x, enum which w)
{
	const struct merge_item *a = x->items[BASE], *b = x->items[w];
	int r = a->parent->node == b->parent->node ? file_same(m, x, BASE, w) : 0;

	return r == 1 && a->is_object ? strcmp(a->bare, b->bare) == 0 : r;
}

/* Decide a node that one side removed and `from` still has. */
static int decide_removed(struct merge *m, struct merge_node *x, enum which from)
{
	int r;

	/* A directory that is no object has no content of its own. */
	if (merged_item(x)->is_dir && !merged_item(x)->is_object)
		return decide_plain_dir(m, x);
	r = is_unchanged(m, x, from);
	if (r < 0)
		return r;
	set_kept(x, !r);
	return r ? 0 : conflict_removed(m, x, from);
}

static int decide_name(struct merge *m, struct merge_node *x)
{
	const struct merge_item *b = x->items[BASE], *o = x->items[OURS], *t = x->items[THEIRS];

	x->bare = o->bare;
	if (strcmp(t->bare, o->bare) == 0 || (b && strcmp(t->bare, b->bare) == 0))
		return 0;
	if (b && strcmp(o->bare, b->bare) == 0) {
		x->bare = t->bare;
		x->is_moved = true;
		return 0;
	}
	return conflict_add(
		m, x, false, "%s by both (theirs: \"%s\")", b ? "renamed" : "added", t->bare);
}

/* If both sides changed an object and its match is ambiguous, add a conflict. */
static int check_ambiguous(struct merge *m, struct merge_node *x)
{
	int r = x->is_ambiguous && x->items[BASE] ? is_unchanged(m, x, OURS) : 1;

	if (r == 0)
		r = is_unchanged(m, x, THEIRS);
	if (r)
		return r < 0 ? r : 0;
	x->changed_by_both = true;
	return conflict_add(m, x, false, "changed by both, but the match is ambiguous");
}

static int decide_node(struct merge *m, struct merge_node *x)
{
	const struct merge_item *b = x->items[BASE], *o = x->items[OURS], *t = x->items[THEIRS];
	int r = 0;

	if (!o || !t)
		return b && x->is_kept ? decide_removed(m, x, o ? OURS : THEIRS) : 0;
	if (merged_item(x)->is_object)
		r = check_ambiguous(m, x);
	if (r == 0 && merged_item(x)->is_object)
		r = decide_name(m, x);
	if (r == 0 && !merged_item(x)->is_dir)
		return file_decide(m, x);
	if (r == 0)
		r = file_decide_planes(m, x);
	return r < 0 ? r : decide_children(m, x);
}

/* Set used[number] for each object that a file of the merged map refers to. */
static void find_used(const struct merge *m, bool *used)
{
	for (size_t i = 0; i < m->n; i++) {
		const struct merge_node *x = m->nodes[i];
		const struct merge_item *from = x->is_kept ? x->items[merged_source(x)] : NULL;

		if (!from || from->is_dir)
			continue;
		if (x->has_content && content_is_json(from)) {
			content_uses(x->content.mem, used);
			continue;
		}
		for (size_t k = 0; !x->has_content && k < from->n_uses; k++)
			used[from->uses[k]] = true;
	}
}

/* Keep each object that one side removed and the other one uses, and add a conflict. */
static int keep_used(struct merge *m)
{
	CLEANUP(free) bool *used = calloc(m->n + 1, sizeof(*used));
	int r = used ? 0 : -ENOMEM;

	if (r == 0)
		find_used(m, used);
	for (size_t i = 0; r == 0 && i < m->n; i++) {
		struct merge_node *x = m->nodes[i];

		if (!used[i] || x->is_kept || (!x->items[OURS] && !x->items[THEIRS]))
			continue;
		set_kept(x, true);
		r = conflict_add(m, x, false,
			x->items[OURS] ? "removed by theirs and used by ours (not removed)"
				       : "removed by ours and used by theirs (restored)");
	}
	return r;
}

/* Decide the nodes that were moved to another directory. If both sides moved one, ours wins. */
static int decide_moved(struct merge *m)
{
	size_t n = m->n; /* decide_node may append marks (planes.c) */
	int r = 0;

	for (size_t i = 0; r == 0 && i < n; i++) {
		struct merge_node *x = m->nodes[i], *dirs[SIDES];

		if (!x->changed_dir)
			continue;
		r = decide_node(m, x);
		for (int w = 0; w < SIDES; w++)
			dirs[w] = x->items[w] ? x->items[w]->parent->node : NULL;
		if (r == 0 && dirs[OURS] && dirs[THEIRS] && dirs[OURS] != dirs[BASE] &&
			dirs[THEIRS] != dirs[BASE] && dirs[OURS] != dirs[THEIRS])
			r = conflict_add(m, x, false, "moved by both (theirs: %s)",
				x->items[THEIRS]->parent->path);
		x->is_moved |= dirs[OURS] && dirs[OURS] != x->parent;
	}
	return r;
}

int decide_all(struct merge *m)
{
	int r = decide_children(m, m->root);

	if (r == 0)
		r = decide_moved(m);
	return r < 0 ? r : keep_used(m);
}
