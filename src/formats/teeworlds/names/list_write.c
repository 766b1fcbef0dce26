/* SPDX-License-Identifier: Zlib */
/* list_write: write the name table of a finalized map. */
#include <string.h>

#include "base/buffer.h"
#include "formats/teeworlds/names/list.h"
#include "formats/teeworlds/names/mounted.h"
#include "formats/teeworlds/names/parse.h"
#include "formats/teeworlds/names/paths.h"

struct writing {
	const struct tw_map *to;
	uint64_t next; /* greater than all numbers so far in this directory */
	struct buffer out;
};

static void write_line(struct buffer *out, const struct tw_table_entry *v)
{
	buffer_printf(out, TW_LISTED_HEAD, tw_sorts[v->sort].noun, v->group, v->place,
		v->is_moved ? '+' : '=');
	for (const char *c = v->name; *c; c++)
		if (*c == '\n')
			buffer_text(out, "\\n");
		else if (*c == '\\')
			buffer_text(out, "\\\\");
		else
			buffer_byte(out, (uint8_t)*c);
	buffer_byte(out, '\n');
}

static void skip_number(struct writing *w, enum tw_sort sort, const char *name)
{
	struct tw_parsed_name parsed;

	(void)tw_numbered_parse(sort, name, tw_stem_length(sort, name, NULL), &parsed, NULL);
	if (parsed.has_position && parsed.position >= w->next && parsed.position < UINT32_MAX)
		w->next = parsed.position + 1;
}

static int write_object(struct writing *w, enum tw_sort sort, uint32_t group, uint32_t place,
	uint32_t count, uint32_t item)
{
	const struct tw_item *it = &w->to->items[item];
	char own[NAME_MAX + 1], name[NAME_MAX + 1];
	struct tw_table_entry v = {.sort = sort, .group = group, .place = place, .name = name};
	int r = tw_name_at(w->to, sort, it, place, count, own);

	if (r < 0)
		return r;
	/* An object that the save added gets a number after all others, also at the next save. */
	if (!tw_path_name(w->to, sort, item, group, name, &v.is_moved))
		r = tw_name_at(
			w->to, sort, it, place < w->next ? (uint32_t)w->next : place, count, name);
	if (r < 0)
		return r;
	skip_number(w, sort, name);
	if (v.is_moved || strcmp(own, name) != 0)
		write_line(&w->out, &v);
	return 0;
}

static int write_sort(struct writing *w, enum tw_sort sort)
{
	const struct tw_type *t = tw_type(w->to, tw_sort_type(sort));
	int r = 0;

	w->next = 0;
	for (uint32_t i = 0; r == 0 && t && i < t->n; i++)
		r = write_object(w, sort, 0, i, t->n, t->items[i]);
	return r;
}

static int write_layers(struct writing *w)
{
	const struct tw_type *t = tw_type(w->to, TW_LAYER);
	uint32_t n_groups = tw_count(w->to, TW_GROUP);
	int r = 0;

	for (uint32_t g = 0; r == 0 && t && g < n_groups; g++) {
		struct tw_layer_range at = tw_group_layers(w->to, g);

		w->next = 0;
		for (uint32_t i = 0; r == 0 && i < at.n; i++)
			r = write_object(w, TW_SORT_LAYER, g, i, at.n, t->items[at.first + i]);
	}
	return r;
}

static int write_all(struct writing *w, struct bytes **ret)
{
	int r = 0;

	for (int sort = 0; r == 0 && sort < TW_SORT_LAYER; sort++)
		r = write_sort(w, (enum tw_sort)sort);
	if (r == 0)
		r = write_layers(w);
	return r < 0 ? r : buffer_finish(&w->out, ret);
}

int tw_write_name_table(const struct snapshot *finalized, struct bytes **ret, struct error *e)
{
	struct writing w = {.to = tw_map_of(finalized), .out = BUFFER_INIT};
	CLEANUP(bytes_unref) struct bytes *list = NULL;
	int r = w.to->shared->is_typed ? write_all(&w, &list) : 0;

	buffer_finish_free(&w.out);
	if (r < 0)
		return error_set(e, r, "out of memory");
	*ret = list && list->size ? TAKE(list) : NULL;
	return 0;
}
