/* SPDX-License-Identifier: Zlib */
#include "formats/teeworlds/check/game_images.h"

#include <string.h>

#include "codec/zlib/checksum.h"
#include "formats/teeworlds/model/fields.h"

enum { PIXELS = 4096 /* read at a time */ };

/* An image whose pixels differ between versions is listed twice, first that of 16.4. */
static const struct tw_game_image images[] = {
	{"basic_freeze", 1024, 1024, 0x2a358cfa, TW_NOT_IN_07},
	{"bg_cloud1", 2048, 1024, 0x34ffad44, TW_SAME_IN_07},
	{"bg_cloud2", 2048, 1024, 0x1f1cf36e, TW_SAME_IN_07},
	{"bg_cloud3", 1024, 512, 0x65bc2bb6, TW_SAME_IN_07},
	{"ddmax_freeze", 1024, 1024, 0x735a1fb3, TW_NOT_IN_07},
	{"ddnet_grass", 1024, 1024, 0xf5bf5d99, TW_NOT_IN_07},
	{"ddnet_start", 512, 135, 0x3e33a4b9, TW_NOT_IN_07},
	{"ddnet_tiles", 1024, 1024, 0x9a356576, TW_NOT_IN_07},
	{"ddnet_walls", 1024, 1024, 0x4118c4e8, TW_NOT_IN_07},
	{"desert_background", 1270, 416, 0xa321e55c, TW_NOT_IN_07},
	{"desert_doodads", 1024, 1024, 0xa6dfe26f, TW_SAME_IN_07},
	{"desert_main", 1024, 1024, 0x16ab4d9d, TW_SAME_IN_07},
	{"desert_mountains", 1024, 512, 0x2af27810, TW_SAME_IN_07},
	{"desert_mountains2", 1024, 512, 0x6bb2df85, TW_SAME_IN_07},
	{"desert_mountains_new_background", 1500, 460, 0xdcc3994f, TW_NOT_IN_07},
	{"desert_mountains_new_foreground", 1500, 830, 0x75d248d8, TW_NOT_IN_07},
	{"desert_sun", 1024, 1024, 0xc9a12cb8, TW_SAME_IN_07},
	{"entities", 1024, 1024, 0xc0a4ae02, TW_NOT_IN_07},
	{"fadeout", 1024, 1024, 0xf58bca4d, TW_NOT_IN_07},
	{"font_teeworlds", 1024, 1024, 0x9685edf3, TW_NOT_IN_07},
	{"font_teeworlds_alt", 1024, 1024, 0x27069d10, TW_NOT_IN_07},
	{"generic_clear", 1024, 1024, 0xb5e7e6fc, TW_NOT_IN_07},
	{"generic_deathtiles", 1024, 1024, 0x68bd4bd4, TW_SAME_IN_07},
	{"generic_lamps", 1024, 1024, 0x2f730c21, TW_SAME_IN_07},
	{"generic_shadows_0.7", 1024, 1024, 0xc8352f61, TW_NOT_IN_07},
	{"generic_unhookable", 1024, 1024, 0x12083df9, TW_OTHER_IN_07},
	{"generic_unhookable_0.7", 1024, 1024, 0xa2bb8725, TW_NOT_IN_07},
	{"grass_doodads", 1024, 1024, 0x5bed96ca, TW_OTHER_IN_07},
	{"grass_doodads_0.7", 1024, 1024, 0x82cdf75a, TW_NOT_IN_07},
	{"grass_doodads_0.7", 1024, 1024, 0xfdae524b, TW_NOT_IN_07},
	{"grass_main", 1024, 1024, 0xc56ca7c5, TW_OTHER_IN_07},
	{"grass_main", 1024, 1024, 0xbb1ebfae, TW_OTHER_IN_07},
	{"grass_main_0.7", 1024, 1024, 0x92e901c7, TW_NOT_IN_07},
	{"grass_main_0.7", 1024, 1024, 0xa9f74ed4, TW_NOT_IN_07},
	{"jungle_background", 809, 1312, 0x03c14150, TW_SAME_IN_07},
	{"jungle_deathtiles", 1024, 1024, 0x4e52fa2c, TW_SAME_IN_07},
	{"jungle_doodads", 1024, 1024, 0xd9a30734, TW_SAME_IN_07},
	{"jungle_main", 1024, 1024, 0x8429b172, TW_SAME_IN_07},
	{"jungle_midground", 1024, 1024, 0x14e525dc, TW_SAME_IN_07},
	{"jungle_unhookables", 1024, 1024, 0x2ec4c851, TW_SAME_IN_07},
	{"light", 256, 256, 0x60e6e336, TW_SAME_IN_07},
	{"mixed_tiles", 1024, 1024, 0x84843654, TW_NOT_IN_07},
	{"moon", 1024, 1024, 0x4b43f562, TW_SAME_IN_07},
	{"mountains", 1024, 512, 0xddcf0460, TW_SAME_IN_07},
	{"round_tiles", 1024, 1024, 0xe7ced844, TW_NOT_IN_07},
	{"snow", 64, 64, 0xb5f7c3c1, TW_SAME_IN_07},
	{"snow_mountain", 1024, 512, 0x08486b80, TW_NOT_IN_07},
	{"stars", 265, 128, 0xa52b8189, TW_SAME_IN_07},
	{"sun", 512, 512, 0xf108e665, TW_SAME_IN_07},
	{"water", 1024, 1024, 0xdfcb9b34, TW_NOT_IN_07},
	{"winter_doodads", 1024, 1024, 0x826ed452, TW_SAME_IN_07},
	{"winter_main", 1024, 1024, 0xc0dfb31e, TW_OTHER_IN_07},
	{"winter_main_0.7", 1024, 1024, 0xf6075ce8, TW_NOT_IN_07},
	{"winter_mountains", 1024, 512, 0x81a6b713, TW_SAME_IN_07},
	{"winter_mountains2", 1024, 512, 0xdd41b79e, TW_SAME_IN_07},
	{"winter_mountains3", 1024, 512, 0xd26e90d9, TW_SAME_IN_07},
	{"easter", 0, 0, 0, TW_OTHER_IN_07},
	{"generic_shadows", 0, 0, 0, TW_OTHER_IN_07},
};

