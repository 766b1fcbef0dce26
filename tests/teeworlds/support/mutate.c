/* SPDX-License-Identifier: Zlib */
#include "mutate.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "codec/image/png.h"
#include "mutate_layers.h"

/* Indices of integers, as listed in libtw2's doc/map.md. */
enum { IMAGE_WIDTH = 1, IMAGE_HEIGHT = 2, IMAGE_DATA = 5, SOUND_DATA = 3, LAYER_TILES = 2 };

static struct bytes *with_byte(const struct bytes *whole, size_t at, int add)
{
	uint8_t *dst;
	struct bytes *b = bytes_new(whole->size, &dst);

	memcpy(dst, whole->data, whole->size);
	dst[at] = (uint8_t)(dst[at] + add);
	return b;
}

static struct bytes *with_text(const struct bytes *whole, size_t at, const char *text)
{
	size_t n = strlen(text);
	uint8_t *dst;
	struct bytes *b = bytes_new(whole->size + n, &dst);

	memcpy(dst, whole->data, at);
	memcpy(dst + at, text, n);
	memcpy(dst + at + n, whole->data + at, whole->size - at);
	return b;
}

/* Pixels of the map's image, with every other byte of the first row changed. */
struct other_pixels {
	struct blob *blob;
	uint64_t row;
};

static int read_other(void *arg, uint64_t off, void *dst, size_t n, struct error *e)
{
	struct other_pixels *p = arg;
	int r = blob_read(p->blob, off, dst, n, e);

	for (size_t i = 0; r == 0 && i < n && off + i < p->row; i++)
		((uint8_t *)dst)[i] ^= (off + i) % 2 ? 0xff : 0;
	return r;
}

/* The file is uncompressed, even if the map's own images are shown compressed. */
static struct bytes *mutate_png(const struct tw_map *m, entry_id id)
{
	const struct tw_item *it = tw_item_at(m, TW_IMAGE, tw_id_index(id));
	uint32_t w = (uint32_t)it->ints->v[IMAGE_WIDTH], h = (uint32_t)it->ints->v[IMAGE_HEIGHT];
	struct other_pixels p = {tw_get_blob(m, it, IMAGE_DATA), 4 * (uint64_t)w};
	uint64_t size;
	uint8_t *dst;
	struct bytes *b;

	if (png_file_size(w, h, &size) < 0)
		return NULL;
	b = bytes_new((size_t)size, &dst);
	if (b && png_file_read(w, h, read_other, &p, NULL, 0, dst, b->size, NULL) == 0)
		return b;
	bytes_unref(b);
	return NULL;
}

/* The text with another last digit in its last number. */
static struct bytes *mutate_number(const struct bytes *whole)
{
	for (size_t i = whole->size; i-- > 0;)
		if (isdigit(whole->data[i]))
			return with_byte(whole, i, whole->data[i] == '0' ? 1 : -1);
	return NULL;
}

/* The content must begin like an Opus file: "OggS", one segment, "OpusHead", mono. */
static struct bytes *mutate_opus(const struct bytes *whole)
{
	static const uint8_t head[46] = {[0] = 'O',
		'g',
		'g',
		'S',
		[26] = 1,
		19,
		'O',
		'p',
		'u',
		's',
		'H',
		'e',
		'a',
		'd',
		1,
		1};

	if (memmem(whole->data, whole->size, "OpusHead", 8))
		return with_text(whole, whole->size, "more");
	return bytes_copy(head, sizeof(head));
}

static struct bytes *mutate_info(unsigned file, const struct bytes *whole)
{
	if (whole->size == 0)
		return bytes_copy("mapfs\n", 6);
	if (file == 4 && whole->data[whole->size - 1] == '\n')
		return with_text(whole, 0, "sv_test 1\n");
	if (file == 4)
		return with_text(whole, whole->size, "\n");
	/* Only one line may be put, even if the present content has more. */
	if (memchr(whole->data, '\n', whole->size - 1) || whole->data[0] == '\n')
		return bytes_copy("mapfs\n", 6);
	if (whole->data[whole->size - 1] != '\n')
		return with_text(whole, whole->size, "\n");
	return with_byte(whole, 0, whole->data[0] < 'z' ? 1 : -1);
}

