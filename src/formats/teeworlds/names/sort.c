/* SPDX-License-Identifier: Zlib */
#include "formats/teeworlds/names/sort.h"

#include <string.h>

#include "formats/teeworlds/item/media.h"

enum { FILE_STEM_MAX = 250 /* an ending follows */ };

/* Lengths that are stored: DDNet's game/editor/mapitems (layer.h, layer_group.h, envelope.h,
 * image.h). */
const struct tw_sort tw_sorts[TW_N_NAMED] = {
	[TW_N_IMAGES] = {"image", "images/", TW_IMAGE, TW_K_IMAGES, TW_K_IMAGE_PNG, TW_K_IMAGE_JSON,
		".png", FILE_STEM_MAX, 127, tw_image_is_png},
	[TW_N_SOUNDS] = {"sound", "sounds/", TW_SOUND, TW_K_SOUNDS, TW_K_SOUND_OPUS,
		TW_K_SOUND_JSON, ".opus", FILE_STEM_MAX, 127, tw_sound_is_opus},
	[TW_N_ENVELOPES] = {"envelope", "envelopes/", TW_ENVELOPE, TW_K_ENVELOPES, TW_K_ENVELOPE,
		TW_K_ENVELOPE, ".json", FILE_STEM_MAX, 31, NULL},
	[TW_N_GROUPS] = {"group", "groups/", TW_GROUP, TW_K_GROUPS, TW_K_GROUP, TW_K_GROUP, "",
		NAME_MAX, 11, NULL},
	[TW_N_LAYERS] = {"layer", NULL, TW_LAYER, TW_K_LAYERS, TW_K_LAYER, TW_K_LAYER, "", NAME_MAX,
		11, NULL},
};

enum tw_named tw_objects_of(entry_id dir)
{
	int what = 0;

	while (what < TW_N_NAMED && tw_sorts[what].dir != tw_id_kind(dir))
		what++;
	return (enum tw_named)what;
}

enum tw_named tw_object_named(entry_id id)
{
	unsigned kind = tw_id_kind(id);
	int what = 0;

	while (what < TW_N_NAMED && tw_sorts[what].kind != kind && tw_sorts[what].json != kind)
		what++;
	return (enum tw_named)what;
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

entry_id tw_object_id(enum tw_named what, entry_id dir, uint32_t position, bool json)
{
	if (what == TW_N_GROUPS)
		return tw_id2(TW_K_GROUP, position, 0, 0);
	if (what == TW_N_LAYERS)
		return tw_id2(TW_K_LAYER, tw_id_a(dir), position, 0);
	return tw_id(json ? tw_sorts[what].json : tw_sorts[what].kind, position, 0);
}

const char *tw_ending_of(const struct tw_map *m, enum tw_named what, const struct tw_item *it)
{
	const struct tw_sort *sort = &tw_sorts[what];

	return !sort->embedded || sort->embedded(m, it) ? sort->ending : ".json";
}

size_t tw_stem_length(enum tw_named what, const char *file, bool *ret_json)
{
	const struct tw_sort *sort = what < TW_N_NAMED ? &tw_sorts[what] : NULL;
	const char *dot = strrchr(file, '.');
	bool json;

	if (sort && !*sort->ending)
		return strlen(file);
	if (!sort || !dot)
		return 0;
	json = strcmp(dot, ".json") == 0;
	if (!json && strcmp(dot, sort->ending) != 0)
		return 0;
	if (ret_json)
		*ret_json = json;
	return (size_t)(dot - file);
}
