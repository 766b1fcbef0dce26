/* SPDX-License-Identifier: Zlib */
/* Path maps of levels. X.MPP says where the player can walk in X.LAYOUT. Only the modding kit makes
 * path maps, of all layouts below MEDIA/LAYOUTS. */
#include <string.h>

#include "formats/torchlight/finalize/plan.h"

enum { LAYOUT = 1, PATH_MAP = 21 }; /* types of entries */

static bool is_same_level(struct str a, struct str b)
{
	const char *x = memrchr(a.s, '.', a.n), *y = memrchr(b.s, '.', b.n);

	return x && y &&
	       str_equal_nocase(
		       (struct str){a.s, (size_t)(x - a.s)}, (struct str){b.s, (size_t)(y - b.s)});
}

/* The kit makes path maps in this directory and those below it. */
static bool is_level(struct str dir)
{
	const struct str levels = STR("MEDIA/LAYOUTS/");

	return dir.n >= levels.n && str_equal_nocase((struct str){dir.s, levels.n}, levels);
}

static const struct manifest_entry *find_path_map(
	const struct manifest *t, const struct manifest_entry *layout)
{
	const struct manifest_record *r = &t->records[layout->record];

	for (const struct manifest_entry *x = &t->entries[r->first];
		x < &t->entries[r->first + r->n]; x++)
		if (!manifest_removed(x) && manifest_type(manifest_name(t, x)) == PATH_MAP &&
			is_same_level(manifest_name(t, x), manifest_name(t, layout)))
			return x;
	return NULL;
}

/* Were both in the mounted archive, and of the same level? */
static bool was_path_map_of(const struct manifest *old, uint32_t layout, uint32_t path_map)
{
	const struct manifest_entry *a = manifest_file(old, layout);
	const struct manifest_entry *b = manifest_file(old, path_map);

	return a && b && a->record == b->record &&
	       is_same_level(manifest_name(old, a), manifest_name(old, b));
}

void tl_finalize_warn_levels(const struct finalizer *st)
{
	const struct manifest *t = st->table->manifest;
	struct tl_tally stale = {0}, lacking = {0};

	for (uint32_t i = 0; i < t->n_entries; i++) {
		const struct manifest_entry *x = &t->entries[i], *map;
		struct str dir = manifest_path(t, &t->records[x->record]),
			   name = manifest_name(t, x);
		bool is_file = x->type != MANIFEST_DIR && !manifest_removed(x), is_new;

		if (!is_file || manifest_type(name) != LAYOUT)
			continue;
		is_new = tl_map_file(st->m, x->handle);
		if (!is_new && !st->files[x->handle].has_left)
			continue;
		map = find_path_map(t, x);
		if (map && (tl_map_file(st->m, map->handle) ||
				   (!is_new && was_path_map_of(st->old, x->handle, map->handle))))
			continue;
		if (map || is_level(dir))
			tl_tally_add(
				map ? &stale : &lacking, "%.*s%.*s", STR_ARGS(dir), STR_ARGS(name));
	}
	tl_tally_say(st, FORMAT_WARNING, &stale,
		"level changed and its .MPP did not: the player may not be able to walk there "
		"until the modding kit makes a new one",
		"levels changed and their .MPP did not: the player may not be able to walk there "
		"until the modding kit makes new ones");
	tl_tally_say(st, FORMAT_WARNING, &lacking,
		"new level has no .MPP: the player cannot walk there until the modding kit makes "
		"one",
		"new levels have no .MPP: the player cannot walk there until the modding kit makes "
		"them");
}
