/* SPDX-License-Identifier: Zlib */
/*
 * id: the bits of an entry_id.
 *
 * An entry_id packs a kind and up to three numbers, whose meaning depends on the kind:
 *     kind 6 bits | a 16 bits | b 16 bits | c 5 bits | form 1 bit
 * For some kinds a and b together are one 32-bit index. For TW_K_GROUP to TW_K_SOURCES, a is the
 * position of the group, b that of the layer in the list of all layers, and c the enum tw_plane of
 * a table. Unused numbers are 0, and so is the root. The functions do not check the numbers.
 */
#pragma once

#include "formats/format.h"

enum tw_kind_id {
	TW_K_ROOT,
	TW_K_INFO_DIR,
	TW_K_INFO, /* index: that in tw_info_names */
	TW_K_IMAGES,
	TW_K_IMAGE_PNG, /* index of images, sounds and envelopes: position in the item list */
	TW_K_IMAGE_JSON,
	TW_K_SOUNDS,
	TW_K_SOUND_OPUS,
	TW_K_SOUND_JSON,
	TW_K_ENVELOPES,
	TW_K_ENVELOPE,
	TW_K_GROUPS,
	TW_K_GROUP,
	TW_K_GROUP_JSON,
	TW_K_LAYERS,
	TW_K_LAYER,
	TW_K_LAYER_JSON,
	TW_K_PLANE,
	TW_K_QUADS,
	TW_K_SOURCES,
	TW_K_PICTURE, /* index: enum tw_picture */
	TW_K_RAW,
	TW_K_RAW_ITEMS,
	TW_K_RAW_TYPE, /* index: type number */
	TW_K_RAW_ITEM, /* index: handle */
	TW_K_RAW_DATA_DIR,
	TW_K_RAW_DATA, /* index: handle */
	TW_N_KINDS,
};

static inline entry_id tw_id2(enum tw_kind_id kind, unsigned a, unsigned b, unsigned c)
{
	/* The JSON of an image or a sound is the other form of the kind before it. */
	unsigned form = kind == TW_K_IMAGE_JSON || kind == TW_K_SOUND_JSON ? ENTRY_FORM : 0;

	return (entry_id)(kind - form) << 38 | (entry_id)(a & 0xffff) << 22 |
	       (entry_id)(b & 0xffff) << 6 | (c & 0x1f) << 1 | form;
}

static inline entry_id tw_id(enum tw_kind_id kind, uint32_t index, unsigned c)
{
	return tw_id2(kind, index >> 16, index & 0xffff, c);
}

static inline unsigned tw_id_kind(entry_id id)
{
	return ((unsigned)(id >> 38) & 0x3f) + (id & ENTRY_FORM);
}

static inline unsigned tw_id_a(entry_id id)
{
	return (unsigned)(id >> 22) & 0xffff;
}

static inline unsigned tw_id_b(entry_id id)
{
	return (unsigned)(id >> 6) & 0xffff;
}

static inline unsigned tw_id_c(entry_id id)
{
	return (unsigned)(id >> 1) & 0x1f;
}

static inline uint32_t tw_id_index(entry_id id)
{
	return (uint32_t)tw_id_a(id) << 16 | tw_id_b(id);
}
