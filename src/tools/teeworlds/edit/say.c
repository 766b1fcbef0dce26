/* SPDX-License-Identifier: Zlib */
#include <stdarg.h>

#include "tools/teeworlds/edit/edit.h"

void edit_changed(struct editing *ed, struct buffer *changes, const char *fmt, ...)
{
	CLEANUP(free) char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	text = text_vprintf(fmt, ap);
	va_end(ap);
	ed->has_effect = true;
	buffer_printf(changes, "%s%s by %s", changes->size ? "; " : "",
		text ? text : "out of memory", ed->operation->text);
}

void edit_left(struct editing *ed, const char *path, const char *fmt, ...)
{
	CLEANUP(free) char *text = NULL, *line = NULL;
	va_list ap;

	va_start(ap, fmt);
	text = text_vprintf(fmt, ap);
	va_end(ap);
	line = text ? text_printf("%s (%s)", text, ed->operation->text) : NULL;
	ed->has_effect = true;
	ed->how->say(ed->how->arg, EDIT_LEFT, path, line ? line : "out of memory");
}
