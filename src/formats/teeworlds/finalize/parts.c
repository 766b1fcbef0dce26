/* SPDX-License-Identifier: Zlib */
/*
 * parts: files of objects that were removed while the object stays, and that have no empty form:
 * what a layer or group is stays, and so does what a layer has that stands in several groups, whose
 * files show it in each of them.
 */

#include "formats/teeworlds/finalize/finalize.h"
#include "formats/teeworlds/item/group.h"
#include "formats/teeworlds/item/layer.h"
#include "formats/teeworlds/lens/kinds.h"
#include "formats/teeworlds/lens/layer/tree.h"

static bool is_part(entry_id id)
{
	return tw_sort_of(id) == TW_SORTS && tw_kind(id) && tw_kind(id)->parse;
}

/* The object that the part belongs to leaves too, so nothing is to be said or done. Of a layer in
 * two groups it is the one in the part's group that counts: the other has the same files. */
static bool leaves(const struct finalizing *s, entry_id id)
{
	bool group = tw_id_kind(id) == TW_K_GROUP_JSON;
	const struct tw_order *r = &s->orders[group ? TW_SORT_GROUP : TW_SORT_LAYER];
	uint32_t at = group ? tw_id_a(id) : tw_id_b(id);
	const struct tw_slot *slot;

	slot = tw_order_slot(r, at, tw_id_a(id));
	return !slot || slot->gone;
}

static void say_stays(struct finalizing *s, entry_id id, const char *path, bool shared)
{
	char file[NAME_MAX + 1];

	tw_layer_file(id, file);
	finalize_say(s, "%s was removed from %s, which %s: it stays", file, path,
		shared ? "stands in several groups" : "cannot be without it");
}

void finalize_say_parts(struct finalizing *s, const struct placement *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char path[FINALIZE_PATH_MAX];
		entry_id id = p[i].id;
		bool group = tw_id_kind(id) == TW_K_GROUP_JSON;
		bool shared =
			tw_id_kind(id) > TW_K_LAYER && tw_layer_is_shared(s->from, tw_id_b(id));

		if (!p[i].removed || !is_part(id) || leaves(s, id))
			continue;
		finalize_path(s, group ? TW_SORT_GROUP : TW_SORT_LAYER,
			group ? tw_id_a(id) : tw_id_b(id), path);
		say_stays(s, id, path, shared);
	}
}
