/* SPDX-License-Identifier: Zlib */
/*
 * lines: texts that the worker sent and that are needed once more.
 */
#ifndef CLI_LINES_H
#define CLI_LINES_H

#include <stdbool.h>
#include <stddef.h>

/* What a worker may make us remember. */
enum { LINES_MAX = 1 << 12 };

struct lines {
	char **at; /* n strings and a NULL; NULL itself while nothing was added */
	size_t n;
};

/* False where there are LINES_MAX, or memory is short: the line is then not kept. */
bool lines_add(struct lines *l, const char *text);
bool lines_has(const struct lines *l, const char *text);
void lines_clear(struct lines *l);

#endif
