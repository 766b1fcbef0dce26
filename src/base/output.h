/* SPDX-License-Identifier: Zlib */
/*
 * output: standard output, which may be full, closed, or a pipe without a reader. A command must
 * not use both stdio and output_write on it, because the order would be undefined.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"

/* Find out whether standard output is a terminal. The sandbox forbids that: call it before. */
void output_begin(void);
bool output_is_terminal(void);
/* Write all n bytes. The first failure prints a line on standard error. */
int output_write(const void *data, size_t n);
/* Write a text and empty the buffer. On a terminal the text is escaped by append_escaped (print.h),
 * so it must consist of whole characters. -ENOMEM, without a line, if the buffer has failed. */
int output_text(struct buffer *text);
/* Print a line of a report by print_line (print.h), which uses stdio and adds the newline. If
 * standard output fails, print it on standard error. A closed one (EBADF) is no failure here. */
void output_report(const char *fmt, ...) PRINTF_LIKE(1, 2);
/* Print all lines of a buffer that end with a newline as output_report does. Empty the buffer. */
void output_report_lines(struct buffer *lines);
/* Flush standard output at the end of a command. Returns its exit code `code`. If that is 0 and
 * standard output failed, returns report_lost if the first missing bytes were a line of
 * output_report, and output_lost otherwise. */
int output_finish(int code, int report_lost, int output_lost);
