/* SPDX-License-Identifier: Zlib */
/* The size of each part in a map's file. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "formats/teeworlds/item/points.h"
#include "formats/teeworlds/model/fields.h"
#include "formats/teeworlds/names/paths.h"
#include "tools/teeworlds/tidy/tidy.h"

enum { ITEM_HEAD = 8, OFFSET = 4 /* entry of an item or data item in its table */ };

struct weighing {
	const struct tw_map *m;
	struct tw_used_objects uses;
	bool known;
	bool *weighed; /* by blob handle; a blob of several items counts for the first */
	int (*part)(void *arg, const struct tidy_part *p);
	void *arg;
};

static uint64_t weigh_data(struct weighing *w, size_t i)
{
	const struct blob *b = w->m->blobs[i];

	if (!b || w->weighed[i])
		return 0;
	w->weighed[i] = true;
	return b->stored.size + OFFSET + (w->m->shared->file_version != 3 ? sizeof(int32_t) : 0);
}

static uint64_t weigh_item(struct weighing *w, const struct tw_item *it)
{
	uint64_t size = ITEM_HEAD + OFFSET + it->ints->n * sizeof(int32_t);
	uint32_t fields[TW_FIELDS_MAX];
	unsigned n = tw_data_fields(it, fields);

	for (unsigned k = 0; k < n; k++)
		if (tw_get_blob(w->m, it, fields[k]))
			size += weigh_data(w, (size_t)it->ints->v[fields[k]]);
	return size;
}

static int report_part(struct weighing *w, const char *path, uint64_t size, bool unused)
{
	const struct tidy_part p = {path, size, unused};

	return w->part(w->arg, &p);
}

static bool is_unused(const struct weighing *w, const struct tw_item *it)
{
	for (int sort = 0; w->known && sort < TW_USABLE; sort++)
		if (tw_sorts[sort].type == it->type)
			return !w->uses.is_used[sort]
					       [tw_position(w->m, (uint32_t)(it - w->m->items))];
	return false;
}

static int report_item(struct weighing *w, uint32_t item)
{
	const struct tw_item *it = &w->m->items[item];
	int32_t bezier = tw_uuid_type(w->m, TW_BEZIER);
	char path[TW_PATH_MAX];

	tw_path_item(w->m, item, path);
	if (it->type == TW_POINTS || it->type == bezier)
		snprintf(path, sizeof(path), "envelopes");
	return report_part(w, path, weigh_item(w, it), is_unused(w, it));
}

int tidy_parts(const struct snapshot *s, int (*part)(void *arg, const struct tidy_part *p),
	void *arg, struct error *e)
{
	const struct tw_map *m = tw_map_of(s);
	struct weighing w = {.m = m, .part = part, .arg = arg};
	char path[TW_PATH_MAX];
	uint64_t size;
	int r = tw_uses_collect(m, NULL, &w.uses);

	w.known = r == 0 && tw_all_known(m);
	w.weighed = calloc(m->n_blobs + 1, sizeof(*w.weighed));
	r = r == -ENOMEM || !w.weighed ? -ENOMEM : 0;
	for (uint32_t i = 0; r == 0 && i < m->n_items; i++)
		r = report_item(&w, i);
	for (size_t i = 0; r == 0 && i < m->n_blobs; i++) {
		size = weigh_data(&w, i);
		snprintf(path, sizeof(path), "raw/data/%05zu", i);
		if (size)
			r = report_part(&w, path, size, w.known);
	}
	tw_uses_finish(&w.uses);
	free(w.weighed);
	return r < 0 ? error_set(e, r, "%s", strerror(-r)) : 0;
}
