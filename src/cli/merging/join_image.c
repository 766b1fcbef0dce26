/* SPDX-License-Identifier: Zlib */
/* Images that both sides changed, pixel by pixel. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/merging/join.h"
#include "codec/png.h"

enum { PIXEL = 4 };

/* Rows of theirs are put onto those of ours. */
struct joining {
	uint32_t width, height;
	uint8_t *base, *ours; /* of width * height */
	uint64_t clashes;
	uint32_t left, right, top, bottom;
};

static size_t row_size(const struct joining *j)
{
	return (size_t)j->width * PIXEL;
}

/* The first says how large all are. */
static int begin(void *arg, uint32_t width, uint32_t height, struct error *e)
{
	struct joining *j = arg;

	(void)e;
	if (j->base)
		return width == j->width && height == j->height ? 0 : -ENOTSUP;
	*j = (struct joining){.width = width, .height = height};
	j->base = malloc(row_size(j) * height);
	j->ours = malloc(row_size(j) * height);
	return j->base && j->ours ? 0 : -ENOMEM;
}

static int row_of_base(void *arg, uint32_t y, const uint8_t *rgba, struct error *e)
{
	const struct joining *j = arg;

	(void)e;
	memcpy(j->base + y * row_size(j), rgba, row_size(j));
	return 0;
}

static int row_of_ours(void *arg, uint32_t y, const uint8_t *rgba, struct error *e)
{
	const struct joining *j = arg;

	(void)e;
	memcpy(j->ours + y * row_size(j), rgba, row_size(j));
	return 0;
}

static void clash(struct joining *j, uint32_t x, uint32_t y)
{
	if (!j->clashes++) {
		j->left = j->right = x;
		j->top = y;
	}
	j->left = x < j->left ? x : j->left;
	j->right = x > j->right ? x : j->right;
	j->bottom = y;
}

static int row_of_theirs(void *arg, uint32_t y, const uint8_t *rgba, struct error *e)
{
	struct joining *j = arg;
	const uint8_t *b = j->base + y * row_size(j), *t = rgba;
	uint8_t *o = j->ours + y * row_size(j);

	(void)e;
	for (uint32_t x = 0; x < j->width; x++, b += PIXEL, o += PIXEL, t += PIXEL) {
		if (memcmp(t, b, PIXEL) == 0 || memcmp(t, o, PIXEL) == 0)
			continue;
		if (memcmp(o, b, PIXEL) == 0)
			memcpy(o, t, PIXEL);
		else
			clash(j, x, y);
	}
	return 0;
}

static int decode(struct bytes *png, struct joining *j,
	int (*row)(void *arg, uint32_t y, const uint8_t *rgba, struct error *e))
{
	struct extent x = extent_of_bytes(bytes_ref(png));
	const struct png_sink sink = {begin, row, j};
	int r = png_decode(&x, &sink, NULL);

	extent_finish(&x);
	return r == -EINVAL ? -ENOTSUP : r;
}

static int pixels(void *arg, uint64_t off, void *dst, size_t n, struct error *e)
{
	const struct joining *j = arg;

	(void)e;
	memcpy(dst, j->ours + off, n);
	return 0;
}

static int encode(struct joining *j, struct bytes **ret)
{
	CLEANUP(bytes_unref) struct bytes *out = NULL;
	uint64_t size;
	uint8_t *at;
	int r = png_file_size(j->width, j->height, &size);

	if (r < 0)
		return -ENOTSUP;
	out = bytes_new(size, &at);
	if (!out)
		return -ENOMEM;
	r = png_file_read(j->width, j->height, pixels, j, NULL, 0, at, size, NULL);
	if (r == 0)
		*ret = TAKE(out);
	return r;
}

int join_image(struct bytes *b, struct bytes *o, struct bytes *t, struct bytes **ret, char **told)
{
	struct joining j = {0};
	int r = b ? decode(b, &j, row_of_base) : -ENOTSUP;

	*told = NULL;
	if (r == 0)
		r = decode(o, &j, row_of_ours);
	if (r == 0)
		r = decode(t, &j, row_of_theirs);
	if (r == 0 && j.clashes &&
		asprintf(told, "%ju %s, x %u to %u, y %u to %u", (uintmax_t)j.clashes,
			j.clashes == 1 ? "pixel" : "pixels", j.left, j.right, j.top,
			j.bottom) < 0) {
		*told = NULL;
		r = -ENOMEM;
	}
	if (r == 0)
		r = encode(&j, ret);
	free(j.base);
	free(j.ours);
	return r;
}
