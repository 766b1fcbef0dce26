/* SPDX-License-Identifier: Zlib */
/* image: an embedded image as a PNG (layout rule 10). Pixels are processed row by row, so memory is
 * bounded for an image of any size. */
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

/* The pixels of an image in the map. */
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
		.blob = tw_get_blob(m, it, TW_IMG_DATA),
		.w = (uint32_t)it->ints->v[TW_IMG_WIDTH],
		.h = (uint32_t)it->ints->v[TW_IMG_HEIGHT],
	};
	return 0;
}

static int image_stat(const struct tw_map *m, entry_id id, struct file_attr *ret, struct error *e)
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
		ret->is_size_on_demand = true;
		ret->has_size = png_packed_known(p.blob, p.w, p.h, &ret->size);
	}
	return 0;
}

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

/* Scans the pixels of a PNG: finds the opaque tiles, and compares the pixels with the old ones. */
struct scan {
	const struct pixels *old;
	uint8_t *row; /* a row of old pixels */
	bool is_same;
	struct opacity opacity;
	uint32_t w, h;
};

static int scan_begin(void *arg, uint32_t w, uint32_t h, struct error *e)
{
	struct scan *l = arg;
	uint64_t size;

	if (w > INT32_MAX || h > INT32_MAX || png_file_size(w, h, &size) < 0)
		return error_set(e, -EINVAL,
			"the image has %u x %u pixels (at most 2147483647 bytes in a PNG)", w, h);
	l->w = w;
	l->h = h;
	l->is_same = w == l->old->w && h == l->old->h;
	l->row = l->is_same ? malloc(4 * (size_t)w) : NULL;
	opacity_begin(&l->opacity, w, h);
	return l->is_same && !l->row ? error_set(e, -ENOMEM, "out of memory") : 0;
}

static int scan_row(void *arg, uint32_t y, const uint8_t *rgba, struct error *)
{
	struct scan *l = arg;
	size_t n = 4 * (size_t)l->w;

	opacity_row(&l->opacity, y, rgba);
	/* An unreadable image may be replaced, so unreadable pixels count as different. */
	l->is_same = l->is_same && blob_read(l->old->blob, (uint64_t)y * n, l->row, n, NULL) == 0 &&
		     memcmp(l->row, rgba, n) == 0;
	return 0;
}

/* The recipe of an image: the pixels of a PNG, then the bytes behind those of recipe.source. */
struct composed {
	struct tw_recipe recipe; /* first */
	struct content *png;
	uint64_t tail_offset; /* of these bytes */
};

/* Copies rows of w pixels to a spool. */
struct row_copier {
	struct spool *out;
	uint32_t w;
};

static int copy_begin(void *arg, uint32_t w, uint32_t, struct error *)
{
	((struct row_copier *)arg)->w = w;
	return 0;
}

static int copy_row(void *arg, uint32_t, const uint8_t *rgba, struct error *e)
{
	struct row_copier *c = arg;

	return spool_append(c->out, rgba, 4 * (size_t)c->w, e);
}

static int compose_image(struct tw_recipe *r, struct spool *out, struct error *e)
{
	const struct composed *c = (const struct composed *)r;
	struct row_copier p = {.out = out};
	struct png_sink sink = {.begin = copy_begin, .row = copy_row, .arg = &p};
	int k = png_decode(&c->png->bytes, &sink, e);

	return k < 0 || !r->source
		       ? k
		       : tw_append_part(r->source, c->tail_offset, r->source->size, out, e);
}

static void finish_image(struct tw_recipe *r)
{
	content_unref(((struct composed *)r)->png);
}

/* The blob whose bytes behind the pixels are kept: the old one, if the image keeps its size and the
 * blob is readable. NULL if there is nothing to keep. */
static struct blob *find_tail(const struct pixels *old, const struct scan *l)
{
	uint64_t at = 4 * (uint64_t)old->w * old->h;

	return l->w != old->w || l->h != old->h || at >= blob_size(old->blob) ||
			       blob_check(old->blob, NULL) == -EIO
		       ? NULL
		       : old->blob;
}

