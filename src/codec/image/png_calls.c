/* SPDX-License-Identifier: Zlib */
#include "codec/image/png_calls.h"

#include <errno.h>
#include <stdlib.h>

void png_fail(png_structp png, png_const_charp reason)
{
	struct png_failure *f = png_get_error_ptr(png);

	if (!f->code)
		f->code = error_set(f->e, -EINVAL, "%s: %s", f->damage, reason);
	png_longjmp(png, 1);
}

void png_ignore_warning(png_structp, png_const_charp)
{
}

png_voidp png_allocate(png_structp png, png_alloc_size_t n)
{
	struct png_failure *f = png_get_mem_ptr(png);
	void *p = malloc(n);

	if (!p)
		f->code = error_set(f->e, -ENOMEM, "%s", f->shortage);
	return p;
}

void png_release(png_structp, png_voidp p)
{
	free(p);
}
