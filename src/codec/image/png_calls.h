/* SPDX-License-Identifier: Zlib */
/* png_calls: what libpng calls to report a failure and to allocate, for reading and writing alike.
 */
#pragma once

#include <png.h>

#include "base/error.h"

struct png_failure {
	struct error *e; /* of the call; may be NULL */
	int code;        /* 0, or the first -errno */
	/* Messages: before the reason that libpng gives (-EINVAL), and for -ENOMEM. */
	const char *damage, *shortage;
};

/* The error function: set code and e, unless another function has, and jump to png_jmpbuf. Its
 * pointer, as that of png_allocate, is the struct png_failure. */
_Noreturn void png_fail(png_structp png, png_const_charp reason);
void png_ignore_warning(png_structp png, png_const_charp reason);
png_voidp png_allocate(png_structp png, png_alloc_size_t n);
void png_release(png_structp png, png_voidp p);
