/* SPDX-License-Identifier: Zlib */
/* png_calls: callbacks of libpng for failures and allocation, for reading and writing. */
#pragma once

#include <png.h>

#include "base/error.h"

struct png_failure {
	struct error *e; /* of the current call; may be NULL */
	int code;        /* 0, or the first -errno */
	/* The messages for -EINVAL, before libpng's reason, and for -ENOMEM. */
	const char *damage, *shortage;
};

/* The error function: set code to -EINVAL and e to "damage: reason", unless they are set, and jump
 * to png_jmpbuf. Its error pointer and png_allocate's memory pointer are the struct png_failure. */
_Noreturn void png_fail(png_structp png, png_const_charp reason);
void png_ignore_warning(png_structp png, png_const_charp reason);
/* If memory is exhausted, return NULL, and set code to -ENOMEM and e to `shortage`. */
png_voidp png_allocate(png_structp png, png_alloc_size_t n);
void png_release(png_structp png, png_voidp p);
