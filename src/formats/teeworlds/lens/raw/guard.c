/* SPDX-License-Identifier: Zlib */
/* guard: refuse changes of raw/ that make typed files unreadable (layout rule 23). */
#include <errno.h>
#include <stdio.h>

#include "formats/teeworlds/lens/kinds.h"
#include "formats/teeworlds/names/paths.h"

static int is_readable(const struct tw_map *m, entry_id id, struct error *e)
{
	int (*deep)(const struct tw_map *m, entry_id id, struct error *e) = tw_kind(id)->readable;
	struct file_attr entry;
	int r = tw_kind_stat(m, id, &entry, e);

	if (r < 0 || entry.is_dir)
		return r;
	return deep ? deep(m, id, e) : tw_kind_get(m, id, 0, NULL, 0, e);
}

/* Describe a file in a message: an object's path, or a label and the path of its object. */
static void describe_file(const struct tw_map *m, entry_id id, char *dst, size_t n)
{
	enum tw_sort sort = tw_sort_of(id);
	unsigned kind = tw_id_kind(id);
	const char *label = tw_kind(id)->label;
	bool group = kind == TW_K_GROUP_JSON, part = group || kind > TW_K_LAYER;
	char path[TW_PATH_MAX];
	uint32_t item;

	if (sort != TW_SORTS && !part &&
		tw_find_item(m, tw_sort_type(sort), tw_object_position(id), &item) == 0) {
		tw_path_object(m, item, path);
		snprintf(dst, n, "%s", path);
	} else if (group && tw_find_item(m, TW_GROUP, tw_id_a(id), &item) == 0) {
		tw_path_group(m, item, path);
		snprintf(dst, n, "%s of %s", label, path);
	} else if (part && kind < TW_K_PICTURE &&
		   tw_find_item(m, TW_LAYER, tw_id_b(id), &item) == 0) {
		tw_path_layer(m, item, path);
		snprintf(dst, n, "%s of %s", kind == TW_K_PLANE ? "a table" : label, path);
	} else {
		snprintf(dst, n, "%s %u", label, tw_id_index(id));
	}
}

static int check_touched(const struct tw_map *before, const struct tw_map *after,
	const struct touched *t, struct error *e)
{
	if (t->is_all)
		return error_set_unresolved(
			e, error_set(e, -EINVAL, "too many files of the map depend on it"));
	for (size_t i = 0; i < t->n; i++) {
		char file[TW_PATH_MAX + 16];
		struct error why = ERROR_INIT;

		if (tw_id_kind(t->ids[i]) >= TW_K_RAW || is_readable(before, t->ids[i], NULL) < 0 ||
			is_readable(after, t->ids[i], &why) == 0)
			continue;
		describe_file(before, t->ids[i], file, sizeof(file));
		return error_set_unresolved(
			e, error_set(e, -EINVAL, "%s would become unreadable: %s", file,
				   error_text(&why)));
	}
	return 0;
}

int tw_raw_guard(const struct tw_map *before, const struct tw_map *after, const struct touched *t,
	struct error *e)
{
	if (!before->shared->is_typed)
		return 0;
	if (!tw_is_typed(after))
		return error_set(e, -EINVAL, "the map would have no version item of value 1");
	return check_touched(before, after, t, e);
}
