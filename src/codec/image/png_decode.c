/* SPDX-License-Identifier: Zlib */
#include "codec/image/png.h"

#include <errno.h>
#include <inttypes.h>
#include <png.h>
#include <string.h>

#include "codec/image/png_calls.h"
#include "codec/kind.h"

static const char shortage[] = "out of memory";

/* Deflate yields at most 258 bytes from 2 bits (RFC 1951, 3.2.5). */
enum { DEFLATE_RATIO = 1032, SIGNATURE = 8 };

struct png_reader {
	png_structp png;
	png_infop info;
	codec_read_fn read;
	void *arg;
	uint64_t size, pos;
	struct png_failure failure;
	uint32_t width, height;
	uint32_t y; /* of the next row */
	int passes;
	uint8_t *rows; /* one row, or all rows of an interlaced image */
	uint8_t *row;  /* the destination of read_row */
};

static void on_read(png_structp png, png_bytep dst, size_t n)
{
	struct png_reader *d = png_get_io_ptr(png);

	if (n > d->size - d->pos)
		png_error(png, "the file ends too early");
	d->failure.code = d->read(d->arg, d->pos, dst, n, d->failure.e);
	if (d->failure.code < 0)
		png_error(png, "");
	d->pos += n;
}

/* Call step. libpng jumps back to this function only; its failure outside of a step would abort the
 * process. */
static int call_guarded(struct png_reader *d, void (*step)(struct png_reader *d))
{
	if (setjmp(png_jmpbuf(d->png)))
		return d->failure.code;
	step(d);
	return 0;
}

