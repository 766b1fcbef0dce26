/* SPDX-License-Identifier: Zlib */
/*
 * say: what people read, on a terminal or in a log.
 *
 * Names and texts come from maps, journals and archives, and a terminal obeys control characters.
 */
#ifndef BASE_SAY_H
#define BASE_SAY_H

#include <stdio.h>

#include "base/error.h"

/* Control characters, and what is no UTF-8, become question marks, in place. Returns s. */
char *printable(char *s);

/* A line, printable, and its newline. */
void say(FILE *out, const char *fmt, ...) PRINTF_LIKE(2, 3);

#endif
