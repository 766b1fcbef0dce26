/* SPDX-License-Identifier: Zlib */
#include "tools/teeworlds/work.h"

#include "formats/teeworlds/model/fields.h"
#include "formats/teeworlds/model/groups.h"

/* Weights of a byte of data, by the length of its text. The four bytes of a tile are four numbers
 * of one to three digits in tables. A quad of 152 bytes is about 2000 bytes of JSON, which take
 * five times as long as bytes of a table. Envelopes have no weight, because the format limits
 * their points when it opens a map. */
enum { WEIGHT_OF_TILES = 3, WEIGHT_OF_LIST = 64 };

static uint64_t size_of_data(const struct tw_map *m, const struct tw_item *it)
{
	uint32_t fields[TW_FIELDS_MAX];
	unsigned n = tw_data_fields(it, fields);
	uint64_t size = 0;

	for (unsigned i = 0; i < n; i++) {
		const struct blob *b = tw_get_blob(m, it, fields[i]);

		size += b ? b->size : 0;
	}
	return size;
}

static uint64_t size_of_layer(const struct tw_map *m, uint32_t position)
{
	const struct tw_item *it = tw_item_at(m, TW_LAYER, position);

	return it ? size_of_data(m, it) * (tw_is_tiles(it) ? WEIGHT_OF_TILES : WEIGHT_OF_LIST) : 0;
}

/* The sum cannot overflow: a map has fewer than 2^17 layers in groups and 2^17 items of a type, and
 * a blob has less than 2^31 bytes. */
uint64_t tw_work(const struct snapshot *s)
{
	static const uint16_t media[] = {TW_INFO, TW_IMAGE, TW_SOUND};
	const struct tw_map *m = tw_map_of(s);
	uint64_t size = 0;

	for (size_t i = 0; i < sizeof(media) / sizeof(*media); i++)
		for (uint32_t k = 0; k < tw_count(m, media[i]); k++)
			size += size_of_data(m, tw_item_at(m, media[i], k));
	for (uint32_t k = 0; k < tw_count(m, TW_GROUP); k++) {
		struct tw_layer_range at = tw_group_layers(m, k);

		for (uint32_t i = 0; i < at.n; i++)
			size += size_of_layer(m, at.first + i);
	}
	return size;
}
