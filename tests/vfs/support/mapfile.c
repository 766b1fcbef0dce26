/* SPDX-License-Identifier: Zlib */
#include "mapfile.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/buffer.h"
#include "base/cursor.h"
#include "mapview.h"

enum { N_ITEMS = 8, N_TYPES = 6, N_BLOBS = 11 };

struct item {
	uint32_t type, id, n;
	int32_t v[24];
};

/*
 * -1 if a layer has no envelope, image or data of that kind; names are packed big-endian with 128
 * added to each byte.
 */
static void name_ints(int32_t to[3], const char *name)
{
	uint8_t raw[12] = {0};

	memcpy(raw, name, strlen(name));
	for (int i = 0; i < 3; i++) {
		uint32_t v = 0;

		for (int k = 0; k < 4; k++)
			v = v << 8 | (uint8_t)(raw[4 * i + k] + (i == 2 && k == 3 ? 0 : 128));
		to[i] = (int32_t)v;
	}
}

static struct item layer(
	uint32_t id, const char *name, int32_t kind, int32_t image, int32_t data, int32_t front)
{
	struct item it = {5, id, 23,
		{0, 2, 0, 3, MAP_WIDTH, MAP_HEIGHT, kind, 255, 255, 255, 255, -1, 0, image, data, 0,
			0, 0, -1, -1, front, -1, -1}};

	name_ints(it.v + 15, name);
	return it;
}

static void blob_add(struct buffer *data, uint32_t *offs, uint32_t *sizes, size_t i,
	const void *content, size_t n)
{
	uLongf packed = compressBound((uLong)n);
	uint8_t *to = malloc(packed);

	offs[i] = (uint32_t)data->size;
	sizes[i] = (uint32_t)n;
	if (to && compress(to, &packed, content, (uLong)n) == Z_OK)
		buffer_append(data, to, packed);
	free(to);
}

static void blobs(struct buffer *data, uint32_t *offs, uint32_t *sizes, const char *author)
{
	static const uint8_t pixels[16] = {
		255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 9, 9, 9, 9};
	const char *texts[] = {author, "v1", "nobody", "CC0", "img"};
	uint8_t tiles[4 * MAP_CELLS] = {0};
	size_t i = 0;

	for (; i < 5; i++)
		blob_add(data, offs, sizes, i, texts[i], strlen(texts[i]) + 1);
	blob_add(data, offs, sizes, i++, pixels, sizeof(pixels));
	for (int k = 0; k < MAP_CELLS; k++)
		tiles[4 * k] = (uint8_t)(k & 1);
	blob_add(data, offs, sizes, i++, tiles, sizeof(tiles));
	memset(tiles, 0, sizeof(tiles));
	blob_add(data, offs, sizes, i++, tiles, sizeof(tiles)); /* data of front: unused */
	blob_add(data, offs, sizes, i++, tiles, sizeof(tiles)); /* front's own field */
	tiles[4] = 7;
	blob_add(data, offs, sizes, i++, tiles, sizeof(tiles));
	/* Unused data, shown only in raw/. */
	blob_add(data, offs, sizes, i++, "spare", 5);
}

static void put_items(struct buffer *b, const struct item *items)
{
	uint32_t off = 0;

	for (uint32_t i = 0; i < N_ITEMS; off += 8 + 4 * items[i].n, i++)
		buffer_u32(b, off);
}

static uint32_t items_size(const struct item *items)
{
	uint32_t n = 0;

	for (int i = 0; i < N_ITEMS; i++)
		n += 8 + 4 * items[i].n;
	return n;
}

static void put_types(struct buffer *b, const struct item *items)
{
	for (uint32_t i = 0, n; i < N_ITEMS; i += n) {
		for (n = 1; i + n < N_ITEMS && items[i + n].type == items[i].type; n++)
			;
		buffer_u32(b, items[i].type);
		buffer_u32(b, i);
		buffer_u32(b, n);
	}
}

