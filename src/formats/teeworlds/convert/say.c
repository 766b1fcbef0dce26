/* SPDX-License-Identifier: Zlib */
#include <errno.h>
#include <stdarg.h>

#include "base/buffer.h"
#include "formats/teeworlds/convert/work.h"

/* "VERB PATH: TEXT" */
static void say(struct tw_converting *k, enum convert_said what, const char *verb,
	struct tw_place place, const char *text)
{
	char path[TW_PATH_MAX];
	CLEANUP(free) char *line = NULL;

	tw_place_path(k->m, place, path);
	line = text_printf("%s%s%s%s", verb, path, path[0] ? ": " : "", text);
	k->how->say(k->how->arg, what, line ? line : "out of memory");
}

void convert_say(struct tw_converting *k, enum convert_said what, const char *verb,
	struct tw_place place, const char *fmt, ...)
{
	CLEANUP(free) char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	text = text_vprintf(fmt, ap);
	va_end(ap);
	say(k, what, verb, place, text ? text : "out of memory");
}

void convert_wrong(struct tw_converting *k, struct tw_place place, const char *field,
	const char *value, const char *bound, const char *fmt, ...)
{
	CLEANUP(free) char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	text = text_vprintf(fmt, ap);
	va_end(ap);
	k->refused = true;
	if (k->how)
		say(k, CONVERT_REFUSED, "", place, text ? text : "out of memory");
	else
		tw_fault(k->faults, TW_F_WARNED, place, field, value, bound, "%s",
			text ? text : "out of memory");
}

int convert_failed(struct tw_converting *k, struct tw_place place, int r, struct error *e)
{
	if (r != -EINVAL && r != -EIO)
		return r;
	convert_wrong(k, place, "", "", "", "%s", error_text(e));
	error_clear(e);
	return 0;
}
