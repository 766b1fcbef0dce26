/* SPDX-License-Identifier: Zlib */
/* png_writer: write 8-bit RGBA pixels as a compressed PNG file, row by row. Memory is a few rows.
 * (png_pack.h makes any part of a file from the pixels of a blob.) */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/error.h"

struct png_writer;
/* Append n bytes to the file. A negative errno stops the writer, which returns it. */
typedef int (*png_write_fn)(void *arg, const void *data, size_t n, struct error *e);

/* Open a writer, and write the head of the file. png_writer_row calls write, too. The caller
 * closes *ret, also after a row failed. -EINVAL: libpng refuses the size. */
int png_writer_open(png_write_fn write, void *arg, uint32_t width, uint32_t height,
	struct png_writer **ret, struct error *e);
/* Write the next row, of 4 * width bytes. Row number `height` completes the file; write no more. */
int png_writer_row(struct png_writer *d, const uint8_t *rgba, struct error *e);
void png_writer_close(struct png_writer *d); /* NULL is fine */
DEFINE_CLEANUP(struct png_writer, png_writer_close);
