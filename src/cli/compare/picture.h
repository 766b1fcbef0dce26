/* SPDX-License-Identifier: Zlib */
/* picture: two pictures side by side, and what of them differs. */
#ifndef CLI_COMPARE_PICTURE_H
#define CLI_COMPARE_PICTURE_H

#include <sys/types.h>

#include "cli/offline/reader.h"
#include "formats/preview.h"

/* A PNG file, read from its begin, as pixels, the caller's. -EINVAL: it is none; -EFBIG: it has too
 * many pixels. */
int picture_of_png(struct reader *png, struct picture *ret, struct error *e);
/* The old one, the new one, and the new one pale with what changed in red. */
int picture_compare(
	const struct picture *a, const struct picture *b, struct picture *ret, struct error *e);
/* Writes it as PNG to fd, which is empty. -errno, and perhaps the reason in e. */
int picture_put(int fd, const struct picture *p, struct error *e);
/* Writes it as a PNG file of that mode below dirfd, all or nothing; unless over, -EEXIST: there is
 * such a file. */
int picture_write(int dirfd, const char *name, const struct picture *p, mode_t mode, bool over,
	struct error *e);

#endif
