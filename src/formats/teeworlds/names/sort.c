/* SPDX-License-Identifier: Zlib */
#include "formats/teeworlds/names/sort.h"

#include <string.h>
#include <strings.h>

#include "formats/teeworlds/item/media.h"

enum { FILE_STEM_MAX = 250 /* an ending follows */ };

/* name_max is from DDNet's game/editor/mapitems (layer.h, layer_group.h, envelope.h, image.h). */
const struct tw_sort_info tw_sorts[TW_SORTS] = {
	[TW_SORT_IMAGE] = {"image", "images/", TW_IMAGE, TW_K_IMAGES, TW_K_IMAGE_PNG,
		TW_K_IMAGE_JSON, ".png", ".png and .json", FILE_STEM_MAX, 127, tw_image_is_png},
	[TW_SORT_SOUND] = {"sound", "sounds/", TW_SOUND, TW_K_SOUNDS, TW_K_SOUND_OPUS,
		TW_K_SOUND_JSON, ".opus", ".opus and .json", FILE_STEM_MAX, 127, tw_sound_is_opus},
	[TW_SORT_ENVELOPE] = {"envelope", "envelopes/", TW_ENVELOPE, TW_K_ENVELOPES, TW_K_ENVELOPE,
		TW_K_ENVELOPE, ".json", ".json", FILE_STEM_MAX, 31, NULL},
	[TW_SORT_GROUP] = {"group", "groups/", TW_GROUP, TW_K_GROUPS, TW_K_GROUP, TW_K_GROUP, "",
		NULL, NAME_MAX, 11, NULL},
	[TW_SORT_LAYER] = {"layer", NULL, TW_LAYER, TW_K_LAYERS, TW_K_LAYER, TW_K_LAYER, "", NULL,
		NAME_MAX, 11, NULL},
};

enum tw_sort tw_sort_in(entry_id dir)
{
	int sort = 0;

	while (sort < TW_SORTS && tw_sorts[sort].dir != tw_id_kind(dir))
		sort++;
	return (enum tw_sort)sort;
}

enum tw_sort tw_sort_of(entry_id id)
{
	unsigned kind = tw_id_kind(id);
	int sort = 0;

	while (sort < TW_SORTS && tw_sorts[sort].kind != kind && tw_sorts[sort].json != kind)
		sort++;
	return (enum tw_sort)sort;
}

uint32_t tw_object_position(entry_id id)
{
	switch (tw_id_kind(id)) {
	case TW_K_GROUP:
		return tw_id_a(id);
	case TW_K_LAYER:
		return tw_id_b(id);
	default:
		return tw_id_index(id);
	}
}

entry_id tw_object_id(enum tw_sort sort, entry_id dir, uint32_t position, bool json)
{
	if (sort == TW_SORT_GROUP)
		return tw_id2(TW_K_GROUP, position, 0, 0);
	if (sort == TW_SORT_LAYER)
		return tw_id2(TW_K_LAYER, tw_id_a(dir), position, 0);
	return tw_id(json ? tw_sorts[sort].json : tw_sorts[sort].kind, position, 0);
}

const char *tw_ending_of(const struct tw_map *m, enum tw_sort sort, const struct tw_item *it)
{
	const struct tw_sort_info *info = &tw_sorts[sort];

	return !info->is_embedded || info->is_embedded(m, it) ? info->ending : ".json";
}

size_t tw_stem_length(enum tw_sort sort, const char *file, bool *ret_json)
{
	const struct tw_sort_info *info = sort < TW_SORTS ? &tw_sorts[sort] : NULL;
	const char *dot = strrchr(file, '.');
	bool json;

	if (info && !*info->ending)
		return strlen(file);
	if (!info || !dot)
		return 0;
	json = strcasecmp(dot, ".json") == 0;
	if (!json && strcasecmp(dot, info->ending) != 0)
		return 0;
	if (ret_json)
		*ret_json = json;
	return (size_t)(dot - file);
}
