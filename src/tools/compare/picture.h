/* SPDX-License-Identifier: Zlib */
/* picture: two pictures side by side, and what of them differs. */
#pragma once

#include <sys/types.h>

#include "formats/preview.h"
#include "tools/compare/review.h"
#include "vfs/offline/reader.h"

/* A PNG file, read from its begin, as pixels, the caller's. -EINVAL: it is none; -EFBIG: it has too
 * many pixels. */
int picture_of_png(struct reader *png, struct picture *ret, struct error *e);
/* How what was added, removed and changed is marked: green, red and turquoise. */
enum { PICTURE_PIXEL = 4, PICTURE_GAP = 8 /* pixels between two pictures */ };
extern const uint8_t picture_marks[REVIEW_MARKS][PICTURE_PIXEL];
/* The old one, the new one, and the new one pale with the marks. A pixel that is transparent, or
 * beyond the sides, is not there. */
int picture_compare(
	const struct picture *a, const struct picture *b, struct picture *ret, struct error *e);
/* Both beside each other. The caller may draw into ret_pixels until it shares the picture. */
int picture_beside(const struct picture *a, const struct picture *b, struct picture *ret,
	uint8_t **ret_pixels, struct error *e);
/* Write a picture as a compressed PNG file to fd, which is empty. -errno, and perhaps the reason in
 * e. */
int picture_put(int fd, const struct picture *p, struct error *e);
/* Write a PNG file of that mode below dirfd, all or nothing. over: replace an existing file, which
 * is -EEXIST otherwise. */
int picture_write(int dirfd, const char *name, const struct picture *p, mode_t mode, bool over,
	struct error *e);
/* Write the comparison of two PNG files like picture_write, without `over`. Memory is a few rows of
 * them, so they may be larger than a picture in memory. -EINVAL: one of them is no PNG file, or
 * they have too many pixels. */
int picture_write_compared(int dirfd, const char *name, struct reader *a, struct reader *b,
	mode_t mode, struct error *e);
