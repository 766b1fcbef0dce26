/* SPDX-License-Identifier: Zlib */
#include "formats/teeworlds/tidy/tidy.h"

#include <errno.h>
#include <string.h>

#include "formats/teeworlds/finalize/finalize.h"
#include "formats/teeworlds/model/fields.h"

/* A sheet of entities is one that somebody may look for by its name. */
static bool is_named(const struct tidying *t, uint32_t position)
{
	const struct tw_name *name = tidy_name(t, position);

	return name->size && memmem(name->text, name->size, "entities", 8);
}

static int take_uses(struct tidying *t, struct error *e)
{
	int r;

	tw_uses_finish(&t->uses);
	r = tw_uses_take(t->m, t->gone, &t->uses);
	t->known = r == 0 && tw_all_known(t->m);
	return r == -ENOMEM ? error_set(e, r, "out of memory") : 0;
}

static void drop_unused(struct tidying *t)
{
	for (int sort = 0; sort < TW_USABLE; sort++) {
		const struct tw_type *all = tw_type(t->m, tw_sort_type((enum tw_sort)sort));

		for (uint32_t i = 0; all && i < all->n; i++)
			if (!t->uses.of[sort][i] && !t->gone[all->items[i]] &&
				!(sort == TW_SORT_IMAGE && is_named(t, i)))
				tidy_drop(t, all->items[i], "nothing uses it");
	}
}

static void say_line(void *arg, const char *line)
{
	tidy_say(arg, false, "%s", line);
}

/* All that is gone, out of the map. */
static int finish(struct tidying *t, struct snapshot **ret, struct error *e)
{
	CLEANUP(free) struct placement *p = calloc(t->m->n_items + 1, sizeof(*p));
	size_t n = 0;

	if (!p)
		return error_set(e, -ENOMEM, "out of memory");
	for (int sort = 0; sort < TW_SORTS; sort++) {
		const struct tw_type *all = tw_type(t->m, tw_sort_type((enum tw_sort)sort));

		for (uint32_t i = 0; all && i < all->n; i++) {
			int64_t group = sort == TW_SORT_LAYER ? tw_group_of(t->m, i) : 0;
			entry_id dir = tw_id2(TW_K_LAYERS, (unsigned)group, 0, 0);

			if (!t->gone[all->items[i]])
				continue;
			p[n].id = tw_object_id((enum tw_sort)sort, dir, i, false);
			p[n++].removed = true;
		}
	}
	return tw_finalize(&t->m->base, p, n, ret, say_line, t, e);
}

static int run(struct tidying *t, struct snapshot **ret, struct error *e)
{
	CLEANUP(snapshot_unref) struct snapshot *done = NULL;
	struct tw_map *m;
	int r = take_uses(t, e);

	if (r == 0 && t->how->layers)
		r = tidy_layers(t, e);
	if (r == 0 && t->known)
		r = tidy_equal(t, e);
	if (r == 0 && t->known)
		r = take_uses(t, e);
	if (r == 0 && t->known)
		drop_unused(t);
	if (r == 0)
		r = tidy_media(t, e);
	if (r == 0 && t->how->pixels)
		r = tidy_pixels(t, e);
	if (r == 0)
		r = finish(t, &done, e);
	if (r < 0)
		return r;
	m = tw_map_copy(tw_map_of(done));
	if (!m)
		return error_set(e, -ENOMEM, "out of memory");
	r = tidy_data(t, m, e);
	if (r < 0 || !t->any)
		snapshot_unref(&m->base);
	else
		*ret = &m->base;
	return r;
}

static int tidy(
	const struct snapshot *s, const struct tidy *how, struct snapshot **ret, struct error *e)
{
	struct tidying t = {.how = how, .from = tw_map_of(s)};
	int r;

	*ret = NULL;
	if (!t.from->shared->typed)
		return error_set(e, -EINVAL, "nobody knows what of such a map is used");
	t.m = tw_map_copy(t.from);
	t.gone = calloc(t.from->n_items + 1, sizeof(*t.gone));
	r = t.m && t.gone ? run(&t, ret, e) : error_set(e, -ENOMEM, "out of memory");
	tw_uses_finish(&t.uses);
	free(t.gone);
	if (t.m)
		snapshot_unref(&t.m->base);
	return r;
}

const struct format_tidy tw_tidy = {.tidy = tidy, .parts = tidy_parts};
