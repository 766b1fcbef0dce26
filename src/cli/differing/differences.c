/* SPDX-License-Identifier: Zlib */
#include "cli/differing/differences.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/differing/layers.h"
#include "cli/differing/pictures.h"
#include "cli/line/command.h"
#include "cli/merging/content.h"
#include "cli/merging/steps.h"
#include "cli/offline/output.h"

const char *const difference_words[DIFFERENCE_KINDS] = {
	"added", "removed", "changed", "moved", "renamed"};

const struct format_review *differences_review(const struct differences *d)
{
	const struct format *f = d->m.sides[OURS].tree.vol->format;

	return f == d->m.sides[BASE].tree.vol->format ? f->review : NULL;
}

void differences_fail(struct differences *d, enum which w, const struct item *i, int r)
{
	command_fail(&d->m.sides[w].tree, i->path, r);
	d->trouble = true;
}

static int tell(struct differences *d, enum difference_kind kind, const struct item *before,
	const struct item *after, struct reader *x, struct reader *y)
{
	struct difference one = {.kind = kind, .before = before, .after = after, .x = x, .y = y};
	int r;

	d->different = true;
	if (x)
		one.picture = pictures_of_image(d, after->path, x, y);
	if (d->layers)
		layers_look(d, &one);
	r = d->tell(d, &one);
	free(one.picture);
	return r;
}

/* 1: what differs says nothing (content.h). */
static int is_noise(struct differences *d, struct item *a, struct item *b)
{
	int r;

	if (!d->m.how->unset || !content_is_json(&d->m, b))
		return 0;
	r = content_know(&d->m, BASE, a);
	if (r == 0)
		r = content_know(&d->m, OURS, b);
	return r == 0 ? digest_same(&a->digest, &b->digest) : r;
}

/* Side by side, since both may be too large for memory. */
static void compare_open(
	struct differences *d, struct item *a, struct item *b, struct reader *x, struct reader *y)
{
	struct reader *failed = y;
	int r = compare_bytes(x, y, &failed);

	if (r == 0)
		r = is_noise(d, a, b);
	if (r == 0)
		r = tell(d, DIFFERENCE_CHANGED, a, b, x, y);
	if (r < 0)
		differences_fail(d, failed == x ? BASE : OURS, failed == x ? a : b, r);
}

static void compare(struct differences *d, struct item *a, struct item *b)
{
	struct reader x, y;
	/* Objects that it names stand in both by the names that the second map has for them. */
	int r = content_open(&d->m, BASE, a, merged_now, &x);
	int s = content_open(&d->m, OURS, b, merged_now, &y);

	if (r < 0)
		differences_fail(d, BASE, a, r);
	if (s < 0)
		differences_fail(d, OURS, b, s);
	if (r == 0 && s == 0)
		compare_open(d, a, b, &x, &y);
	reader_close(&x);
	reader_close(&y);
}

/* Sets moved of those of the list: as few as explain why the numbers do not rise. -ENOMEM. */
static int settle(struct merged *const *list, const size_t *at, size_t n)
{
	/* Of the runs in rising order of each length the one that ends lowest. */
	CLEANUP(free) size_t *ends = calloc(n + 1, sizeof(*ends));
	CLEANUP(free) size_t *before = calloc(n + 1, sizeof(*before));
	size_t runs = 0;

	if (!ends || !before)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		size_t low = 0, high = runs;

		while (low < high) {
			size_t middle = (low + high) / 2;

			if (at[ends[middle]] < at[i])
				low = middle + 1;
			else
				high = middle;
		}
		ends[low] = i;
		before[i] = low ? ends[low - 1] : SIZE_MAX;
		runs += low == runs;
		list[i]->moved = true;
	}
	for (size_t i = runs ? ends[runs - 1] : SIZE_MAX; i != SIZE_MAX; i = before[i])
		list[i]->moved = false;
	return 0;
}

/* The same of the objects of a directory that both maps have, by where they stood in the first. */
static int find_moved(struct merged *dir)
{
	const struct item *ours = dir->at[OURS];
	CLEANUP(free) struct merged **list = calloc(ours->n + 1, sizeof(*list));
	CLEANUP(free) size_t *at = calloc(ours->n + 1, sizeof(*at));
	size_t n = 0;

	if (!list || !at)
		return -ENOMEM;
	for (size_t i = 0; i < ours->n; i++) {
		struct merged *x = ours->below[i]->of;
		const struct item *b = x ? x->at[BASE] : NULL;

		if (!b || !b->object)
			continue;
		/* From another directory. */
		x->moved = b->up != dir->at[BASE];
		if (!x->moved) {
			at[n] = b->place;
			list[n++] = x;
		}
	}
	return settle(list, at, n);
}

static int tell_place(struct differences *d, const struct merged *x)
{
	const struct item *a = x->at[BASE], *b = x->at[OURS];
	bool renamed = a->object && b->object &&
		       (strcmp(a->bare, b->bare) != 0 || strcmp(a->ending, b->ending) != 0);

	if (!x->moved && !renamed)
		return 0;
	return tell(d, x->moved ? DIFFERENCE_MOVED : DIFFERENCE_RENAMED, a, b, NULL, NULL);
}

static int tell_below(struct differences *d, struct merged *dir);

static int tell_one(struct differences *d, struct merged *x)
{
	struct item *a = x->at[BASE], *b = x->at[OURS];
	int r;

	if (!a || !b)
		r = tell(d, a ? DIFFERENCE_REMOVED : DIFFERENCE_ADDED, a, b, NULL, NULL);
	else
		r = tell_place(d, x);
	if (r == 0 && a && b && b->dir)
		r = tell_below(d, x);
	else if (r == 0 && a && b)
		compare(d, a, b);
	return r < 0 ? r : output_text(&d->out);
}

/* In the order of the second map, what left where it stood. */
static int tell_below(struct differences *d, struct merged *dir)
{
	const struct item *a = dir->at[BASE], *b = dir->at[OURS];
	size_t i = 0, j = 0;
	int r = find_moved(dir);

	while (r == 0) {
		struct merged *x = j < b->n ? b->below[j]->of : NULL;

		while (i < a->n && a->below[i]->of->at[OURS])
			i++;
		if (i < a->n && (!x || strcmp(a->below[i]->name, x->at[OURS]->name) <= 0))
			x = a->below[i++]->of;
		else if (x)
			j++;
		else
			break;
		r = tell_one(d, x);
	}
	return r;
}

int differences_tell(struct differences *d)
{
	int r = match_all(&d->m);

	if (r == 0)
		r = merged_name_now(&d->m);
	return r < 0 ? r : tell_below(d, d->m.root);
}
