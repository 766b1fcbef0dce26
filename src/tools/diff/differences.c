/* SPDX-License-Identifier: Zlib */
#include "tools/diff/differences.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/output.h"
#include "tools/diff/page.h"
#include "tools/diff/pictures.h"
#include "tools/merge/content.h"
#include "tools/merge/file.h"
#include "tools/merge/steps.h"

static int report_difference(struct differences *d, enum difference_kind kind,
	const struct merge_item *before, const struct merge_item *after, struct reader *x,
	struct reader *y)
{
	struct difference one = {.kind = kind, .before = before, .after = after, .x = x, .y = y};
	int r;

	d->has_differences = true;
	if (x)
		one.picture = pictures_of_image(d, after->path, x, y);
	if (d->page)
		page_look(d, &one);
	r = d->print(d, &one);
	free(one.picture);
	return r;
}

/* Compare two files piece by piece, because both may be too large for memory. */
static void compare_files(struct differences *d, struct merge_item *a, struct merge_item *b)
{
	struct reader x, y, *failed;
	/* In both files, write references with the names that the objects have in the second map.
	 */
	int r = content_open(&d->m, a, CONTENT_OLD_NAMES, &x);
	int s = content_open(&d->m, b, CONTENT_OLD_NAMES, &y);

	if (r < 0)
		differences_fail(d, a, r);
	if (s < 0)
		differences_fail(d, b, s);
	if (r == 0 && s == 0) {
		r = compare_bytes(&x, &y, &failed);
		/* JSON files may differ only in an integer without meaning (schema.h: unset). */
		if (r == 0 && d->m.schema->unset && content_is_json(b))
			r = file_same(&d->m, b->node, BASE, OURS);
		if (r == 0)
			r = report_difference(d, DIFFERENCE_CHANGED, a, b, &x, &y);
		if (r < 0)
			differences_fail(d, failed == &x ? a : b, r);
	}
	reader_close(&x);
	reader_close(&y);
}

/* Set is_moved of the objects of a directory that both maps have: the fewest that explain the new
 * order (all but a longest rising subsequence of the old positions). */
static int find_moved(struct merge_node *dir)
{
	const struct merge_item *ours = dir->items[OURS];
	/* ends[k]: the end of the rising run of length k + 1 that ends lowest. before[i]: what
	 * precedes object i in its run. Both refer to items of the first map. */
	CLEANUP(free) const struct merge_item **ends = calloc(ours->n + 1, sizeof(*ends));
	CLEANUP(free) const struct merge_item **before = calloc(ours->n + 1, sizeof(*before));
	size_t runs = 0;

	if (!ends || !before)
		return -ENOMEM;
	for (size_t i = 0; i < ours->n; i++) {
		struct merge_node *x = ours->children[i]->node;
		const struct merge_item *b = x ? x->items[BASE] : NULL;
		size_t at;

		if (!b || !b->is_object)
			continue;
		x->is_moved = true;
		if (b->parent != dir->items[BASE]) /* it came from another directory */
			continue;
		at = array_bisect(k, runs, ends[k]->position >= b->position);
		before[i] = at ? ends[at - 1] : NULL;
		ends[at] = b;
		runs += at == runs;
	}
	for (const struct merge_item *b = runs ? ends[runs - 1] : NULL; b;
		b = before[b->node->items[OURS]->position])
		b->node->is_moved = false;
	return 0;
}

static int report_move(struct differences *d, const struct merge_node *x)
{
	const struct merge_item *a = x->items[BASE], *b = x->items[OURS];
	bool renamed = a->is_object && b->is_object &&
		       (strcmp(a->bare, b->bare) != 0 || strcmp(a->ending, b->ending) != 0);

	if (!x->is_moved && !renamed)
		return 0;
	return report_difference(
		d, x->is_moved ? DIFFERENCE_MOVED : DIFFERENCE_RENAMED, a, b, NULL, NULL);
}

static int report_children(struct differences *d, struct merge_node *dir);

static int report_node(struct differences *d, struct merge_node *x)
{
	struct merge_item *a = x->items[BASE], *b = x->items[OURS];
	int r;

	if (!a || !b)
		r = report_difference(
			d, a ? DIFFERENCE_REMOVED : DIFFERENCE_ADDED, a, b, NULL, NULL);
	else
		r = report_move(d, x);
	if (r == 0 && a && b && b->is_dir)
		r = report_children(d, x);
	else if (r == 0 && a && b)
		compare_files(d, a, b);
	return r < 0 ? r : output_text(&d->out);
}

/* Report the children in the order of the second map, and removed ones where they were. */
static int report_children(struct differences *d, struct merge_node *dir)
{
	const struct merge_item *a = dir->items[BASE], *b = dir->items[OURS];
	size_t i = 0, j = 0;
	int r = find_moved(dir);

	while (r == 0) {
		struct merge_node *x = j < b->n ? b->children[j]->node : NULL;

		while (i < a->n && a->children[i]->node->items[OURS])
			i++;
		if (i < a->n && (!x || strcmp(a->children[i]->name, x->items[OURS]->name) <= 0))
			x = a->children[i++]->node;
		else if (x)
			j++;
		else
			break;
		r = report_node(d, x);
	}
	return r;
}

int differences_print(struct differences *d)
{
	int r = match_all(&d->m);

	if (r == 0)
		r = merged_set_old_names(&d->m);
	return r < 0 ? r : report_children(d, d->m.root);
}
