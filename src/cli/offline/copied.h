/* SPDX-License-Identifier: Zlib */
/*
 * copied: which files of a map were written, and from where. By numbers (upper.number): names that
 * differ may be one file (in archives, where the case of letters does not count).
 */
#ifndef CLI_OFFLINE_COPIED_H
#define CLI_OFFLINE_COPIED_H

#include <stddef.h>
#include <stdint.h>

struct copied {
	char **from; /* by number; NULL: it was not copied */
	size_t n, room;
};

/* Where the file or directory was copied from; NULL: it was not. */
const char *copied_from(const struct copied *c, uint64_t number);
/* -ENOMEM. */
int copied_add(struct copied *c, uint64_t number, const char *path);
void copied_finish(struct copied *c);

#endif
