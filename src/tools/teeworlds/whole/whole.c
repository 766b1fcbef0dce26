/* SPDX-License-Identifier: Zlib */
#include "tools/teeworlds/whole/whole.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/buffer.h"

int tw_whole_begin(struct tw_whole *w, const struct snapshot *s, const struct whole_calls *calls,
	struct error *e)
{
	*w = (struct tw_whole){.from = tw_map_of(s), .calls = calls};
	w->gone = calloc(w->from->n_items + 1, sizeof(*w->gone));
	return w->gone ? 0 : error_set(e, -ENOMEM, "out of memory");
}

void tw_whole_end(struct tw_whole *w)
{
	free(w->gone);
}

void tw_whole_report(struct tw_whole *w, enum whole_event what, const char *fmt, ...)
{
	CLEANUP(free) char *line = NULL;
	va_list ap;

	va_start(ap, fmt);
	line = text_vprintf(fmt, ap);
	va_end(ap);
	w->calls->say(w->calls->arg, what, line ? line : "out of memory");
	w->has_changes |= what == WHOLE_DONE;
}

void tw_whole_report_item(struct tw_whole *w, enum whole_event what, const char *verb,
	uint32_t item, const char *fmt, ...)
{
	CLEANUP(free) char *text = NULL;
	char path[TW_PATH_MAX];
	va_list ap;

	tw_path_item(w->from, item, path);
	va_start(ap, fmt);
	text = text_vprintf(fmt, ap);
	va_end(ap);
	tw_whole_report(
		w, what, "%s%s%s: %s", verb, *verb ? " " : "", path, text ? text : "out of memory");
}

bool tw_whole_remove(struct tw_whole *w, uint32_t item, const char *why)
{
	const char *const *keep = w->keep;
	char path[TW_PATH_MAX];

	tw_path_item(w->from, item, path);
	while (keep && *keep && fnmatch(*keep, path, FNM_PATHNAME) != 0)
		keep++;
	if (keep && *keep)
		return false;
	tw_whole_report_item(w, WHOLE_DONE, "removed", item, "%s", why);
	return w->gone[item] = true;
}

int tw_whole_find_image(const struct tw_whole *w, uint32_t position, struct images *games,
	const char *suffix, struct extent *ret, struct error *e)
{
	const struct tw_name *n = &tw_names(w->from, TW_SORT_IMAGE)->v[position];
	char name[NAME_MAX + 1];
	int r;

	snprintf(name, sizeof(name), "%.*s%s", n->size, n->text ? n->text : "", suffix);
	r = w->calls->image(games, PREVIEW_ANY_GAME, name, ret, NULL);
	return r < 0 ? error_set(e, r, "%.127s.png not found", name) : 0;
}