static int compose_pixels(const struct tw_map *m, const struct pixels *old, struct content *png,
	const struct scan *l, struct blob **ret, struct error *e)
{
	struct blob *tail = old->blob ? find_tail(old, l) : NULL;
	struct composed *c = calloc(1, sizeof(*c));
	uint64_t size = 4 * (uint64_t)l->w * l->h;

	if (c) {
		c->recipe = (struct tw_recipe){
			.source = blob_ref(tail), .compose = compose_image, .finish = finish_image};
		c->png = content_ref(png);
		c->tail_offset = size;
		*ret = tw_compose(m, &c->recipe, tail ? blob_size(tail) : size);
	}
	return c && *ret ? 0 : error_set(e, -ENOMEM, "out of memory");
}

static int scan_image(
	const struct pixels *old, const struct extent *png, struct scan *l, struct error *e)
{
	struct png_sink sink = {.begin = scan_begin, .row = scan_row, .arg = l};
	int r;

	l->old = old;
	r = png_decode(png, &sink, e);
	free(l->row);
	return r;
}

int tw_image_pixels(const struct tw_map *m, const struct extent *png, struct blob **ret,
	uint32_t *ret_w, uint32_t *ret_h, struct error *e)
{
	CLEANUP(content_unref) struct content *c = content_new(png);
	const struct pixels none = {0};
	struct scan l = {0};
	int r = c ? scan_image(&none, png, &l, e) : error_set(e, -ENOMEM, "out of memory");

	if (r == 0)
		r = compose_pixels(m, &none, c, &l, ret, e);
	if (r == 0) {
		*ret_w = l.w;
		*ret_h = l.h;
	}
	return r;
}

struct parsed_image {
	struct parsed parsed; /* first */
	struct blob *blob;    /* the pixels */
	uint32_t w, h;
	struct opacity opacity;
	struct blob *old_blob; /* the pixels of the base; NULL if it shows none */
	bool knows_old_opacity;
	struct opacity old_opacity; /* the opaque tiles of old_blob, if known */
};

static void finish_parsed(struct parsed *p)
{
	blob_unref(((struct parsed_image *)p)->blob);
	blob_unref(((struct parsed_image *)p)->old_blob);
}

static uint32_t reference_to(const struct tw_map *m, entry_id id)
{
	return (uint32_t)tw_ref_of(m, TW_SORT_IMAGE, tw_id_index(id));
}

static int parse_pixels(const struct tw_map *m, entry_id id, const struct pixels *old,
	struct content *in, struct parsed_image *p, struct error *e)
{
	struct scan l = {0};
	int r = scan_image(old, &in->bytes, &l, e);

	if (r < 0)
		return r;
	p->parsed.is_unchanged = l.is_same;
	p->w = l.w;
	p->h = l.h;
	p->opacity = l.opacity;
	p->old_blob = blob_ref(old->blob);
	if (l.is_same) {
		p->blob = blob_ref(old->blob);
		return 0;
	}
	/* If the old pixels are unreadable, the changed bits are unknown, so no bit changes. */
	if (old->blob && tw_opaque_is_used(m, reference_to(m, id))) {
		r = tw_opaque_read(old->blob, old->w, old->h, &p->old_opacity, e);
		if (r < 0 && r != -EIO)
			return r;
		p->knows_old_opacity = r == 0;
	}
	return compose_pixels(m, old, in, &l, &p->blob, e);
}

static int image_parse(const struct tw_map *m, entry_id id, struct content *in, struct parsed **ret,
	struct error *e)
{
	struct parsed_image *p;
	struct pixels old = {0};

	if (!tw_item_at(m, TW_IMAGE, tw_id_index(id)))
		return error_set(e, -ENOENT, "no such image");
	(void)find_pixels(m, id, &old, NULL);
	p = parsed_new(sizeof(*p), in, finish_parsed);
	if (!p)
		return error_set(e, -ENOMEM, "out of memory");
	return parsed_finish(&p->parsed, parse_pixels(m, id, &old, in, p, e), ret);
}

