/* SPDX-License-Identifier: Zlib */
/* imageset: find a named rectangle of a texture in an .IMAGESET file. */
#pragma once

#include "base/buffer.h"

struct imageset_cut {
	uint32_t x, y, w, h; /* pixels; may reach past the texture */
};

/* Append the path of the texture in the archive, as the XML has it, without a NUL, to ret_file.
 * cut: the name of a part in any case, which *ret_cut then describes; NULL: ret_cut is not used.
 * -EINVAL: not an image set, or an invalid number. -ENOENT: no such part. */
int imageset_find(const struct bytes *xml, const char *cut, struct buffer *ret_file,
	struct imageset_cut *ret_cut, struct error *e);
