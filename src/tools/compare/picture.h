/* SPDX-License-Identifier: Zlib */
/* picture: show two pictures side by side, and the pixels that differ. A struct picture owns its
 * pixels: the caller drops them (bytes_unref(ret->rgba)). */
#pragma once

#include <sys/types.h>

#include "formats/preview.h"
#include "tools/compare/review.h"
#include "vfs/offline/reader.h"

/* Decode a PNG file from its beginning. -EINVAL: no PNG file. -EFBIG: too many pixels. */
int picture_of_png(struct reader *png, struct picture *ret, struct error *e);
enum { PICTURE_PIXEL = 4 /* bytes: RGBA */, PICTURE_GAP = 8 /* pixels between two pictures */ };
/* Colors of marks: added is green, removed is red, changed is turquoise. */
extern const uint8_t picture_marks[REVIEW_MARKS][PICTURE_PIXEL];
/* Make a picture of three panels: the old picture, the new one, and a pale copy of the new one with
 * marks. A transparent pixel counts as missing, like one outside of it. -EINVAL: too large. */
int picture_compare(
	const struct picture *a, const struct picture *b, struct picture *ret, struct error *e);
/* Put two pictures side by side. *ret_pixels (ret_pixels is not NULL): the pixels of *ret, which
 * the caller may change until another one has a reference to them. -EINVAL: too large. */
int picture_beside(const struct picture *a, const struct picture *b, struct picture *ret,
	uint8_t **ret_pixels, struct error *e);
/* Write a picture as a compressed PNG file to an empty file. e may stay unset on failure. */
int picture_put(int fd, const struct picture *p, struct error *e);
/* Write a PNG file, all or nothing. over: replace an existing file, else it gives -EEXIST. */
int picture_write(int dirfd, const char *name, const struct picture *p, mode_t mode, bool over,
	struct error *e);
/* Write the comparison of two PNG files (picture_compare), without replacing a file. It keeps only
 * a few rows in memory, so the files may be larger than a struct picture allows. -EINVAL: one is no
 * PNG file, or they have too many pixels. */
int picture_write_compared(int dirfd, const char *name, struct reader *a, struct reader *b,
	mode_t mode, struct error *e);
