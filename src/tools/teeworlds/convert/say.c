/* SPDX-License-Identifier: Zlib */
#include <errno.h>
#include <stdarg.h>

#include "base/buffer.h"
#include "tools/teeworlds/convert/convert.h"

void convert_report(struct tw_converting *k, struct tw_place place, const char *field,
	const char *value, const char *bound, const char *fmt, ...)
{
	CLEANUP(free) char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	text = text_vprintf(fmt, ap);
	va_end(ap);
	k->refused = true;
	if (k->how)
		tw_whole_report_item(&k->whole, WHOLE_REFUSED, "", place.number, "%s",
			text ? text : "out of memory");
	else
		tw_fault_add(k->faults, TW_F_WARNED, place, field, value, bound, "%s",
			text ? text : "out of memory");
}

int convert_handle_error(struct tw_converting *k, struct tw_place place, int r, struct error *e)
{
	if (r != -EINVAL && r != -EIO)
		return r;
	convert_report(k, place, "", "", "", "%s", error_text(e));
	error_clear(e);
	return 0;
}
