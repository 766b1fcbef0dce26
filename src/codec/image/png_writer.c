/* SPDX-License-Identifier: Zlib */
#include "codec/image/png_writer.h"

#include <errno.h>
#include <png.h>
#include <stdlib.h>

#include "codec/image/png_calls.h"

static const char shortage[] = "out of memory";

struct png_writer {
	png_structp png;
	png_infop info;
	png_write_fn write;
	void *arg;
	struct png_failure failure;
	uint32_t width, height;
	uint32_t y; /* of the next row */
	const uint8_t *row;
};

static void on_write(png_structp png, png_bytep data, size_t n)
{
	struct png_writer *d = png_get_io_ptr(png);

	d->failure.code = d->write(d->arg, data, n, d->failure.e);
	if (d->failure.code < 0)
		png_error(png, "");
}

static void on_flush(png_structp)
{
}

/* Call step. libpng jumps back to this function only. */
static int call_guarded(struct png_writer *d, void (*step)(struct png_writer *d))
{
	if (setjmp(png_jmpbuf(d->png)))
		return d->failure.code;
	step(d);
	return 0;
}

static void write_head(struct png_writer *d)
{
	png_set_user_limits(d->png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
	png_set_IHDR(d->png, d->info, d->width, d->height, 8, PNG_COLOR_TYPE_RGB_ALPHA,
		PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
	png_set_filter(d->png, PNG_FILTER_TYPE_BASE, PNG_FILTER_NONE);
	png_write_info(d->png, d->info);
}

static void write_pixel_row(struct png_writer *d)
{
	png_write_row(d->png, d->row);
	if (d->y + 1 == d->height)
		png_write_end(d->png, d->info);
}

int png_writer_row(struct png_writer *d, const uint8_t *rgba, struct error *e)
{
	int r;

	d->failure.e = e;
	d->row = rgba;
	r = call_guarded(d, write_pixel_row);
	d->y++;
	return r;
}

void png_writer_close(struct png_writer *d)
{
	if (!d)
		return;
	png_destroy_write_struct(&d->png, &d->info);
	free(d);
}

int png_writer_open(png_write_fn write, void *arg, uint32_t width, uint32_t height,
	struct png_writer **ret, struct error *e)
{
	CLEANUP(png_writer_close) struct png_writer *d = calloc(1, sizeof(*d));
	int r;

	if (!d)
		return error_set(e, -ENOMEM, "%s", shortage);
	*d = (struct png_writer){.write = write,
		.arg = arg,
		.failure = {e, 0, "cannot write the PNG", shortage},
		.width = width,
		.height = height};
	d->png = png_create_write_struct_2(PNG_LIBPNG_VER_STRING, &d->failure, png_fail,
		png_ignore_warning, &d->failure, png_allocate, png_release);
	d->info = d->png ? png_create_info_struct(d->png) : NULL;
	if (!d->info)
		return error_set(e, -ENOMEM, "%s", shortage);
	png_set_write_fn(d->png, d, on_write, on_flush);
	r = call_guarded(d, write_head);
	if (r == 0)
		*ret = TAKE(d);
	return r;
}
