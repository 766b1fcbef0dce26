/* SPDX-License-Identifier: Zlib */
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/print.h"

PRINTF_LIKE(3, 0) static void format_error(struct error *e, int code, const char *fmt, va_list ap)
{
	e->code = code;
	e->is_unresolved = false;
	vsnprintf(e->text, sizeof(e->text), fmt, ap);
}

void error_write(struct error *e, int code, const char *fmt, ...)
{
	va_list ap;

	if (!e)
		return;
	va_start(ap, fmt);
	format_error(e, code, fmt, ap);
	va_end(ap);
	replace_unprintable(e->text);
}

int error_errno(struct error *e, const char *fmt, ...)
{
	int code = errno ? -errno : -EIO;
	size_t n;
	va_list ap;

	if (!e)
		return code;
	va_start(ap, fmt);
	format_error(e, code, fmt, ap);
	va_end(ap);
	n = strlen(e->text);
	snprintf(e->text + n, sizeof(e->text) - n, ": %s", strerror(-code));
	replace_unprintable(e->text);
	return code;
}

int error_set_unresolved(struct error *e, int code)
{
	if (e)
		e->is_unresolved = true;
	return code;
}

bool error_is_transient(int r)
{
	static const int verdicts[] = {-EINVAL, -EAGAIN, -EFBIG, -ENOENT, -EIO, -EROFS};

	for (size_t i = 0; i < sizeof(verdicts) / sizeof(verdicts[0]); i++)
		if (r == verdicts[i])
			return false;
	return r < 0;
}

void error_context(struct error *e, const char *fmt, ...)
{
	struct error whole;
	size_t n;
	va_list ap;

	if (!e || !e->code)
		return;
	va_start(ap, fmt);
	vsnprintf(whole.text, sizeof(whole.text), fmt, ap);
	va_end(ap);
	n = strlen(whole.text);
	/* Text that does not fit is cut off. Checking the result prevents a warning about that. */
	if (snprintf(whole.text + n, sizeof(whole.text) - n, ": %s", e->text) < 0)
		return;
	memcpy(e->text, whole.text, sizeof(e->text));
	replace_unprintable(e->text);
}

void error_clear(struct error *e)
{
	if (e)
		*e = (struct error)ERROR_INIT;
}

const char *error_text(const struct error *e)
{
	if (!e || !e->code)
		return "";
	return e->text[0] ? e->text : strerror(-e->code);
}
