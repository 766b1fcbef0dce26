/* SPDX-License-Identifier: Zlib */
/*
 * words: names and options of the formats (formats/format.h) for the command line. A format option
 * is an option of -o that a format reads. Returned texts are freed by the caller; they are NULL if
 * memory is exhausted.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "formats/format.h"

/* Can --new make a map of this format? */
bool words_format_known(const char *name);
/* List the formats that --new can make: "a, b or c". */
char *words_formats(void);

/* Find a format option by its key. Returns NULL if no format has it. */
const struct format_setting *words_option(const char *key);
/* Is the value valid? If the option takes a file, each value is. */
bool words_value_known(const struct format_setting *o, const char *value);
/* List the values of an option: "a, b or c", or "0, or MIN to MAX"; "" for a file. */
char *words_values(const struct format_setting *o);

/* Print a line per format option for --help: KEY=VALUES, padded to `columns`, and its help. */
void words_print_options(FILE *out, int columns);
