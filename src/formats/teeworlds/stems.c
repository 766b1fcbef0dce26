/* SPDX-License-Identifier: Zlib */
#include "formats/teeworlds/stems.h"

#include <errno.h>
#include <string.h>

unsigned tw_named_type(enum tw_named what)
{
	static const uint16_t types[TW_N_NAMED] = {
		[TW_N_IMAGES] = TW_IMAGE,
		[TW_N_SOUNDS] = TW_SOUND,
		[TW_N_ENVELOPES] = TW_ENVELOPE,
		[TW_N_GROUPS] = TW_GROUP,
		[TW_N_LAYERS] = TW_LAYER,
	};

	return types[what];
}

int tw_ref_position(const struct tw_map *m, enum tw_named what, int32_t ref, uint32_t *ret)
{
	uint32_t mounted = tw_count_mounted(m, tw_named_type(what));
	int64_t made = (int64_t)ref - TW_MADE;

	if (ref >= 0 && (uint32_t)ref < mounted)
		*ret = (uint32_t)ref;
	else if (made >= 0 && made < tw_count(m, tw_named_type(what)) - mounted)
		*ret = mounted + (uint32_t)made;
	else
		return -ENOENT;
	return 0;
}

int32_t tw_ref_of(const struct tw_map *m, enum tw_named what, uint32_t position)
{
	uint32_t mounted = tw_count_mounted(m, tw_named_type(what));

	return position < mounted ? (int32_t)position
				  : (int32_t)(TW_MADE + (int64_t)(position - mounted));
}

size_t tw_ref_stem(const struct tw_map *m, enum tw_named what, int32_t ref, char dst[NAME_MAX + 1])
{
	const struct tw_item *it;
	uint32_t position;

	if (tw_ref_position(m, what, ref, &position) < 0)
		return 0;
	it = tw_item_at(m, tw_named_type(what), position);
	if (!it->made)
		return position < tw_names(m, what)->n ? tw_stem(m, what, position, dst) : 0;
	memcpy(dst, it->made->data, it->made->size);
	return it->made->size;
}