struct bytes *map_build(const char *author)
{
	struct buffer b = BUFFER_INIT, data = BUFFER_INIT;
	uint32_t offs[N_BLOBS], sizes[N_BLOBS], size;
	struct item items[N_ITEMS] = {
		{0, 0, 1, {1}},
		{1, 0, 6, {1, 0, 1, 2, 3, -1}},
		{2, 0, 6, {1, 2, 2, 0, 4, 5}},
		{4, 0, 15, {3, 0, 0, 100, 100, 0, 3, 0, 0, 0, 0, 0}},
		layer(0, "game", 1, -1, 6, -1),
		layer(1, "front", 8, -1, 7, 8),
		layer(2, "deco", 0, 0, 9, -1),
		{6, 0, 0, {0}},
	};
	struct bytes *ret = NULL;

	name_ints(items[3].v + 12, "g");
	blobs(&data, offs, sizes, author);
	size = MAP_HEADER - 16 + 12 * N_TYPES + 4 * N_ITEMS + 8 * N_BLOBS + items_size(items);
	buffer_text(&b, "DATA");
	buffer_u32(&b, 4);
	buffer_u32(&b, size + (uint32_t)data.size);
	buffer_u32(&b, size);
	buffer_u32(&b, N_TYPES);
	buffer_u32(&b, N_ITEMS);
	buffer_u32(&b, N_BLOBS);
	buffer_u32(&b, items_size(items));
	buffer_u32(&b, (uint32_t)data.size);
	put_types(&b, items);
	put_items(&b, items);
	for (int i = 0; i < N_BLOBS; i++)
		buffer_u32(&b, offs[i]);
	for (int i = 0; i < N_BLOBS; i++)
		buffer_u32(&b, sizes[i]);
	for (int i = 0; i < N_ITEMS; i++) {
		buffer_u32(&b, items[i].type << 16 | items[i].id);
		buffer_u32(&b, 4 * items[i].n);
		for (uint32_t k = 0; k < items[i].n; k++)
			buffer_u32(&b, (uint32_t)items[i].v[k]);
	}
	if (data.data)
		buffer_append(&b, data.data, data.size);
	buffer_finish_free(&data);
	if (buffer_finish(&b, &ret) < 0)
		return NULL;
	return ret;
}

bool map_is_sound(const struct bytes *map)
{
	struct mapview v;

	if (!mapview_init(map, &v) || !mapview_item(&v, 0, 0) || !mapview_item(&v, 5, 2))
		return false;
	for (int64_t i = 0; (uint64_t)i < v.n_data; i++) {
		size_t size;
		uint8_t *b = mapview_blob(&v, i, &size);

		if (!b)
			return false;
		free(b);
	}
	return true;
}

char *map_info(const struct bytes *map, unsigned field)
{
	const uint8_t *info;
	struct mapview v;
	size_t size;
	char *text;

	if (!mapview_init(map, &v) || !(info = mapview_item(&v, 1, 0)))
		return NULL;
	if (load_i32(info + 4 + 4 * field) == -1)
		return calloc(1, 1);
	text = (char *)mapview_blob(&v, load_u32(info + 4 + 4 * field), &size);
	for (size_t i = 0; text && i < size; i++)
		if (!text[i])
			text[i] = '\n';
	return text;
}

bool map_ids(const struct bytes *map, unsigned layer_nth, uint8_t ret[MAP_CELLS])
{
	const uint8_t *it;
	struct mapview v;
	size_t size;
	uint8_t *tiles;

	if (!mapview_init(map, &v) || !(it = mapview_item(&v, 5, layer_nth)))
		return false;
	tiles = mapview_blob(&v, load_u32(it + 4 * (layer_nth == MAP_FRONT ? 20 : 14)), &size);
	for (int i = 0; tiles && i < MAP_CELLS; i++)
		ret[i] = tiles[4 * i];
	free(tiles);
	return tiles && size == (size_t)4 * MAP_CELLS;
}
