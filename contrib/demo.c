/* SPDX-License-Identifier: Zlib */
/*
 * demo-map FILE: a small map to try mapfs with, written by mapfs's own writer.
 *
 * A room of 40 x 24 tiles with a floor, platforms and a few things to pick up, drawn with a tileset
 * that it embeds.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "base/durable/replace.h"
#include "formats/teeworlds/datafile/write.h"

enum { WIDTH = 40, HEIGHT = 24, TILE = 16, TILESET = 16 * TILE, OPAQUE = 4 };
enum { AIR = 0, SOLID = 1, SPAWN = 192, ARMOR = 197, HEALTH = 198, SHOTGUN = 199 };
enum { LAYER_TILES = 2, FLAG_GAME = 1, GROUND_FROM = 3 };

struct demo {
	struct tw_map *map;
	int error; /* the first one stays */
};

static int32_t add_blob(struct demo *d, struct bytes *take)
{
	uint32_t handle = 0;
	int r = tw_map_add_blob(d->map, take ? blob_of_bytes(take, NULL) : NULL, &handle);

	d->error = d->error ? d->error : r;
	return (int32_t)handle;
}

static int32_t add_text(struct demo *d, const char *text, size_t size)
{
	return add_blob(d, bytes_copy(text, size));
}

/* A string with its NUL. */
#define ADD_TEXT(d, text) add_text(d, text, sizeof(text))

static void add_item(struct demo *d, uint16_t type, uint16_t id, const int32_t *v, uint32_t n)
{
	struct tw_ints *ints = tw_ints_new(n);
	uint32_t handle;
	int r;

	if (ints && n)
		memcpy(ints->v, v, n * sizeof(*v));
	r = tw_map_add_item(d->map, type, id, ints, &handle);
	d->error = d->error ? d->error : r;
}

#define ADD_ITEM(d, type, id, ...)                                                                 \
	do {                                                                                       \
		const int32_t v_[] = {__VA_ARGS__};                                                \
		add_item(d, type, id, v_, sizeof(v_) / sizeof(v_[0]));                             \
	} while (0)

/* A name in an item: every byte + 128, big-endian in three integers, the last byte 0. */
static void pack_name(int32_t ret[3], const char *name)
{
	uint8_t padded[12];
	size_t n = strlen(name);

	for (size_t i = 0; i < sizeof(padded); i++)
		padded[i] = (uint8_t)((i < n ? (uint8_t)name[i] : 0) + 128);
	padded[11] = 0;
	for (int i = 0; i < 3; i++)
		ret[i] = (int32_t)((uint32_t)padded[4 * i] << 24 |
				   (uint32_t)padded[4 * i + 1] << 16 |
				   (uint32_t)padded[4 * i + 2] << 8 | padded[4 * i + 3]);
}

/* Cell 0 is empty, the others are bricks in colours of their own. */
static struct bytes *tileset(void)
{
	uint8_t *p;
	struct bytes *b = bytes_new(TILESET * TILESET * 4, &p);

	for (unsigned i = 0; b && i < TILESET * TILESET; i++, p += 4) {
		unsigned x = i % TILESET, y = i / TILESET, cell = y / TILE * 16 + x / TILE;
		unsigned edge = x % TILE == 0 || y % TILE == 0 ? 60 : 0;

		if (cell == 0)
			continue;
		p[0] = (uint8_t)(90 + cell * 37 % 130 - edge);
		p[1] = (uint8_t)(80 + cell * 73 % 120 - edge);
		p[2] = (uint8_t)(70 + cell * 11 % 140 - edge);
		p[3] = 255;
	}
	return b;
}

static uint8_t game_tile(unsigned x, unsigned y)
{
	if (y >= HEIGHT - GROUND_FROM || x == 0 || x == WIDTH - 1 || y == 0)
		return SOLID;
	if (y == 16 && x % 12 > 6)
		return SOLID;
	if (y == HEIGHT - GROUND_FROM - 1 && (x == 5 || x == WIDTH - 6))
		return SPAWN;
	if (y == 15 && x % 12 == 9)
		return x < WIDTH / 2 ? HEALTH : ARMOR;
	return y == 12 && x == WIDTH / 2 ? SHOTGUN : AIR;
}