/* Set libpng's input and limits. */
static void set_up_libpng(struct png_reader *d)
{
	png_set_read_fn(d->png, d, on_read);
	png_set_sig_bytes(d->png, SIGNATURE);
	png_set_user_limits(d->png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
	/* Chunks without pixels are skipped unread, so their size needs no limit. */
	png_set_keep_unknown_chunks(d->png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
	png_set_chunk_malloc_max(d->png, 0);
	png_set_chunk_cache_max(d->png, 0);
}

static void read_info(struct png_reader *d)
{
	png_read_info(d->png, d->info);
	d->width = png_get_image_width(d->png, d->info);
	d->height = png_get_image_height(d->png, d->info);
}

static void ask_for_rgba8(struct png_reader *d)
{
	png_byte type = png_get_color_type(d->png, d->info);

	/* Convert palettes and small samples to 8 bits, and tRNS to alpha. */
	png_set_expand(d->png);
	png_set_scale_16(d->png);
	if (!(type & PNG_COLOR_MASK_COLOR))
		png_set_gray_to_rgb(d->png);
	/* This has no effect on images with alpha. */
	png_set_add_alpha(d->png, 0xff, PNG_FILLER_AFTER);
	d->passes = png_set_interlace_handling(d->png);
	png_read_update_info(d->png, d->info);
	if (png_get_rowbytes(d->png, d->info) != (size_t)4 * d->width)
		png_error(d->png, "cannot convert the pixels to RGBA");
}

static void read_row(struct png_reader *d)
{
	png_read_row(d->png, d->row, NULL);
}

static void read_end(struct png_reader *d)
{
	png_read_end(d->png, NULL);
}

static int check_size(struct png_reader *d)
{
	uint64_t bits =
		(uint64_t)png_get_channels(d->png, d->info) * png_get_bit_depth(d->png, d->info);
	uint64_t pixels = (uint64_t)d->width * d->height;

	if (pixels > PNG_PIXELS_MAX / 4)
		return error_set(d->failure.e, -EINVAL,
			"PNG is %" PRIu32 "x%" PRIu32 " (at most %" PRIu64 " pixels)", d->width,
			d->height, PNG_PIXELS_MAX / 4);
	if (pixels * bits / 8 / DEFLATE_RATIO > d->size)
		return error_set(d->failure.e, -EINVAL,
			"PNG is damaged: %" PRIu64 " bytes are too few for %" PRIu32 "x%" PRIu32,
			d->size, d->width, d->height);
	return 0;
}

static size_t row_size(const struct png_reader *d)
{
	return (size_t)4 * d->width;
}

/* Allocate with calloc, so that pages are used only when rows arrive. */
static int make_rows(struct png_reader *d)
{
	d->rows = calloc(d->passes > 1 ? d->height : 1, row_size(d));
	return d->rows ? 0 : error_set(d->failure.e, -ENOMEM, "out of memory");
}

static int read_passes(struct png_reader *d)
{
	int r = 0;

	for (int pass = 0; pass < d->passes; pass++)
		for (uint32_t y = 0; r == 0 && y < d->height; y++) {
			d->row = d->rows + y * row_size(d);
			r = call_guarded(d, read_row);
		}
	return r == 0 ? call_guarded(d, read_end) : r;
}

static int next_plain(struct png_reader *d)
{
	int r;

	d->row = d->rows;
	r = call_guarded(d, read_row);
	return r == 0 && d->y + 1 == d->height ? call_guarded(d, read_end) : r;
}

int png_reader_row(struct png_reader *d, const uint8_t **ret_rgba, struct error *e)
{
	struct error unwanted = ERROR_INIT;
	bool interlaced = d->passes > 1;
	int r;

	d->failure.e = e ? e : &unwanted;
	r = !interlaced ? next_plain(d) : d->y ? 0 : read_passes(d);
	if (r == 0)
		*ret_rgba = d->rows + (interlaced ? d->y * row_size(d) : 0);
	d->y++;
	return r;
}

static int begin_rows(struct png_reader *d)
{
	int r = call_guarded(d, set_up_libpng);

	if (r == 0)
		r = call_guarded(d, read_info);
	if (r == 0)
		r = check_size(d);
	if (r == 0)
		r = call_guarded(d, ask_for_rgba8);
	return r == 0 ? make_rows(d) : r;
}

/* Create libpng's structs. Only these calls of libpng report a failure by their result. */
static int make_structs(struct png_reader *d)
{
	d->png = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, &d->failure, png_fail,
		png_ignore_warning, &d->failure, png_allocate, png_release);
	d->info = d->png ? png_create_info_struct(d->png) : NULL;
	return d->info ? 0 : error_set(d->failure.e, -ENOMEM, "%s", shortage);
}

/* Refuse a file that is no PNG: "is a JPEG image, not a PNG". */
static int refuse_other_kind(const uint8_t *head, size_t n, struct error *e)
{
	const char *kind = file_kind(head, n);

	return kind ? error_set(e, -EINVAL, "is %s, not a PNG", kind)
		    : error_set(e, -EINVAL, "not a PNG");
}

static int check_signature(struct png_reader *d)
{
	uint8_t head[KIND_HEAD] = {0};
	size_t n = d->size < KIND_HEAD ? (size_t)d->size : KIND_HEAD;
	int r = d->read(d->arg, 0, head, n < SIGNATURE ? n : SIGNATURE, d->failure.e);

	/* Do not read the signature twice: read may go forward only. */
	if (r >= 0 && png_sig_cmp(head, 0, SIGNATURE) == 0) {
		d->pos = SIGNATURE;
		return 0;
	}
	if (r >= 0 && n > SIGNATURE)
		r = d->read(d->arg, SIGNATURE, head + SIGNATURE, n - SIGNATURE, d->failure.e);
	return r < 0 ? r : refuse_other_kind(head, n, d->failure.e);
}

void png_reader_close(struct png_reader *d)
{
	if (!d)
		return;
	png_destroy_read_struct(&d->png, &d->info, NULL);
	free(d->rows);
	free(d);
}

int png_reader_open(codec_read_fn read, void *arg, uint64_t size, struct png_reader **ret,
	uint32_t *ret_width, uint32_t *ret_height, struct error *e)
{
	struct error unwanted = ERROR_INIT;
	CLEANUP(png_reader_close) struct png_reader *d = calloc(1, sizeof(*d));
	int r;

	if (!d)
		return error_set(e, -ENOMEM, "%s", shortage);
	*d = (struct png_reader){.read = read,
		.arg = arg,
		.size = size,
		.failure = {e ? e : &unwanted, 0, "PNG is damaged", shortage}};
	r = check_signature(d);
	if (r == 0)
		r = make_structs(d);
	if (r == 0)
		r = begin_rows(d);
	if (r < 0)
		return r;
	*ret_width = d->width;
	*ret_height = d->height;
	*ret = TAKE(d);
	return 0;
}

int png_decode(const struct extent *x, const struct png_sink *sink, struct error *e)
{
	CLEANUP(png_reader_close) struct png_reader *d = NULL;
	struct extent mine = *x; /* borrowed */
	const uint8_t *rgba;
	uint32_t w, h;
	int r = png_reader_open(extent_read_fn, &mine, x->size, &d, &w, &h, e);

	if (r == 0 && sink->begin)
		r = sink->begin(sink->arg, w, h, e);
	for (uint32_t y = 0; r == 0 && y < h; y++) {
		r = png_reader_row(d, &rgba, e);
		if (r == 0)
			r = sink->row(sink->arg, y, rgba, e);
	}
	return r;
}
