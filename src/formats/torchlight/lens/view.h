/* SPDX-License-Identifier: Zlib */
/*
 * view: how the files of an archive are shown: a compiled one as its text where that says all of
 * it, every other as its bytes.
 *
 * How a file is shown holds still until it is written itself: names that other texts teach are for
 * compiling alone.
 */
#pragma once

#include "formats/torchlight/model/map.h"

/* Its content, of which the view is known: a new reference; and where that is TL_TEXT the text
 * (ret_text may be NULL). Takes its time. -EIO where the bytes cannot be read is for whoever reads
 * them: then the view is TL_BYTES. */
int tl_view_find(const struct tl_map *m, uint32_t handle, struct tl_content **ret,
	struct bytes **ret_text, struct error *e);
/* The same without looking at it: is the size known that is shown? */
bool tl_view_known(const struct tl_map *m, uint32_t handle, uint64_t *ret_size);

/* From now on these names are known, too. */
int tl_names_add(struct names **names, const void *list, size_t size, struct error *e);
/* The dictionary for compiling: with the names that texts taught. Borrowed. */
int tl_map_names(const struct tl_map *m, struct names **ret, struct error *e);
/* ... without those, by which files are shown that nobody wrote. */
int tl_mount_names(const struct tl_map *m, struct names **ret, struct error *e);
