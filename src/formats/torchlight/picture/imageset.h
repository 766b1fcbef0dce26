/* SPDX-License-Identifier: Zlib */
/*
 * imageset: which rectangles of a texture have names.
 *
 *	<Imageset Name="Sheet" Imagefile="media/ui/sheet.dds" ...>
 *		<Image Name="frame" XPos="773" YPos="830" Width="244" Height="69" />
 *	</Imageset>
 */
#pragma once

#include "base/buffer.h"

struct imageset_cut {
	uint32_t x, y, w, h;
};

/* Append the path of the texture to ret_file; with cut (a name in any case, or NULL) *ret_cut is
 * that part. -EINVAL: it is no image set, or a number is none. -ENOENT: it has no such part. */
int imageset_find(const struct bytes *xml, const char *cut, struct buffer *ret_file,
	struct imageset_cut *ret_cut, struct error *e);
