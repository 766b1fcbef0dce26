/* SPDX-License-Identifier: Zlib */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tools/merge/steps.h"

/* Is the order of the objects that all three maps have different on sides v and w? */
static bool is_reordered(const struct merge_node *dir, enum which v, enum which w)
{
	const struct merge_item *list = dir->items[w];
	size_t last = 0;

	for (size_t i = 0; dir->items[v] && list && i < list->n; i++) {
		const struct merge_node *x = list->children[i]->node;

		if (!x || !list->children[i]->is_object || !x->items[BASE] || !x->items[OURS] ||
			!x->items[THEIRS] || !x->is_kept || x->changed_dir)
			continue;
		if (x->items[v]->position < last)
			return true;
		last = x->items[v]->position;
	}
	return false;
}

static void insert_node(struct merge_node *dir, size_t at, struct merge_node *x)
{
	memmove(&dir->order[at + 1], &dir->order[at],
		(dir->n_order - at) * sizeof(struct merge_node *));
	dir->order[at] = x;
	dir->n_order++;
	x->is_placed = true;
}

/* Index of x in dir->order. Starts the search at `from`, the most likely place. */
static size_t find_position(const struct merge_node *dir, const struct merge_node *x, size_t from)
{
	size_t at = from < dir->n_order ? from : 0;

	while (dir->order[at] != x)
		at = at + 1 < dir->n_order ? at + 1 : 0;
	return at;
}

/* Insert the objects of one side that are not in dir->order yet. Each follows its predecessor on
 * that side, and objects that only the other side added there. */
static void add_side_objects(struct merge_node *dir, enum which w)
{
	const struct merge_item *list = dir->items[w];
	const enum which other = w == OURS ? THEIRS : OURS;
	size_t at = 0;

	for (size_t i = 0; list && i < list->n; i++) {
		struct merge_node *x = list->children[i]->node;

		if (!x || !list->children[i]->is_object || x->parent != dir || x->predecessor ||
			!x->is_kept)
			continue;
		if (x->is_placed) {
			at = find_position(dir, x, at) + 1;
			continue;
		}
		while (at < dir->n_order && dir->order[at]->items[other] &&
			!dir->order[at]->items[BASE] && !dir->order[at]->items[w])
			at++;
		insert_node(dir, at++, x);
	}
}

static int find_order(struct merge *m, struct merge_node *dir)
{
	bool theirs = is_reordered(dir, BASE, THEIRS), ours = is_reordered(dir, BASE, OURS);
	enum which first = theirs && !ours ? THEIRS : OURS;

	dir->order = calloc(dir->n + 1, sizeof(*dir->order));
	if (!dir->order)
		return -ENOMEM;
	add_side_objects(dir, first);
	add_side_objects(dir, first == OURS ? THEIRS : OURS);
	for (size_t i = 0; i < dir->n; i++)
		if (dir->children[i]->predecessor)
			insert_node(dir, find_position(dir, dir->children[i]->predecessor, 0) + 1,
				dir->children[i]);
	if (theirs && ours && is_reordered(dir, OURS, THEIRS))
		return conflict_add(m, dir, false, "reordered by both");
	return 0;
}

/*
 * Set old_name and new_name. Objects of ours keep their old name up to the first one that is new or
 * moved. All objects after it get numbers that ours does not use. An object with an empty bare name
 * is named by its number alone; a file gets "12_", because "12.png" could be read as a bare name.
 */
static int find_names(struct merge_node *dir)
{
	size_t first = dir->items[OURS] ? dir->items[OURS]->n : 0, next = 0;
	int digits = snprintf(NULL, 0, "%zu", dir->n_order ? dir->n_order - 1 : 0);
	bool keeps = true;

	for (size_t i = 0; i < dir->n_order; i++) {
		struct merge_node *x = dir->order[i];
		const struct merge_item *o = x->items[OURS];
		const char *bare = x->bare ? x->bare : merged_item(x)->bare;
		const char *between = bare[0] || !merged_item(x)->is_dir ? "_" : "";

		keeps = keeps && o && !x->is_moved && o->position >= next;
		x->is_moved = !keeps && o;
		x->old_name = keeps ? strndup(o->name, (size_t)(o->ending - o->name))
				    : text_printf("%zu%s%s", first + i, between, bare);
		x->new_name = text_printf("%0*zu%s%s", digits, i, bare[0] ? "_" : "", bare);
		if (!x->old_name || !x->new_name)
			return -ENOMEM;
		next = keeps ? o->position + 1 : 0;
	}
	return 0;
}

int order_all(struct merge *m)
{
	int r = 0;

	for (size_t i = 0; r == 0 && m->numbered && i < m->n; i++) {
		struct merge_node *x = m->nodes[i];

		if (!merged_item(x)->is_dir || !x->is_kept)
			continue;
		r = find_order(m, x);
		if (r == 0)
			r = find_names(x);
	}
	return r;
}
