/* SPDX-License-Identifier: Zlib */
/*
 * image: an embedded image as a PNG (layout rule 10). Pixels go by row by row, so an image of any
 * size is read, compared and replaced in bounded memory.
 */
#include <errno.h>
#include <string.h>

#include "base/disk/spool.h"
#include "codec/image/png.h"
#include "codec/image/png_pack.h"
#include "formats/teeworlds/item/media.h"
#include "formats/teeworlds/item/opaque.h"
#include "formats/teeworlds/lens/kinds.h"
#include "formats/teeworlds/lens/media/image.h"
#include "formats/teeworlds/model/fields.h"
#include "formats/teeworlds/model/store.h"
#include "formats/teeworlds/names/reference.h"

/* An image as the map holds it. */
struct pixels {
	struct blob *blob;
	uint32_t w, h;
};

static int find_pixels(const struct tw_map *m, entry_id id, struct pixels *ret, struct error *e)
{
	const struct tw_item *it = tw_item_at(m, TW_IMAGE, tw_id_index(id));

	if (!it)
		return error_set(e, -ENOENT, "no such image");
	if (!tw_image_is_png(m, it))
		return error_set(e, -ENODATA, "the image is not in the map as RGBA pixels");
	*ret = (struct pixels){
		.blob = tw_blob_of(m, it, TW_IMG_DATA),
		.w = (uint32_t)it->ints->v[TW_IMG_WIDTH],
		.h = (uint32_t)it->ints->v[TW_IMG_HEIGHT],
	};
	return 0;
}

static int image_stat(const struct tw_map *m, entry_id id, struct entry *ret, struct error *e)
{
	struct pixels p;
	uint64_t size = 0;
	int r = find_pixels(m, id, &p, e);

	if (r == 0)
		r = png_file_size(p.w, p.h, &size);
	if (r < 0)
		return r;
	tw_stat_file(ret, size, true);
	if (m->shared->packed) {
		ret->late = true;
		ret->sized = png_packed_known(p.blob, p.w, p.h, &ret->size);
	}
	return 0;
}

/* Where stat does not say it. */
static int image_size(const struct tw_map *m, entry_id id, uint64_t *ret, struct error *e)
{
	struct pixels p;
	int r = find_pixels(m, id, &p, e);

	if (r < 0)
		return r;
	return m->shared->packed ? png_packed_size(p.blob, p.w, p.h, ret, e)
				 : png_file_size(p.w, p.h, ret);
}

static int image_get(
	const struct tw_map *m, entry_id id, uint64_t off, void *dst, size_t n, struct error *e)
{
	struct pixels p;
	int r = find_pixels(m, id, &p, e);

	if (r < 0)
		return r;
	if (m->shared->packed)
		return png_packed_read(p.blob, p.w, p.h, off, dst, n, e);
	return png_file_read(p.w, p.h, blob_read_fn, p.blob, &p.blob->png, off, dst, n, e);
}

/* The pixels of a PNG on their way, and which tiles they make opaque. As long as they are those
 * that are there, nothing is kept of them. */
struct taking {
	const struct pixels *old;
	uint8_t *row; /* of the old ones */
	bool same;
	struct spool *spool;
	struct opacity opacity;
	uint32_t w, h;
};

static int take_begin(void *arg, uint32_t w, uint32_t h, struct error *e)
{
	struct taking *t = arg;
	uint64_t size;

	if (w > INT32_MAX || h > INT32_MAX || png_file_size(w, h, &size) < 0)
		return error_set(e, -EINVAL,
			"the image has %u x %u pixels (at most 2^31 - 1 bytes of them in a PNG)", w,
			h);
	t->w = w;
	t->h = h;
	t->same = w == t->old->w && h == t->old->h;
	t->row = t->same ? malloc(4 * (size_t)w) : NULL;
	opacity_begin(&t->opacity, w, h);
	return t->same && !t->row ? error_set(e, -ENOMEM, "no memory for a row of pixels") : 0;
}

static int take_row(void *arg, uint32_t y, const uint8_t *rgba, struct error *e)
{
	struct taking *t = arg;
	size_t n = 4 * (size_t)t->w;
	int r = 0;

	opacity_row(&t->opacity, y, rgba);
	/* A damaged image may be replaced, so what cannot be read differs. */
	if (t->same && blob_read(t->old->blob, (uint64_t)y * n, t->row, n, NULL) == 0 &&
		memcmp(t->row, rgba, n) == 0)
		return 0;
	if (t->same)
		r = tw_keep_part(t->old->blob, 0, (uint64_t)y * n, t->spool, e);
	t->same = false;
	return r < 0 ? r : spool_append(t->spool, rgba, n, e);
}

