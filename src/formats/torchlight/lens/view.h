/* SPDX-License-Identifier: Zlib */
/*
 * view: how the mount shows files. A compiled file is shown as text if the text holds all of it;
 * any other file is shown as its bytes.
 *
 * The view of a file changes only when this file is written. Names that other texts teach are used
 * for compiling only.
 */
#pragma once

#include "formats/torchlight/model/map.h"

/* Get the content of a file, a new reference, and determine (*ret)->view. If that is TL_TEXT, also
 * get a new reference to the text; else *ret_text is unchanged (ret_text may be NULL). Slow.
 * -ENODATA: the handle has no content. -EIO: it has no valid block. If the bytes are damaged, this
 * succeeds with TL_BYTES, tl_content.note has the reason, and tl_content_read fails with -EIO. */
int tl_view_find(const struct tl_map *m, uint32_t handle, struct tl_content **ret,
	struct bytes **ret_text, struct error *e);
/* Get the size in the mount if the view was determined before; else return false. */
bool tl_view_known(const struct tl_map *m, uint32_t handle, uint64_t *ret_size);

/* Add a list, one name in a line, to *names: replace this reference, or NULL, by a new one. */
int tl_names_add(struct names **names, const void *list, size_t size, struct error *e);
/* Get the dictionary for compiling, with the names that texts taught; borrowed until m changes. */
int tl_map_names(const struct tl_map *m, struct names **ret, struct error *e);
/* Get the dictionary of the mount, for files that were not written; borrowed from m->shared. */
int tl_mount_names(const struct tl_map *m, struct names **ret, struct error *e);