/* Set the item of an image that had no pixels, or none that could be shown. */
static void set_item(const struct tw_map *m, const struct tw_item *it, const struct parsed_image *p,
	struct tw_change *c)
{
	struct tw_ints *ints = tw_new_image_ints(m, it, false, (int32_t)p->w, (int32_t)p->h);

	if (ints && tw_get_int(it, TW_IMG_EXTERNAL, 1) == 0)
		ints->v[TW_IMG_DATA] = tw_get_int(it, TW_IMG_DATA, -1);
	tw_change_set_ints(c, (uint32_t)(it - m->items), ints);
}

static int image_apply(
	struct tw_change *c, entry_id id, const struct parsed *parsed, struct error *e)
{
	const struct parsed_image *p = (const struct parsed_image *)parsed;
	const struct tw_map *m = c->base;
	const struct tw_item *it = tw_item_at(m, TW_IMAGE, tw_id_index(id));
	struct pixels old = {0};
	struct tw_put_image put = {
		.image = tw_id_index(id), .parsed = (struct parsed *)(uintptr_t)parsed};
	uint32_t item;
	bool is_new;
	int r;

	if (!it)
		return error_set(e, -ENOENT, "no such image");
	(void)find_pixels(m, id, &old, NULL);
	if (old.blob == p->blob)
		return 0;
	item = (uint32_t)(it - m->items);
	is_new = !old.blob && it->made_name;
	put.old_pixels = old.blob;
	put.previous = c->previous;
	put.w = old.w;
	put.h = old.h;
	/* Tiles that refer to a new image were written together with it, with their OPAQUE bits. */
	r = is_new ? 0 : tw_map_put_image(c->result, &put);
	if (r < 0)
		return error_set(e, r, "out of memory");
	if (old.blob) {
		tw_change_set_int(c, item, TW_IMG_WIDTH, (int32_t)p->w);
		tw_change_set_int(c, item, TW_IMG_HEIGHT, (int32_t)p->h);
	} else {
		set_item(m, it, p, c);
	}
	tw_change_set_data(c, item, TW_IMG_DATA, blob_ref(p->blob));
	return 0;
}

/* Find the tiles that were opaque before. -EIO: the old pixels are unreadable, so no bit changes.
 * If the image had no pixels that could be shown, all bits may change. */
static int find_opacity_before(const struct tw_put_image *put, struct opacity *ret, struct error *e)
{
	const struct parsed_image *p = (const struct parsed_image *)put->parsed;
	const struct pixels old = {put->old_pixels, put->w, put->h};

	if (put->old_pixels && put->old_pixels == p->old_blob && p->knows_old_opacity) {
		*ret = p->old_opacity;
		return 0;
	}
	if (put->old_pixels)
		return tw_opaque_read(old.blob, old.w, old.h, ret, e);
	*ret = p->opacity;
	for (int i = 1; i < 256; i++)
		ret->opaque[i] = !ret->opaque[i];
	return 0;
}

static int derive_image(struct tw_change *c, const struct tw_put_image *put, struct error *e)
{
	const struct parsed_image *p = (const struct parsed_image *)put->parsed;
	uint32_t image = (uint32_t)tw_ref_of(c->base, TW_SORT_IMAGE, put->image);
	struct opacity before;
	int r;

	c->previous = put->previous;
	if (!tw_opaque_is_used(c->base, image))
		return 0;
	r = find_opacity_before(put, &before, e);
	if (r == -EIO)
		return error_clear(e), 0;
	return r < 0 ? r : tw_opaque_update(c->base, image, &before, &p->opacity, c, e);
}

int tw_images_derive(struct tw_change *c, struct error *e)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < c->result->n_put_images; i++)
		r = derive_image(c, &c->result->put_images[i], e);
	return r;
}

const struct tw_kind tw_kind_image_png = {
	.label = "image.png",
	.stat = image_stat,
	.size = image_size,
	.get = image_get,
	.parse = image_parse,
	.apply = image_apply,
};