/* Bytes past the pixels stay while the size does. */
static int take_tail(const struct pixels *old, struct taking *t, struct error *e)
{
	uint64_t at = 4 * (uint64_t)old->w * old->h;

	/* Nothing to keep where they cannot be read. */
	if (t->w != old->w || t->h != old->h || at >= old->blob->size ||
		blob_check(old->blob, NULL) == -EIO)
		return 0;
	return tw_keep_part(old->blob, at, old->blob->size, t->spool, e);
}

/* *ret is NULL where they are the same. */
static int take(const struct tw_map *m, const struct pixels *old, const struct extent *in,
	struct taking *t, struct blob **ret, struct error *e)
{
	struct png_sink sink = {.begin = take_begin, .row = take_row, .arg = t};
	CLEANUP(spool_destroy) struct spool *spool = spool_create(m->shared->store->spool_dirfd);
	CLEANUP_EXTENT struct extent content = EXTENT_INIT;
	int r;

	if (!spool)
		return error_set(e, -ENOMEM, "no memory for the pixels");
	t->old = old;
	t->spool = spool;
	r = png_decode(in, &sink, e);
	free(t->row);
	if (r < 0 || t->same)
		return r;
	r = take_tail(old, t, e);
	if (r == 0)
		r = spool_extent(spool, &content, e);
	return r < 0 ? r : tw_keep_extent(m, &content, ret, e);
}

int tw_image_pixels(const struct tw_map *m, const struct extent *png, struct blob **ret,
	uint32_t *ret_w, uint32_t *ret_h, struct error *e)
{
	const struct pixels none = {0};
	struct taking t = {0};
	int r = take(m, &none, png, &t, ret, e);

	if (r == 0) {
		*ret_w = t.w;
		*ret_h = t.h;
	}
	return r;
}

static int old_opacity(const struct pixels *old, struct opacity *ret, struct error *e)
{
	uint8_t *row;
	CLEANUP(bytes_unref) struct bytes *b = bytes_new(4 * (size_t)old->w, &row);

	if (!b)
		return error_set(e, -ENOMEM, "no memory for a row of pixels");
	opacity_begin(ret, old->w, old->h);
	for (uint32_t y = 0; y < old->h; y++) {
		int r = blob_read(old->blob, (uint64_t)y * b->size, row, b->size, e);

		if (r < 0)
			return r;
		opacity_row(ret, y, row);
	}
	return 0;
}

/* Which tiles the pixels made opaque before; -EIO: nobody knows, so no bit follows. Of an image
 * that had none, or none that could be shown, all bits follow. */
static int find_opacity(
	const struct pixels *old, const struct opacity *now, struct opacity *ret, struct error *e)
{
	if (old->blob)
		return old_opacity(old, ret, e);
	*ret = *now;
	for (int i = 1; i < 256; i++)
		ret->opaque[i] = !ret->opaque[i];
	return 0;
}

/* The item of an image that had no pixels, or none that could be shown: those give way. */
static void make_item(const struct tw_map *m, const struct tw_item *it, const struct taking *t,
	struct tw_change *c)
{
	struct tw_ints *ints = tw_image_item(m, it, false, (int32_t)t->w, (int32_t)t->h);

	if (ints && tw_int(it, TW_IMG_EXTERNAL, 1) == 0)
		ints->v[TW_IMG_DATA] = tw_int(it, TW_IMG_DATA, -1);
	tw_change_item(c, (uint32_t)(it - m->items), ints);
}

static int image_parse(const struct tw_map *m, entry_id id, const struct extent *in,
	struct tw_change *c, struct error *e)
{
	const struct tw_item *it = tw_item_at(m, TW_IMAGE, tw_id_index(id));
	uint32_t item, image;
	CLEANUP(blob_unref) struct blob *fresh = NULL;
	struct opacity before;
	struct taking t = {0};
	struct pixels old = {0};
	int r;

	if (!it)
		return error_set(e, -ENOENT, "no such image");
	(void)find_pixels(m, id, &old, NULL);
	r = take(m, &old, in, &t, &fresh, e);
	if (r < 0 || !fresh)
		return r;
	item = (uint32_t)(it - m->items);
	if (old.blob) {
		tw_change_int(c, item, TW_IMG_WIDTH, (int32_t)t.w);
		tw_change_int(c, item, TW_IMG_HEIGHT, (int32_t)t.h);
	} else {
		make_item(m, it, &t, c);
	}
	tw_change_data(c, item, TW_IMG_DATA, TAKE(fresh));
	image = (uint32_t)tw_ref_of(m, TW_SORT_IMAGE, tw_id_index(id));
	/* Tiles that name a new image came along with it, and their own bits with them. */
	if ((!old.blob && it->made) || !opaque_matters(m, image))
		return 0;
	r = find_opacity(&old, &t.opacity, &before, e);
	if (r < 0)
		return r == -EIO ? 0 : r;
	return opaque_follow(m, image, &before, &t.opacity, c, e);
}

const struct tw_kind tw_kind_image_png = {
	.label = "image.png",
	.stat = image_stat,
	.size = image_size,
	.get = image_get,
	.parse = image_parse,
};
