/* SPDX-License-Identifier: Zlib */
#include "formats/teeworlds/item/media.h"

#include <errno.h>
#include <string.h>

#include "codec/image/png.h"
#include "formats/teeworlds/model/fields.h"

bool tw_image_is_png(const struct tw_map *m, const struct tw_item *it)
{
	int32_t w = tw_get_int(it, TW_IMG_WIDTH, 0), h = tw_get_int(it, TW_IMG_HEIGHT, 0);
	const struct blob *b = tw_get_blob(m, it, TW_IMG_DATA);
	uint64_t pixels, file_size;

	if (tw_get_int(it, TW_IMG_EXTERNAL, -1) != 0 || w < 1 || h < 1 || !b)
		return false;
	if (it->ints->v[TW_IMG_VERSION] >= 2 && tw_get_int(it, TW_IMG_VARIANT, -1) != 1)
		return false;
	pixels = (uint64_t)w * (uint64_t)h;
	return pixels <= b->size / 4 && png_file_size((uint32_t)w, (uint32_t)h, &file_size) == 0;
}

bool tw_sound_is_opus(const struct tw_map *m, const struct tw_item *it)
{
	return tw_get_int(it, TW_SND_EXTERNAL, -1) == 0 && tw_get_blob(m, it, TW_SND_DATA);
}

/* The first page of an Ogg stream holds only the identification header: a packet of one segment, so
 * it begins at byte 28 (RFC 3533, 6; RFC 7845, 3 and 5.1). A game plays at most two channels
 * (DDNet's engine/client/sound.cpp). */
int tw_opus_check(const uint8_t head[TW_OPUS_HEAD], struct error *e)
{
	enum { PACKET = 28, VERSION = PACKET + 8, CHANNELS = PACKET + 9 };

	if (memcmp(head, "OggS", 4) != 0)
		return error_set(e, -EINVAL, "not an Opus file (must begin with OggS)");
	if (memcmp(head + PACKET, "OpusHead", 8) != 0)
		return error_set(
			e, -EINVAL, "not an Opus file (must have OpusHead at byte %d)", PACKET);
	if (head[VERSION] > 15)
		return error_set(e, -EINVAL, "the Opus version is %u (at most 15)", head[VERSION]);
	if (head[CHANNELS] > 2)
		return error_set(
			e, -EINVAL, "the sound has %u channels (at most 2)", head[CHANNELS]);
	return 0;
}

/* Teeworlds 0.7 writes version 2. New images in such a map get it, too. */
static bool all_are_version_2(const struct tw_map *m)
{
	uint32_t n = tw_count_mounted(m, TW_IMAGE);

	for (uint32_t i = 0; i < n; i++)
		if (tw_get_int(tw_item_at(m, TW_IMAGE, i), TW_IMG_VERSION, 0) < 2)
			return false;
	return n > 0;
}

struct tw_ints *tw_new_image_ints(
	const struct tw_map *m, const struct tw_item *it, bool external, int32_t w, int32_t h)
{
	bool fresh = it->ints->n == 0;
	int32_t version = fresh ? (all_are_version_2(m) ? 2 : 1) : it->ints->v[TW_IMG_VERSION];
	uint32_t need = version >= 2 ? TW_IMG_VARIANT + 1 : TW_IMG_DATA + 1;
	struct tw_ints *ints;

	ints = tw_ints_copy(it->ints, it->ints->n > need ? it->ints->n : need, -1);
	if (!ints)
		return NULL;
	ints->v[TW_IMG_VERSION] = version;
	ints->v[TW_IMG_WIDTH] = w;
	ints->v[TW_IMG_HEIGHT] = h;
	ints->v[TW_IMG_EXTERNAL] = external;
	ints->v[TW_IMG_DATA] = -1;
	if (version >= 2)
		ints->v[TW_IMG_VARIANT] = 1;
	return ints;
}

struct tw_ints *tw_new_sound_ints(const struct tw_item *it, int32_t external, int32_t size)
{
	uint32_t need = TW_SND_SIZE + 1;
	struct tw_ints *ints = tw_ints_copy(it->ints, it->ints->n > need ? it->ints->n : need, -1);

	if (!ints)
		return NULL;
	if (it->ints->n == 0)
		ints->v[TW_SND_VERSION] = 1;
	ints->v[TW_SND_EXTERNAL] = external;
	ints->v[TW_SND_DATA] = -1;
	ints->v[TW_SND_SIZE] = size;
	return ints;
}
