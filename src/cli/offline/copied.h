/* SPDX-License-Identifier: Zlib */
/*
 * copied: which files of a map were written, and from where. By numbers (upper.number): names that
 * differ may be one file (in archives, where the case of letters does not count).
 */
#ifndef CLI_OFFLINE_COPIED_H
#define CLI_OFFLINE_COPIED_H

#include "base/hash.h"

struct copied {
	struct hash all;
};

/* Where the file or directory was copied from; NULL: it was not. */
const char *copied_from(const struct copied *c, uint64_t number);
/* -ENOMEM. */
int copied_add(struct copied *c, uint64_t number, const char *path);
/* All of them, in no order. */
void copied_each(const struct copied *c, void (*fn)(void *arg, const char *path), void *arg);
void copied_finish(struct copied *c);

#endif
