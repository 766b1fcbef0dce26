/* SPDX-License-Identifier: Zlib */
/* say: lines for the report. */
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

/* What it is called now, or was called at the mount. */
static void write_name(const struct finalizer *s, enum tw_sort sort, const struct tw_slot *slot,
	char dst[NAME_MAX + 1])
{
	const struct tw_item *it = &s->mounted->items[slot->item];
	bool moved;

	if (slot->placement)
		snprintf(dst, NAME_MAX + 1, "%s", slot->placement->name);
	else if (!tw_path_name(s->mounted, sort, slot->item, slot->home_group, dst, &moved))
		snprintf(dst, NAME_MAX + 1, "%.*s%s", it->made ? (int)it->made->size : 0,
			it->made ? (const char *)it->made->data : "",
			tw_ending_of(s->mounted, sort, it));
}

/* The path of what is called so, in a group. */
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
	int64_t home = sort == TW_SORT_LAYER ? tw_group_of(s->mounted, position) : 0;
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

/*
 * Files of objects that were removed while the object stays, and that have no empty form: what a
 * layer or group is stays, and so does what a layer has that stands in several groups, whose files
 * show it in each of them.
 */
static bool is_part(entry_id id)
{
	unsigned kind = tw_id_kind(id);

	return kind == TW_K_GROUP_JSON || (kind >= TW_K_LAYER_JSON && kind <= TW_K_SOURCES);
}

/* The object that the part belongs to leaves too, so nothing is to be said or done. Of a layer in
 * two groups it is the one in the part's group that counts: the other has the same files. */
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
	finalize_report(s, "%s was removed from %s, which %s: it stays", file, path,
		shared ? "stands in several groups" : "cannot be without it");
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
