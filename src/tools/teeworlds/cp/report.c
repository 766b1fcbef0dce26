/* SPDX-License-Identifier: Zlib */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "formats/teeworlds/model/fields.h"
#include "formats/teeworlds/model/groups.h"
#include "formats/teeworlds/names/paths.h"
#include "tools/teeworlds/cp/cp.h"

/* Write the path that the next mount of a finalized map shows. -ENOMEM. */
static int write_path(
	const struct tw_map *m, enum tw_sort sort, uint32_t item, char dst[TW_PATH_MAX])
{
	const struct tw_item *it = &m->items[item];
	uint32_t place = (uint32_t)tw_position(m, item), count = tw_count(m, it->type), group;
	char name[NAME_MAX + 1], dir[TW_PATH_MAX] = "";
	int r = 0;

	if (sort == TW_SORT_LAYER) {
		int64_t home = tw_find_group(m, place);

		if (home < 0 || tw_find_item(m, TW_GROUP, home, &group) < 0)
			return -ENOENT;
		count = tw_group_layers(m, (uint32_t)home).n;
		place -= tw_group_layers(m, (uint32_t)home).first;
		r = write_path(m, TW_SORT_GROUP, group, dir);
	}
	if (r == 0)
		r = tw_name_at(m, sort, it, place, count, name);
	/* "groups/" and a name; gcc does not see that this fits. */
	snprintf(dst, TW_PATH_MAX, "%.*s%s%s", NAME_MAX + 8, dir,
		sort == TW_SORT_LAYER ? "/layers/" : tw_sorts[sort].path, name);
	return r;
}

int tw_cp_print(const struct tw_copying *k, const struct tw_map *done, const struct cp_calls *calls,
	struct error *e)
{
	char from[TW_PATH_MAX], to[TW_PATH_MAX];
	int r = 0;

	for (size_t i = 0; r == 0 && i < k->n_lines; i++) {
		const struct tw_copy_line *l = &k->lines[i];
		struct cp_line out = {l->event, from, NULL, l->detail};

		tw_path_item(k->from, l->from, from);
		if (l->event != CP_LEFT_OUT) {
			out.to = to;
			r = write_path(done, l->sort, l->to, to);
		}
		if (r == 0)
			calls->report(calls->arg, &out);
	}
	return r < 0 ? error_set(e, r, "%s", strerror(-r)) : 0;
}
