/* SPDX-License-Identifier: Zlib */
#include "vfs/volume/report.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/print.h"

static void append_line(struct report *r, char *line)
{
	if (r->n == r->room) {
		size_t room = r->room ? 2 * r->room : 8;
		char **lines = realloc(r->lines, room * sizeof(*lines));

		if (!lines) {
			free(line);
			return;
		}
		r->lines = lines;
		r->room = room;
	}
	r->lines[r->n++] = line;
}

void report_add(struct report *r, enum report_kind kind, const char *fmt, ...)
{
	static const char *const words[] = {
		[REPORT_SAVED] = "saved",
		[REPORT_REMOVED] = "removed",
		[REPORT_RESCUED] = "rescued",
		[REPORT_REFUSED] = "refused",
		[REPORT_WARNING] = "warning",
		[REPORT_NOTE] = "note",
		[REPORT_DISCARDED] = "discarded",
	};
	char *text, *line;
	va_list ap;

	va_start(ap, fmt);
	text = text_vprintf(fmt, ap);
	va_end(ap);
	if (!text)
		return;
	if (kind == REPORT_WARNING)
		report_raise_code(r, OUTCOME_PARTIAL);
	if (asprintf(&line, "%s: %s", words[kind], text) >= 0)
		append_line(r, replace_unprintable(line));
	free(text);
}

int report_errno(const struct report *r)
{
	if (r->code == OUTCOME_CONFLICT)
		return -ESTALE;
	if (r->code != OUTCOME_SAVE_FAILED)
		return 0;
	/* EINVAL would blame the fsync call, so return EIO for a refused map. */
	return r->error && r->error != -EINVAL ? r->error : -EIO;
}

enum outcome outcome_worse(enum outcome a, enum outcome b)
{
	/* Failed saves are most serious, then conflicts, then leftovers. */
	static const int weight[] = {
		[OUTCOME_DONE] = 0,
		[OUTCOME_PARTIAL] = 1,
		[OUTCOME_CONFLICT] = 2,
		[OUTCOME_BUSY] = 3,
		[OUTCOME_USAGE] = 4,
		[OUTCOME_REFUSED] = 5,
		[OUTCOME_MOUNT] = 6,
		[OUTCOME_SAVE_FAILED] = 7,
	};

	return weight[b] > weight[a] ? b : a;
}

void report_raise_code(struct report *r, enum outcome code)
{
	r->code = outcome_worse(r->code, code);
}

void report_merge(struct report *r, struct report *from)
{
	for (size_t i = 0; i < from->n; i++)
		append_line(r, from->lines[i]);
	from->n = 0;
	report_raise_code(r, from->code);
	r->error = r->error ? r->error : from->error;
	r->unrescued |= from->unrescued;
	report_finish(from);
}

/* Is this line among the first n lines of r? Never true for a warning. */
static bool is_known(const struct report *r, size_t n, const char *line)
{
	if (strncmp(line, "warning: ", 9) == 0)
		return false;
	while (n && strcmp(r->lines[n - 1], line) != 0)
		n--;
	return n;
}

void report_add_new(struct report *r, const struct report *from, const struct report *known)
{
	size_t n = known->n; /* known may be r, which grows */

	for (size_t i = 0; i < from->n; i++) {
		char *line = is_known(known, n, from->lines[i]) ? NULL : strdup(from->lines[i]);

		if (line)
			append_line(r, line);
	}
}

void report_merge_map(struct report *r, const char *path, const struct report *from)
{
	char *line;

	for (size_t i = 0; i < from->n; i++)
		if (asprintf(&line, "%s: %s", path, from->lines[i]) >= 0)
			append_line(r, replace_unprintable(line));
	report_raise_code(r, from->code);
	r->error = r->error ? r->error : from->error;
	r->unrescued |= from->unrescued;
}

void report_merge_new(struct report *r, struct report *from)
{
	report_add_new(r, from, r);
	report_raise_code(r, from->code);
	r->error = r->error ? r->error : from->error;
	r->unrescued |= from->unrescued;
	report_finish(from);
}

void report_finish(struct report *r)
{
	for (size_t i = 0; i < r->n; i++)
		free(r->lines[i]);
	free(r->lines);
	*r = (struct report)REPORT_INIT;
}
