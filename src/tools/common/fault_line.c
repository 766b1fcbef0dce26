/* SPDX-License-Identifier: Zlib */
#include "tools/common/fault_line.h"

#include <string.h>

#include "base/print.h"
#include "tools/common/json_line.h"

/* Is the value a whole number, also in JSON? */
static bool is_number(const char *s)
{
	const char *digits = s + (s[0] == '-');
	size_t n = strspn(digits, "0123456789");

	return n > 0 && n < 10 && !digits[n] && (digits[0] != '0' || n == 1);
}

static void append_json(struct buffer *out, const char *file, const char *level,
	const struct format_fault *f, bool is_fixable)
{
	json_line_text(out, "{\"file\": ", file);
	json_line_text(out, ", \"level\": ", level);
	json_line_text(out, ", \"path\": ", f->path);
	json_line_text(out, ", \"field\": ", f->field);
	if (is_number(f->value))
		buffer_printf(out, ", \"value\": %s", f->value);
	else
		json_line_text(out, ", \"value\": ", f->value);
	json_line_text(out, ", \"bound\": ", f->bound);
	json_line_text(out, ", \"problem\": ", f->text);
	buffer_text(out, is_fixable ? ", \"fixable\": true}\n" : ", \"fixable\": false}\n");
}

/* Append a line of text, which is NULL if memory is exhausted. */
static void append_line(struct buffer *out, char *line)
{
	buffer_text(out, line ? replace_unprintable(line) : "out of memory");
	buffer_byte(out, '\n');
}

void fault_line_append(struct buffer *out, const char *file, const struct format_fault *f,
	bool is_fixable, bool json)
{
	const char *level = f->is_warning ? "warning" : "error";
	CLEANUP(free) char *line = NULL;

	if (json) {
		append_json(out, file, level, f, is_fixable);
		return;
	}
	line = text_printf("%s: %s: %s%s", file, level, f->line, is_fixable ? " (fixable)" : "");
	append_line(out, line);
}

void fault_line_append_repair(struct buffer *out, const char *file, const struct format_fault *f,
	const char *repair, bool json)
{
	CLEANUP(free) char *line = NULL;

	if (json) {
		append_json(out, file, "repaired", f, true);
		return;
	}
	line = f->path[0] ? text_printf("%s: repaired %s: %s", file, f->path, repair)
			  : text_printf("%s: repaired %s: %s", file, repair, f->text);
	append_line(out, line);
}
