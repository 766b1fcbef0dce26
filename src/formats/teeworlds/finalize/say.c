/* SPDX-License-Identifier: Zlib */
/* say: write lines to the report. */
#include <stdarg.h>
#include <stdio.h>

#include "formats/teeworlds/finalize/finalize.h"
#include "formats/teeworlds/item/layer.h"
#include "formats/teeworlds/lens/layer/tree.h"
#include "formats/teeworlds/names/paths.h"

void finalize_report(struct finalizer *s, const char *fmt, ...)
{
	char line[2 * FINALIZE_PATH_MAX + 256];
	va_list ap;

	if (!s->report)
		return;
	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	s->report(s->arg, FORMAT_NOTE, line);
}

/* Write the present name of an object: the one placed, of the mount, or of a made object. */
static void write_name(const struct finalizer *s, enum tw_sort sort, const struct tw_slot *slot,
	char dst[NAME_MAX + 1])
{
	const struct tw_item *it = &s->mounted->items[slot->item];
	bool moved;

	if (slot->placement)
		snprintf(dst, NAME_MAX + 1, "%s", slot->placement->name);
	else if (!tw_path_name(s->mounted, sort, slot->item, slot->home_group, dst, &moved))
		snprintf(dst, NAME_MAX + 1, "%.*s%s", it->made_name ? (int)it->made_name->size : 0,
			it->made_name ? (const char *)it->made_name->data : "",
			tw_ending_of(s->mounted, sort, it));
}

/* Write the path of a layer with this name. group is a mounted position. */
static void write_layer_path(
	const struct finalizer *s, uint32_t group, const char *name, char dst[FINALIZE_PATH_MAX])
{
	char dir[NAME_MAX + 1];

	write_name(s, TW_SORT_GROUP, &s->orders[TW_SORT_GROUP].slots[group], dir);
	snprintf(dst, FINALIZE_PATH_MAX, "groups/%s/layers/%s", dir, name);
}

void finalize_placement_path(
	const struct finalizer *s, const struct placement *p, char dst[FINALIZE_PATH_MAX])
{
	write_layer_path(s, tw_id_a(p->dir), p->name, dst);
}

void finalize_path(const struct finalizer *s, enum tw_sort sort, uint32_t position,
	char dst[FINALIZE_PATH_MAX])
{
	int64_t home = sort == TW_SORT_LAYER ? tw_find_group(s->mounted, position) : 0;
	const struct tw_slot *slot = tw_order_slot(&s->orders[sort], position, (uint32_t)home);
	char name[NAME_MAX + 1];

	if (!slot) {
		snprintf(dst, FINALIZE_PATH_MAX, "layer %u", position);
		return;
	}
	write_name(s, sort, slot, name);
	if (sort == TW_SORT_LAYER)
		write_layer_path(s, slot->group, name, dst);
	else
		snprintf(dst, FINALIZE_PATH_MAX, "%s%s", tw_sorts[sort].path, name);
}

/* Is this a file that may stay in the map if it is removed alone? group.json and layer.json stay,
 * and so do all files of a layer in several groups, because each group shows them. */
static bool is_part(entry_id id)
{
	unsigned kind = tw_id_kind(id);

	return kind == TW_K_GROUP_JSON || (kind >= TW_K_LAYER_JSON && kind <= TW_K_SOURCES);
}

/* Is the object of a file removed, too? For a layer in two groups, check the group in the id. */
static bool is_removed(const struct finalizer *s, entry_id id)
{
	bool group = tw_id_kind(id) == TW_K_GROUP_JSON;
	const struct tw_order *r = &s->orders[group ? TW_SORT_GROUP : TW_SORT_LAYER];
	uint32_t at = group ? tw_id_a(id) : tw_id_b(id);
	const struct tw_slot *slot;

	slot = tw_order_slot(r, at, tw_id_a(id));
	return !slot || slot->is_removed;
}

static void report_part(struct finalizer *s, entry_id id, const char *path, bool shared)
{
	char file[NAME_MAX + 1];

	tw_layer_file(id, file);
	finalize_report(s, "%s was not removed from %s: %s", file, path,
		shared ? "the layer is in several groups" : "it is required");
}

void finalize_report_parts(struct finalizer *s, const struct placement *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char path[FINALIZE_PATH_MAX];
		entry_id id = p[i].id;
		bool group = tw_id_kind(id) == TW_K_GROUP_JSON;
		bool shared =
			tw_id_kind(id) > TW_K_LAYER && tw_layer_is_shared(s->mounted, tw_id_b(id));

		if (!p[i].is_removed || !is_part(id) || is_removed(s, id))
			continue;
		finalize_path(s, group ? TW_SORT_GROUP : TW_SORT_LAYER,
			group ? tw_id_a(id) : tw_id_b(id), path);
		report_part(s, id, path, shared);
	}
}
