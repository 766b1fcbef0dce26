/* SPDX-License-Identifier: Zlib */
/* What is told, and what is to go. */
#include <fnmatch.h>
#include <stdarg.h>

#include "base/buffer.h"
#include "formats/teeworlds/names/paths.h"
#include "formats/teeworlds/tidy/tidy.h"

void tidy_say(struct tidying *t, bool left, const char *fmt, ...)
{
	CLEANUP(free) char *line = NULL;
	va_list ap;

	va_start(ap, fmt);
	line = text_vprintf(fmt, ap);
	va_end(ap);
	t->how->say(t->how->arg, left, line ? line : "out of memory");
	t->any |= !left;
}

void tidy_done(struct tidying *t, const char *done, uint32_t item, const char *fmt, ...)
{
	CLEANUP(free) char *why = NULL;
	char path[TW_PATH_MAX];
	va_list ap;

	tw_path_item(t->from, item, path);
	va_start(ap, fmt);
	why = text_vprintf(fmt, ap);
	va_end(ap);
	tidy_say(t, false, "%s %s: %s", done, path, why ? why : "");
}

void tidy_left(struct tidying *t, uint32_t item, const struct error *why)
{
	char path[TW_PATH_MAX];

	tw_path_item(t->from, item, path);
	tidy_say(t, true, "%s: %s", path, error_text(why));
}

bool tidy_drop(struct tidying *t, uint32_t item, const char *why)
{
	const char *const *keep = t->how->keep;
	char path[TW_PATH_MAX];

	tw_path_item(t->from, item, path);
	while (keep && *keep && fnmatch(*keep, path, FNM_PATHNAME) != 0)
		keep++;
	if (keep && *keep)
		return false;
	tidy_done(t, "removed", item, "%s", why);
	return t->gone[item] = true;
}

const struct tw_item *tidy_item(const struct tidying *t, unsigned type, uint32_t position)
{
	const struct tw_item *it = tw_item_at(t->m, type, position);

	return it && !t->gone[it - t->m->items] ? it : NULL;
}