/* The game layer holds the physics, the other what is seen of the solid part. */
static struct bytes *tiles(bool game)
{
	uint8_t *p;
	struct bytes *b = bytes_new(WIDTH * HEIGHT * 4, &p);

	for (unsigned i = 0; b && i < WIDTH * HEIGHT; i++) {
		unsigned x = i % WIDTH, y = i / WIDTH, tile = game_tile(x, y);

		if (!game && tile == SOLID)
			p[4 * i + 1] = OPAQUE;
		if (!game)
			tile = tile == SOLID ? 1 + (x + 3 * y) % 5 : AIR;
		p[4 * i] = (uint8_t)tile;
	}
	return b;
}

static void add_tiles(struct demo *d, uint16_t id, const char *name, int32_t flags, int32_t image)
{
	int32_t packed[3], data = add_blob(d, tiles(flags == FLAG_GAME));

	pack_name(packed, name);
	ADD_ITEM(d, TW_LAYER, id, 0, LAYER_TILES, 0, 3, WIDTH, HEIGHT, flags, 255, 255, 255, 255,
		-1, 0, image, data, packed[0], packed[1], packed[2], -1, -1, -1, -1, -1);
}

static void fill(struct demo *d)
{
	int32_t author = ADD_TEXT(d, "mapfs"), version = ADD_TEXT(d, "1");
	int32_t license = ADD_TEXT(d, "zlib");
	int32_t settings = ADD_TEXT(d, "tune gun_speed 2200");
	int32_t name, data, packed[3];

	ADD_ITEM(d, TW_VERSION, 0, 1);
	ADD_ITEM(d, TW_INFO, 0, 1, author, version, -1, license, settings);
	name = ADD_TEXT(d, "bricks");
	data = add_blob(d, tileset());
	ADD_ITEM(d, TW_IMAGE, 0, 1, TILESET, TILESET, 0, name, data);
	name = ADD_TEXT(d, "grass_doodads");
	ADD_ITEM(d, TW_IMAGE, 1, 1, 1024, 1024, 1, name, -1);
	add_tiles(d, 0, "Game", FLAG_GAME, -1);
	add_tiles(d, 1, "Bricks", 0, 0);
	pack_name(packed, "Game");
	ADD_ITEM(d, TW_GROUP, 0, 3, 0, 0, 100, 100, 0, 2, 0, 0, 0, 0, 0, packed[0], packed[1],
		packed[2]);
	add_item(d, TW_POINTS, 0, NULL, 0);
}

static int save(struct tw_map *m, const char *path, struct error *e)
{
	CLEANUP(replace_destroy) struct replace *out = NULL;
	CLEANUP(free) char *dir = strdup(path);
	CLEANUP(close_fd) int dirfd = -1;
	char *slash = dir ? strrchr(dir, '/') : NULL;
	struct plan *plan;
	int r;

	if (slash)
		slash[1] = '\0';
	dirfd = open(slash ? dir : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (!dir || dirfd < 0)
		return error_errno(e, "directory");
	r = replace_begin(dirfd, slash ? path + (slash + 1 - dir) : path, -1, &out, e);
	if (r < 0)
		return r;
	r = datafile_write(&m->base, &out, false, &plan, e);
	if (r < 0)
		return r;
	plan_free(plan);
	r = replace_close(out, e);
	return r < 0 ? r : replace_commit(out, true, NULL, e);
}

int main(int argc, char **argv)
{
	struct tw_shared *shared = calloc(1, sizeof(*shared));
	/* Nothing goes to a journal here; the writer wants a place for what it compresses. */
	struct store store = {.spool_dirfd = AT_FDCWD};
	struct error e = ERROR_INIT;
	struct demo d = {0};
	int r;

	if (argc != 2) {
		fprintf(stderr, "usage: demo-map FILE\n");
		return 1;
	}
	if (shared) {
		shared->refs = 1;
		shared->file_version = 4;
		shared->store = &store;
		d.map = tw_map_new(shared);
	}
	if (!d.map) {
		perror("demo-map");
		return 1;
	}
	fill(&d);
	r = d.error ? d.error : tw_map_reindex(d.map);
	r = r ? error_set(&e, r, "map: %s", strerror(-r)) : save(d.map, argv[1], &e);
	snapshot_unref(&d.map->base);
	if (r < 0)
		fprintf(stderr, "demo-map: %s: %s\n", argv[1], error_text(&e));
	return r < 0;
}
