/* SPDX-License-Identifier: Zlib */
/*
 * output: standard output, which may be full, closed, or a pipe that nobody reads any more. What is
 * printed by stdio and what is written here must not be mixed in one command.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"

/* Before the sandbox, from within which a terminal is not known. */
void output_begin(void);
bool output_is_terminal(void);
/* All of it. -errno after a line on stderr, which is there once. */
int output_write(const void *data, size_t n);
/* The same of whole characters of a text, which on a terminal are visible (say.h), and are then
 * forgotten. */
int output_text(struct buffer *text);
/* A line of a report of what is done already, which is not lost: where standard output does not
 * take it, it is on stderr. */
void output_report(const char *fmt, ...) PRINTF_LIKE(1, 2);
/* The same of several lines, which are then forgotten. */
void output_reports(struct buffer *lines);
/* Flush standard output at the end of a command, whose exit code is `code`. Returns `code`. If that
 * is 0 and standard output did not take everything, returns report_lost if only lines of
 * output_report are missing, and output_lost otherwise. */
int output_end(int code, int report_lost, int output_lost);
