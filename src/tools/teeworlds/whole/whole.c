/* SPDX-License-Identifier: Zlib */
#include "tools/teeworlds/whole/whole.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/buffer.h"
#include "formats/teeworlds/finalize/finalize.h"

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

static void say_line(void *arg, enum format_said, const char *line)
{
	tw_whole_line(arg, WHOLE_DONE, "%s", line);
}

int tw_whole_finish(
	struct tw_whole *w, const struct tw_map *m, struct snapshot **ret, struct error *e)
{
	CLEANUP(free) struct placement *p = calloc(w->from->n_items + 1, sizeof(*p));
	size_t n = 0;

	if (!p)
		return error_set(e, -ENOMEM, "out of memory");
	for (int sort = 0; sort < TW_SORTS; sort++) {
		const struct tw_type *all = tw_type(m, tw_sort_type((enum tw_sort)sort));

		for (uint32_t i = 0; all && i < all->n; i++) {
			int64_t group = sort == TW_SORT_LAYER ? tw_group_of(m, i) : 0;
			entry_id dir = tw_id2(TW_K_LAYERS, (unsigned)group, 0, 0);

			if (!w->gone[all->items[i]])
				continue;
			p[n].id = tw_object_id((enum tw_sort)sort, dir, i, false);
			p[n++].removed = true;
		}
	}
	return tw_finalize(&m->base, p, n, ret, say_line, w, e);
}

void tw_whole_line(struct tw_whole *w, enum whole_said what, const char *fmt, ...)
{
	CLEANUP(free) char *line = NULL;
	va_list ap;

	va_start(ap, fmt);
	line = text_vprintf(fmt, ap);
	va_end(ap);
	w->calls->say(w->calls->arg, what, line ? line : "out of memory");
	w->any |= what == WHOLE_DONE;
}

void tw_whole_say(struct tw_whole *w, enum whole_said what, const char *verb, uint32_t item,
	const char *fmt, ...)
{
	CLEANUP(free) char *text = NULL;
	char path[TW_PATH_MAX];
	va_list ap;

	tw_path_item(w->from, item, path);
	va_start(ap, fmt);
	text = text_vprintf(fmt, ap);
	va_end(ap);
	tw_whole_line(
		w, what, "%s%s%s: %s", verb, *verb ? " " : "", path, text ? text : "out of memory");
}

bool tw_whole_drop(struct tw_whole *w, uint32_t item, const char *why)
{
	const char *const *keep = w->keep;
	char path[TW_PATH_MAX];

	tw_path_item(w->from, item, path);
	while (keep && *keep && fnmatch(*keep, path, FNM_PATHNAME) != 0)
		keep++;
	if (keep && *keep)
		return false;
	tw_whole_say(w, WHOLE_DONE, "removed", item, "%s", why);
	return w->gone[item] = true;
}

int tw_whole_image(const struct tw_whole *w, uint32_t position, struct images *games,
	const char *suffix, struct extent *ret, struct error *e)
{
	const struct tw_name *n = &tw_names(w->from, TW_SORT_IMAGE)->v[position];
	char name[NAME_MAX + 1];
	int r;

	snprintf(name, sizeof(name), "%.*s%s", n->size, n->text ? n->text : "", suffix);
	r = w->calls->image(games, PREVIEW_ANY_GAME, name, ret, NULL);
	return r < 0 ? error_set(e, r, "no %.127s.png was found", name) : 0;
}
