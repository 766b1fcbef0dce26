/* SPDX-License-Identifier: Zlib */
/* shown: what objects of a mount will be called by a mount of the map that was settled from it. */
#include <errno.h>
#include <string.h>

#include "formats/teeworlds/model/fields.h"
#include "formats/teeworlds/lens/media/media.h"
#include "formats/teeworlds/names/parse.h"
#include "formats/teeworlds/names/reference.h"
#include "formats/teeworlds/structure.h"
#include "formats/teeworlds/names/paths.h"

/* The position of the object in m, and how many of its sort there are. */
static int find(const struct tw_map *m, enum tw_named what, entry_id id, uint32_t *ret_item,
	uint32_t *ret_position, uint32_t *ret_count)
{
	const struct tw_type *was =
		tw_index_type(m->origin ? m->origin : m->index, tw_named_type(what));
	uint32_t at = what == TW_N_GROUPS   ? tw_id_a(id)
		      : what == TW_N_LAYERS ? tw_id_b(id)
					    : tw_id_index(id);
	int64_t position;

	if (!was || at >= was->n || m->items[was->items[at]].made)
		return -ENOENT;
	position = tw_position(m, was->items[at]);
	if (position < 0)
		return -ENOENT;
	*ret_item = was->items[at];
	*ret_position = (uint32_t)position;
	*ret_count = tw_count_mounted(m, tw_named_type(what));
	return 0;
}

/* Layers are counted within the group that they stand in. */
static int within_group(const struct tw_map *m, uint32_t *position, uint32_t *ret_count)
{
	int64_t group = tw_group_of(m, *position);
	struct tw_group_at at;

	if (group < 0)
		return -ENOENT;
	at = tw_group_layers(m, (uint32_t)group);
	*position -= at.first;
	*ret_count = at.n;
	return 0;
}

static const char *ending(const struct tw_map *m, enum tw_named what, const struct tw_item *it)
{
	switch (what) {
	case TW_N_IMAGES:
		return tw_image_is_png(m, it) ? ".png" : ".json";
	case TW_N_SOUNDS:
		return tw_sound_is_opus(m, it) ? ".opus" : ".json";
	case TW_N_ENVELOPES:
		return ".json";
	default:
		return "";
	}
}

int tw_shown_as(const struct snapshot *settled, entry_id id, char *name)
{
	const struct tw_map *m = tw_map_of(settled);
	enum tw_named what = tw_object_named(id);
	struct tw_name text = {0};
	uint32_t item, position, count;
	const char *end;
	size_t n;
	int r = what == TW_N_NAMED ? -ENOENT : find(m, what, id, &item, &position, &count);

	if (r == 0 && what == TW_N_LAYERS)
		r = within_group(m, &position, &count);
	if (r == 0)
		r = tw_name_read(m, what, &m->items[item], &text);
	if (r < 0)
		return r;
	end = ending(m, what, &m->items[item]);
	n = tw_name_write(name, position, count, &text, *end ? TW_STEM_MAX : TW_DIR_MAX);
	strcpy(name + n, end);
	free(text.text);
	return 0;
}
