/* SPDX-License-Identifier: Zlib */
#include "tools/teeworlds/tidy/tidy.h"

#include <errno.h>
#include <string.h>

#include "formats/teeworlds/model/fields.h"
#include "formats/teeworlds/model/groups.h"

/* Is it an image of entities? Such an image stays, because mappers look for it by its name. */
static bool is_named(const struct tidying *t, uint32_t position)
{
	const struct tw_name *name = tidy_name(t, position);

	return name->size && memmem(name->text, name->size, "entities", 8);
}

static int update_uses(struct tidying *t, struct error *e)
{
	int r;

	tw_uses_finish(&t->uses);
	r = tw_uses_collect(t->m, t->whole.gone, &t->uses);
	t->known = r == 0 && tw_all_known(t->m);
	return r == -ENOMEM ? error_set(e, r, "out of memory") : 0;
}

static void drop_unused(struct tidying *t)
{
	for (int sort = 0; sort < TW_USABLE; sort++) {
		const struct tw_type *all = tw_type(t->m, tw_sort_type((enum tw_sort)sort));

		for (uint32_t i = 0; all && i < all->n; i++)
			if (!t->uses.is_used[sort][i] && !t->whole.gone[all->items[i]] &&
				!(sort == TW_SORT_IMAGE && is_named(t, i)))
				tw_whole_remove(&t->whole, all->items[i], "nothing uses it");
	}
}

static int run_steps(struct tidying *t, struct snapshot **ret, struct error *e)
{
	CLEANUP(snapshot_unref) struct snapshot *done = NULL;
	struct tw_map *m;
	int r = update_uses(t, e);

	if (r == 0 && t->how->layers)
		r = tidy_layers(t, e);
	if (r == 0 && t->known)
		r = tidy_equal(t, e);
	if (r == 0 && t->known)
		r = update_uses(t, e);
	if (r == 0 && t->known)
		drop_unused(t);
	if (r == 0)
		r = tidy_media(t, e);
	if (r == 0 && t->how->pixels)
		r = tidy_pixels(t, e);
	if (r == 0)
		r = tw_whole_finish(&t->whole, t->m, &done, e);
	if (r < 0)
		return r;
	m = tw_map_copy(tw_map_of(done));
	if (!m)
		return error_set(e, -ENOMEM, "out of memory");
	r = tidy_data(t, tw_map_of(done), m, e);
	if (r < 0 || !t->whole.has_changes)
		snapshot_unref(&m->base);
	else
		*ret = &m->base;
	return r;
}

static bool shares_layers(const struct tw_map *m)
{
	for (uint32_t i = 0; i < tw_count(m, TW_LAYER); i++)
		if (tw_layer_is_shared(m, i))
			return true;
	return false;
}

/* The objects to keep: all if a layer is in two groups, since removing any object would turn it
 * into two layers and enlarge the map. */
static const char *const *kept_paths(const struct tw_map *m, const struct tidy *how)
{
	static const char *const all[] = {"*/*", "*/*/*/*", NULL};

	return shares_layers(m) ? all : how->keep;
}

static int tidy_map(const struct snapshot *s, const struct tidy *how,
	const struct whole_calls *calls, struct snapshot **ret, struct error *e)
{
	struct tidying t = {.how = how};
	int r;

	*ret = NULL;
	if (!tw_map_of(s)->shared->is_typed)
		return error_set(e, -EINVAL, "cannot tell which parts of the map are used");
	r = tw_whole_begin(&t.whole, s, calls, e);
	t.whole.keep = kept_paths(tw_map_of(s), how);
	t.m = r == 0 ? tw_map_copy(t.whole.from) : NULL;
	if (r == 0)
		r = t.m ? run_steps(&t, ret, e) : error_set(e, -ENOMEM, "out of memory");
	tw_uses_finish(&t.uses);
	if (t.m)
		snapshot_unref(&t.m->base);
	tw_whole_end(&t.whole);
	return r;
}

const struct tidy_tool tw_tidy = {.tidy = tidy_map, .parts = tidy_parts};
