/* SPDX-License-Identifier: Zlib */
#include "base/output.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "base/disk/io.h"
#include "base/print.h"

static bool failed, reports_failed, terminal;

void output_begin(void)
{
	terminal = isatty(STDOUT_FILENO);
}

bool output_is_terminal(void)
{
	return terminal;
}

static void report_failure(const char *reason)
{
	if (!failed)
		print_line(stderr, "mapfs: standard output: %s", reason);
	failed = true;
}

int output_write(const void *data, size_t n)
{
	int r = io_write(STDOUT_FILENO, data, n);

	if (r < 0)
		report_failure(strerror(-r));
	return r < 0 ? r : 0;
}

int output_text(struct buffer *text)
{
	CLEANUP_BUFFER struct buffer visibly = BUFFER_INIT;
	const struct buffer *shown = terminal ? &visibly : text;
	int r;

	if (terminal)
		append_escaped(text->data, text->size, &visibly);
	r = text->error || shown->error ? -ENOMEM : output_write(shown->data, shown->size);
	text->size = 0;
	return r;
}

/* Note that a report line failed. A closed standard output (EBADF) is what the user asked for. */
static void note_lost_report(void)
{
	if (errno != EBADF && !failed) {
		report_failure(strerror(errno));
		reports_failed = true;
	}
	clearerr(stdout);
}

void output_report(const char *fmt, ...)
{
	CLEANUP(free) char *line = NULL;
	va_list ap;

	va_start(ap, fmt);
	line = text_vprintf(fmt, ap);
	va_end(ap);
	print_line(stdout, "%s", line ? line : "out of memory");
	if (fflush(stdout) == 0)
		return;
	note_lost_report();
	print_line(stderr, "%s", line ? line : "out of memory");
}

void output_report_lines(struct buffer *lines)
{
	const char *text = (const char *)lines->data, *eol;
	size_t at = 0;

	while (at < lines->size && (eol = memchr(text + at, '\n', lines->size - at))) {
		output_report("%.*s", (int)(eol - text) - (int)at, text + at);
		at = (size_t)(eol - text) + 1;
	}
	lines->size = 0;
}

int output_finish(int code, int report_lost, int output_lost)
{
	/* If an earlier write failed, stdio has not kept the reason. */
	if (fflush(stdout) != 0)
		report_failure(strerror(errno));
	else if (ferror(stdout))
		report_failure("incomplete write");
	if (!failed || code != 0)
		return code;
	return reports_failed ? report_lost : output_lost;
}
