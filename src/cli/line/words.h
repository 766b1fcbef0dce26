/* SPDX-License-Identifier: Zlib */
/*
 * words: what the table of formats (formats/format.h) has for the command line: the names that
 * --format takes, and the options of -o that formats read.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "formats/format.h"

/* Can --new make a map of this format? */
bool words_format_known(const char *name);
/* All that it can make, "a, b or c". The caller frees it; NULL: no memory. */
char *words_formats(void);

/* The option with this key, whichever format reads it; NULL: none does. */
const struct format_setting *words_option(const char *key);
/* Is it one of those that it may be? Of a file any is. */
bool words_value_known(const struct format_setting *o, const char *value);
/* Its values, "a, b or c". The caller frees it; NULL: no memory. */
char *words_values(const struct format_setting *o);

/* A line for each option, as --help shows it: two blanks, the option in so many columns, its help.
 */
void words_print_options(FILE *out, int columns);
