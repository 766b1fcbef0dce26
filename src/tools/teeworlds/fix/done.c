/* SPDX-License-Identifier: Zlib */
/* The results of repairs. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "tools/teeworlds/fix/fix.h"

bool fixing_done(struct tw_fixing *k, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(k->done, sizeof(k->done), fmt, ap);
	va_end(ap);
	return true;
}

bool fixing_failed(struct tw_fixing *k, int r)
{
	if (r == -ENOMEM)
		k->change->error = r;
	return false;
}
