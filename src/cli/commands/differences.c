/* SPDX-License-Identifier: Zlib */
#include "cli/commands/differences.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/say.h"
#include "cli/compare/compare.h"
#include "cli/compare/picture.h"
#include "cli/compare/text_hunks.h"
#include "cli/line/command.h"
#include "cli/merging/content.h"
#include "cli/merging/steps.h"
#include "cli/offline/output.h"

static bool ends_in(const char *path, const char *ending)
{
	size_t n = strlen(path), m = strlen(ending);

	return n > m && strcmp(path + n - m, ending) == 0;
}

static void draw_picture(
	struct differences *d, const char *name, const struct picture *a, const struct picture *b)
{
	struct error e = ERROR_INIT;
	struct picture both;
	int r = picture_compare(a, b, &both, &e);

	if (r == 0) {
		r = picture_write(d->images, name, &both, 0666, false, &e);
		bytes_unref(both.rgba);
	}
	if (r < 0) {
		say(stderr, "mapfs: %s: %s", name, error_text(&e));
		d->trouble = true;
	}
}

/* Its name is the image's path. */
static void draw_image(struct differences *d, const char *path, struct reader *a, struct reader *b)
{
	struct picture x = {0}, y = {0};
	char name[NAME_MAX + 1];

	if (d->images < 0 || picture_of_png(a, &x, NULL) < 0)
		return;
	snprintf(name, sizeof(name), "%s", path);
	for (char *slash = name; (slash = strchr(slash, '/'));)
		*slash = '-';
	if (picture_of_png(b, &y, NULL) == 0)
		draw_picture(d, name, &x, &y);
	bytes_unref(x.rgba);
	bytes_unref(y.rgba);
}

static int tell_change(struct differences *d, const char *path, struct reader *a, struct reader *b)
{
	bool image = ends_in(path, ".png");
	int r;

	d->different = true;
	buffer_printf(&d->out, "changed %s\n", path);
	if (image)
		draw_image(d, path, a, b);
	if (d->brief || (image && compare_images(a, b, &d->out)))
		return 0;
	r = text_hunks(a, b, d->full, &d->out);
	if (r == 0)
		buffer_printf(&d->out, " %llu bytes -> %llu bytes\n", (unsigned long long)a->size,
			(unsigned long long)b->size);
	return r < 0 ? r : 0;
}

static void tell_only(struct differences *d, const char *what, const struct item *i)
{
	d->different = true;
	buffer_printf(&d->out, "%s %s%s\n", what, i->path, i->dir ? "/" : "");
}

static void fail(struct differences *d, enum which w, const struct item *i, int r)
{
	command_fail(&d->m.sides[w].tree, i->path, r);
	d->trouble = true;
}

/* false: they are no tables whose cells can be compared, or cannot be read. */
static bool compare_cells(
	struct differences *d, const char *path, struct reader *x, struct reader *y)
{
	size_t before = d->out.size;
	int r;

	if (d->brief || !ends_in(path, ".csv"))
		return false;
	buffer_printf(&d->out, "changed %s\n", path);
	r = compare_tables(x, y, d->full, &d->out);
	if (r > 0)
		d->different = true;
	else if (d->out.size > before)
		d->out.size = before;
	return r >= 0;
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
	int r;

	if (compare_cells(d, b->path, x, y))
		return;
	r = compare_bytes(x, y, &failed);
	if (r == 0)
		r = is_noise(d, a, b);
	if (r == 0)
		r = tell_change(d, b->path, x, y);
	if (r < 0)
		fail(d, failed == x ? BASE : OURS, failed == x ? a : b, r);
}

static void compare(struct differences *d, struct item *a, struct item *b)
{
	struct reader x, y;
	/* Objects that it names stand in both by the names that the second map has for them. */
	int r = content_open(&d->m, BASE, a, merged_now, &x);
	int s = content_open(&d->m, OURS, b, merged_now, &y);

	if (r < 0)
		fail(d, BASE, a, r);
	if (s < 0)
		fail(d, OURS, b, s);
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

static void tell_place(struct differences *d, const struct merged *x)
{
	const struct item *a = x->at[BASE], *b = x->at[OURS];
	bool renamed = a->object && b->object &&
		       (strcmp(a->bare, b->bare) != 0 || strcmp(a->ending, b->ending) != 0);

	if (!x->moved && !renamed)
		return;
	d->different = true;
	buffer_printf(&d->out, "%s %s -> %s\n", x->moved ? "moved" : "renamed", a->path, b->path);
}

static int tell_below(struct differences *d, struct merged *x);

static int tell_one(struct differences *d, struct merged *x)
{
	struct item *a = x->at[BASE], *b = x->at[OURS];

	if (!a || !b) {
		tell_only(d, a ? "removed" : "added", a ? a : b);
		return output_text(&d->out);
	}
	tell_place(d, x);
	if (b->dir)
		return tell_below(d, x);
	compare(d, a, b);
	return output_text(&d->out);
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
	return r < 0 ? r : output_text(&d->out);
}

int differences_tell(struct differences *d)
{
	int r = match_all(&d->m);

	if (r == 0)
		r = merged_name_now(&d->m);
	return r < 0 ? r : tell_below(d, d->m.root);
}

void differences_draw(struct differences *d)
{
	const struct preview how = {.size = PREVIEW_DEFAULT};
	struct picture pictures[2] = {0};
	int r = d->images >= 0 && d->different ? 0 : -ENODATA;

	for (int w = BASE; r == 0 && w <= OURS; w++) {
		const struct snapshot *s = d->m.sides[w].tree.vol->now;

		r = s->format->preview ? s->format->preview->draw(s, &how, &pictures[w], NULL)
				       : -ENOTSUP;
	}
	if (r == 0)
		draw_picture(d, "map.png", &pictures[BASE], &pictures[OURS]);
	bytes_unref(pictures[BASE].rgba);
	bytes_unref(pictures[OURS].rgba);
}
