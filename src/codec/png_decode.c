/* SPDX-License-Identifier: Zlib */
#include "codec/png.h"

#include <errno.h>
#include <inttypes.h>
#include <png.h>
#include <string.h>

/* Deflate yields at most 258 bytes from 2 bits (RFC 1951, 3.2.5): what claims more lies. */
enum { DEFLATE_RATIO = 1032, SIGNATURE = 8 };

struct decoder {
	png_structp png;
	png_infop info;
	const struct extent *x;
	uint64_t pos;
	struct error *e;
	int code; /* of a failure that is not the PNG's fault */
	uint32_t width, height;
	int passes;
	uint8_t *row; /* where read_row reads to */
};

/* libpng leaves its functions by a jump, which ends in guarded. */
static _Noreturn void on_error(png_structp png, png_const_charp why)
{
	struct decoder *d = png_get_error_ptr(png);

	if (!d->code) {
		d->code = -EINVAL;
		error_set(d->e, d->code, "PNG is damaged: %s", why);
	}
	png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp why)
{
	(void)png;
	(void)why;
}

static png_voidp on_malloc(png_structp png, png_alloc_size_t n)
{
	struct decoder *d = png_get_mem_ptr(png);
	void *p = malloc(n);

	if (!p)
		d->code = error_set(d->e, -ENOMEM, "no memory to read the PNG");
	return p;
}

static void on_free(png_structp png, png_voidp p)
{
	(void)png;
	free(p);
}

static void on_read(png_structp png, png_bytep dst, size_t n)
{
	struct decoder *d = png_get_io_ptr(png);

	if (n > d->x->size - d->pos)
		png_error(png, "the file ends too early");
	d->code = extent_read(d->x, d->pos, dst, n, d->e);
	if (d->code < 0)
		png_error(png, "");
	d->pos += n;
}

/* Calls step; the only function that libpng jumps back to. */
static int guarded(struct decoder *d, void (*step)(struct decoder *d))
{
	if (setjmp(png_jmpbuf(d->png)))
		return d->code;
	step(d);
	return 0;
}

static void read_info(struct decoder *d)
{
	png_read_info(d->png, d->info);
	d->width = png_get_image_width(d->png, d->info);
	d->height = png_get_image_height(d->png, d->info);
}

static void ask_for_rgba8(struct decoder *d)
{
	png_byte type = png_get_color_type(d->png, d->info);

	/* Palettes and small samples to 8 bits, tRNS to alpha. */
	png_set_expand(d->png);
	png_set_scale_16(d->png);
	if (!(type & PNG_COLOR_MASK_COLOR))
		png_set_gray_to_rgb(d->png);
	/* Has no effect where there is alpha already. */
	png_set_add_alpha(d->png, 0xff, PNG_FILLER_AFTER);
	d->passes = png_set_interlace_handling(d->png);
	png_read_update_info(d->png, d->info);
	if (png_get_rowbytes(d->png, d->info) != (size_t)4 * d->width)
		png_error(d->png, "its pixels do not become RGBA");
}

static void read_row(struct decoder *d)
{
	png_read_row(d->png, d->row, NULL);
}

static void read_end(struct decoder *d)
{
	png_read_end(d->png, NULL);
}

static int check_size(struct decoder *d)
{
	uint64_t bits =
		(uint64_t)png_get_channels(d->png, d->info) * png_get_bit_depth(d->png, d->info);
	uint64_t pixels = (uint64_t)d->width * d->height;

	if (pixels > PNG_PIXELS_MAX / 4)
		return error_set(d->e, -EINVAL,
			"PNG is %" PRIu32 "x%" PRIu32 " (at most %" PRIu64 " pixels)", d->width,
			d->height, PNG_PIXELS_MAX / 4);
	if (pixels * bits / 8 / DEFLATE_RATIO > d->x->size)
		return error_set(d->e, -EINVAL,
			"PNG is damaged: %" PRIu64 " bytes are too few for %" PRIu32 "x%" PRIu32,
			d->x->size, d->width, d->height);
	return 0;
}

static int read_plain(struct decoder *d, const struct png_sink *sink)
{
	CLEANUP(free) uint8_t *row = malloc((size_t)4 * d->width);
	int r;

	if (!row)
		return error_set(d->e, -ENOMEM, "no memory for a row");
	d->row = row;
	for (uint32_t y = 0; y < d->height; y++) {
		r = guarded(d, read_row);
		if (r < 0)
			return r;
		r = sink->row(sink->arg, y, row, d->e);
		if (r < 0)
			return r;
	}
	return guarded(d, read_end);
}

static int read_interlaced(struct decoder *d, const struct png_sink *sink)
{
	size_t row = (size_t)4 * d->width;
	/* calloc, so that memory is used only as rows arrive. */
	CLEANUP(free) uint8_t *image = calloc(d->height, row);
	int r;

	if (!image)
		return error_set(d->e, -ENOMEM, "no memory for the image");
	for (int pass = 0; pass < d->passes; pass++) {
		for (uint32_t y = 0; y < d->height; y++) {
			d->row = image + y * row;
			r = guarded(d, read_row);
			if (r < 0)
				return r;
		}
	}
	r = guarded(d, read_end);
	for (uint32_t y = 0; r == 0 && y < d->height; y++)
		r = sink->row(sink->arg, y, image + y * row, d->e);
	return r;
}

static int decode(struct decoder *d, const struct png_sink *sink)
{
	int r = guarded(d, read_info);

	if (r < 0)
		return r;
	r = check_size(d);
	if (r < 0)
		return r;
	r = guarded(d, ask_for_rgba8);
	if (r < 0)
		return r;
	r = sink->begin ? sink->begin(sink->arg, d->width, d->height, d->e) : 0;
	if (r < 0)
		return r;
	return d->passes > 1 ? read_interlaced(d, sink) : read_plain(d, sink);
}

/* Makes libpng's structs; what it takes for an image and its limits. */
static int prepare(struct decoder *d)
{
	d->png = png_create_read_struct_2(
		PNG_LIBPNG_VER_STRING, d, on_error, on_warning, d, on_malloc, on_free);
	d->info = d->png ? png_create_info_struct(d->png) : NULL;
	if (!d->info)
		return error_set(d->e, -ENOMEM, "no memory to read the PNG");
	png_set_read_fn(d->png, d, on_read);
	png_set_user_limits(d->png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
	/* Chunks that are no pixels are skipped unread, so their size needs no limit. */
	png_set_keep_unknown_chunks(d->png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
	png_set_chunk_malloc_max(d->png, 0);
	png_set_chunk_cache_max(d->png, 0);
	return 0;
}

int png_decode(const struct extent *x, const struct png_sink *sink, struct error *e)
{
	struct error unwanted = ERROR_INIT;
	struct decoder d = {.x = x, .e = e ? e : &unwanted};
	uint8_t signature[SIGNATURE];
	int r;

	if (x->size < SIGNATURE)
		return error_set(e, -EINVAL, "not a PNG");
	r = extent_read(x, 0, signature, SIGNATURE, e);
	if (r < 0)
		return r;
	if (png_sig_cmp(signature, 0, SIGNATURE) != 0)
		return error_set(e, -EINVAL, "not a PNG");
	r = prepare(&d);
	if (r == 0)
		r = decode(&d, sink);
	png_destroy_read_struct(&d.png, &d.info, NULL);
	return r;
}