/* Find the next image of a name; NULL if there is none. after: NULL for the first. */
static const struct tw_game_image *next_image(
	const struct tw_game_image *after, const char *name, size_t n)
{
	const struct tw_game_image *end = images + sizeof(images) / sizeof(images[0]);

	for (const struct tw_game_image *g = after ? after + 1 : images; g < end; g++)
		if (strlen(g->name) == n && memcmp(g->name, name, n) == 0)
			return g;
	return NULL;
}

const struct tw_game_image *tw_game_image(const char *name, size_t n)
{
	return next_image(NULL, name, n);
}

bool tw_is_game_image(const char *name, size_t n, uint32_t w, uint32_t h, uint32_t checksum)
{
	const struct tw_game_image *g = NULL;

	while ((g = next_image(g, name, n)))
		if (g->w == w && g->h == h && g->checksum == checksum)
			return true;
	return false;
}

int tw_image_checksum(const struct tw_map *m, const struct tw_item *it, uint32_t *ret)
{
	uint64_t n = (uint64_t)it->ints->v[TW_IMG_WIDTH] * (uint64_t)it->ints->v[TW_IMG_HEIGHT];
	uint8_t rgba[4 * PIXELS];

	*ret = CRC32_START;
	for (uint64_t at = 0; at < n; at += PIXELS) {
		size_t k = n - at < PIXELS ? (size_t)(n - at) : PIXELS;
		int r = blob_read(tw_get_blob(m, it, TW_IMG_DATA), 4 * at, rgba, 4 * k, NULL);

		if (r < 0)
			return r;
		for (size_t i = 0; i < k; i++)
			if (rgba[4 * i + 3] <= TW_ALPHA_UNSEEN)
				memset(rgba + 4 * i, 0, 3);
		*ret = checksum_crc32(*ret, rgba, 4 * k);
	}
	return 0;
}
