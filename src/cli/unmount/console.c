/* SPDX-License-Identifier: Zlib */
#include "cli/unmount/console.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/output.h"
#include "base/print.h"

enum {
	LINES_MAX = 1 << 12, /* limits the memory that a faulty worker can use up */
	PROGRESS_AFTER_MS = 1000,
	PROGRESS_EACH_MS = 500,
};

static void clear_progress(struct console *c)
{
	if (c->is_drawn)
		fputs("\r\033[K", stderr);
	c->is_drawn = false;
}

void console_finish(struct console *c)
{
	clear_progress(c);
	names_finish(&c->printed);
}

void console_say(struct console *c, const char *fmt, ...)
{
	CLEANUP(free) char *line = NULL;
	va_list ap;

	clear_progress(c);
	va_start(ap, fmt);
	line = text_vprintf(fmt, ap);
	va_end(ap);
	if (line)
		print_line(stderr, "mapfs: %s: %s", c->name, line);
}

void console_report(struct console *c, const char *fmt, ...)
{
	CLEANUP(free) char *line = NULL;
	va_list ap;

	va_start(ap, fmt);
	line = text_vprintf(fmt, ap);
	va_end(ap);
	if (!line || names_contain(&c->printed, replace_unprintable(line)))
		return;
	if (c->printed.n < LINES_MAX)
		(void)names_add(&c->printed, line);
	c->has_saved |= strncmp(line, "saved: ", 7) == 0 || strncmp(line, "removed: ", 9) == 0;
	clear_progress(c);
	output_report(
		"%s%s%s", c->is_one_of_many ? c->name : "", c->is_one_of_many ? ": " : "", line);
}

void console_progress(
	struct console *c, const char *verb, const struct control_msg *m, int64_t elapsed_ms)
{
	if (!c->shows_progress || elapsed_ms < PROGRESS_AFTER_MS ||
		elapsed_ms - c->drawn_ms < PROGRESS_EACH_MS)
		return;
	fprintf(stderr, "\rmapfs: %s: %s%s%s, ", c->name, verb, m->text[0] ? ", " : "", m->text);
	if (m->total)
		fprintf(stderr, "%3.0f %%, ",
			100.0 * (double)(m->done < m->total ? m->done : m->total) /
				(double)m->total);
	fprintf(stderr, "%" PRId64 " s\033[K", elapsed_ms / 1000);
	c->drawn_ms = elapsed_ms;
	c->is_drawn = true;
}