/* The integers of an item must not get a leading zero or become -0. */
static struct bytes *mutate_item(const struct bytes *whole)
{
	if (whole->size == 0)
		return bytes_copy("7\n", 2);
	return with_text(whole, whole->size, "-2147483648\n");
}

struct bytes *mutate(const struct tw_map *m, entry_id id, const struct bytes *whole)
{
	switch (tw_id_kind(id)) {
	case TW_K_INFO:
		return mutate_info(tw_id_index(id), whole);
	case TW_K_IMAGE_PNG:
		return mutate_png(m, id);
	case TW_K_IMAGE_JSON:
		if (tw_get_int(tw_item_at(m, TW_IMAGE, tw_id_index(id)), 3, 0) == 0)
			return NULL;
		return mutate_number(whole);
	case TW_K_SOUND_OPUS:
		return mutate_opus(whole);
	case TW_K_RAW_ITEM:
		return mutate_item(whole);
	case TW_K_RAW_DATA:
		return whole->size ? with_byte(whole, whole->size - 1, 1) : bytes_copy("x", 1);
	default:
		return mutate_layers(m, id, whole);
	}
}

static bool same_ints(const struct tw_ints *a, const struct tw_ints *b)
{
	return a->n == b->n && memcmp(a->v, b->v, 4 * (size_t)a->n) == 0;
}

static bool layer_of_image(const struct tw_item *it, int32_t image)
{
	return it->type == TW_LAYER && tw_get_int(it, 1, 0) == LAYER_TILES &&
	       tw_get_int(it, 6, -1) == 0 && tw_get_int(it, 13, -1) == image;
}

static bool may_change_item(const struct tw_map *m, entry_id id, uint32_t i)
{
	const struct tw_item *it = &m->items[i];

	switch (tw_id_kind(id)) {
	case TW_K_INFO:
		return it->type == TW_INFO;
	case TW_K_IMAGE_PNG:
		return it == tw_item_at(m, TW_IMAGE, tw_id_index(id)) ||
		       layer_of_image(it, (int32_t)tw_id_index(id));
	case TW_K_IMAGE_JSON:
		return it == tw_item_at(m, TW_IMAGE, tw_id_index(id));
	case TW_K_SOUND_OPUS:
		return it == tw_item_at(m, TW_SOUND, tw_id_index(id));
	case TW_K_RAW_ITEM:
		return i == tw_id_index(id);
	default:
		return false;
	}
}

/* May a put change the blob behind integer i of the item? -1 stands for any blob. */
static bool may_change_blob(const struct tw_map *m, entry_id id, uint32_t i)
{
	const struct tw_item *it;
	uint32_t field;

	switch (tw_id_kind(id)) {
	case TW_K_INFO:
		it = tw_item_at(m, TW_INFO, 0);
		field = 1 + tw_id_index(id);
		break;
	case TW_K_IMAGE_PNG:
		for (size_t k = 0; k < m->n_items; k++)
			if (layer_of_image(&m->items[k], (int32_t)tw_id_index(id)) &&
				tw_get_int(&m->items[k], 14, -1) == (int32_t)i)
				return true;
		it = tw_item_at(m, TW_IMAGE, tw_id_index(id));
		field = IMAGE_DATA;
		break;
	case TW_K_SOUND_OPUS:
		it = tw_item_at(m, TW_SOUND, tw_id_index(id));
		field = SOUND_DATA;
		break;
	case TW_K_RAW_DATA:
		return i == tw_id_index(id);
	default:
		return false;
	}
	return it && tw_get_int(it, field, -1) == (int32_t)i;
}

bool locality_holds(
	const struct tw_map *before, const struct tw_map *after, entry_id id, char *text, size_t n)
{
	for (uint32_t i = 0; i < before->n_items; i++) {
		if (same_ints(before->items[i].ints, after->items[i].ints))
			continue;
		snprintf(text, n, "item %u of type %u", i, before->items[i].type);
		if (!may_change_item(before, id, i) &&
			!layers_may_change_item(before, after, id, i))
			return false;
	}
	for (uint32_t i = 0; i < before->n_blobs; i++) {
		if (before->blobs[i] == after->blobs[i])
			continue;
		snprintf(text, n, "data item %u", i);
		if (!may_change_blob(before, id, i) && !layers_may_change_blob(before, id, i))
			return false;
	}
	return true;
}
