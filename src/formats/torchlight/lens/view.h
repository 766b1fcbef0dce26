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

/* As what a file is to be taken: none where it is shown and stored as it is. 0 or -ENOMEM. */
int tl_kind_of_file(const struct tl_map *m, uint32_t handle, enum compiled_kind *ret);

/* Its content, of which the view is known: a new reference. Takes its time. -EIO where the bytes
 * cannot be read is for whoever reads them: then the view is TL_BYTES. */
int tl_view_find(const struct tl_map *m, uint32_t handle, struct tl_content **ret, struct error *e);
/* The same without looking at it: is the size known that is shown? */
bool tl_view_known(const struct tl_map *m, uint32_t handle, uint64_t *ret_size);
/* The text of c, whose view is TL_TEXT. */
int tl_view_text(const struct tl_map *m, uint32_t handle, struct tl_content *c, struct bytes **ret,
	struct error *e);

/* From now on these names are known, too. */
int tl_names_add(struct names **names, const void *list, size_t size, struct error *e);
/* The dictionary for compiling: with the names that texts taught. Borrowed. */
int tl_map_names(const struct tl_map *m, struct names **ret, struct error *e);
/* ... without those, by which files are shown that nobody wrote. */
int tl_mount_names(const struct tl_map *m, struct names **ret, struct error *e);
