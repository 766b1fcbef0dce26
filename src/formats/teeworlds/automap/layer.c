/* SPDX-License-Identifier: Zlib */
#include "formats/teeworlds/automap/layer.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "codec/text/csv.h"
#include "codec/text/json.h"
#include "codec/text/text.h"
#include "formats/teeworlds/lens/record.h"

enum { TYPE_TILES = 2, KIND_DESIGN = 0, KIND_GAME = 1, CELL = 3 };

static const char *const planes[] = {"id.csv", "flags.csv"};

static int read_file(const struct automap_files *f, const char *dir, const char *name,
	struct extent *ret, struct error *e)
{
	CLEANUP(free) char *path = NULL;
	struct bytes *all;
	int r;

	if (asprintf(&path, "%s/%s", dir, name) < 0) {
		path = NULL;
		return error_set(e, -ENOMEM, "out of memory");
	}
	r = f->read(f->arg, path, &all, e);
	if (r == 0)
		*ret = extent_of_bytes(all);
	return r < 0 ? error_context(e, "%s", name) : 0;
}

/* "03_grass_main" is of grass_main. */
static char *name_of(const char *stem, size_t n)
{
	size_t digits = strspn(stem, "0123456789");
	char *name = malloc(n + 1);

	if (digits == n || stem[digits] == '_') {
		digits += digits < n;
		n -= digits;
		stem += digits;
	}
	if (name)
		name_unescape(stem, n, name);
	return name;
}

static int take_image(const struct json_at *root, struct tw_auto_layer *ret, struct error *e)
{
	struct json_at at;
	const char *stem = "";
	size_t n = 0;
	int r = 0;

	/* null, or a number of an image that is not there */
	if (json_get(root, "image", &at) && !json_holds_null(&at) && !json_holds_int(&at))
		r = json_as_string(&at, &stem, &n, e);
	if (r < 0)
		return r;
	ret->image = name_of(stem, n);
	return ret->image ? 0 : error_set(e, -ENOMEM, "out of memory");
}

static int take_automapper(const struct json_at *root, struct tw_auto_layer *ret, struct error *e)
{
	struct json_at at;
	int r;

	if (!json_get(root, "automapper", &at) || json_holds_null(&at))
		return 0;
	r = json_get_int(&at, "config", &ret->config, NULL, e);
	if (r == 0)
		r = json_get_int(&at, "seed", &ret->seed, NULL, e);
	return r < 0 ? r : json_get_int(&at, "flags", &ret->flags, NULL, e);
}

static int take_layer(const struct json_at *root, struct tw_auto_layer *ret, struct error *e)
{
	int32_t type = 0, kind = 0, w = 0, h = 0;
	int r = json_get_word(root, "type", tw_type_words, &type, NULL, e);

	if (r < 0 || type != TYPE_TILES)
		return r;
	r = json_get_word(root, "kind", tw_kind_words, &kind, NULL, e);
	if (r == 0)
		r = json_get_int(root, "width", &w, NULL, e);
	if (r == 0)
		r = json_get_int(root, "height", &h, NULL, e);
	if (r == 0)
		r = take_image(root, ret, e);
	if (r < 0)
		return r;
	ret->tiles = w > 0 && h > 0;
	ret->w = (uint32_t)w;
	ret->h = (uint32_t)h;
	ret->design = kind == KIND_DESIGN;
	ret->game = kind == KIND_GAME;
	return take_automapper(root, ret, e);
}

int tw_auto_layer_read(
	const struct automap_files *f, const char *dir, struct tw_auto_layer *ret, struct error *e)
{
	CLEANUP_EXTENT struct extent x = EXTENT_INIT;
	CLEANUP_JSON struct json_doc doc = {0};
	struct json_at root;
	int r;

	*ret = (struct tw_auto_layer){.config = -1};
	r = read_file(f, dir, "layer.json", &x, e);
	if (r == 0)
		r = json_doc_load(&x, JSON_TEXT_MAX, &doc, e);
	if (r < 0)
		return r;
	root = json_root(&doc);
	return take_layer(&root, ret, e);
}

void tw_auto_layer_finish(struct tw_auto_layer *l)
{
	free(l->image);
	l->image = NULL;
}

struct filling {
	struct tw_auto_tile *tiles;
	bool flags;
};

static int fill(void *arg, uint64_t first, const int32_t *cells, size_t n, struct error *e)
{
	const struct filling *f = arg;

	(void)e;
	for (size_t i = 0; i < n; i++)
		if (f->flags)
			f->tiles[first + i].flags = (uint8_t)cells[i];
		else
			f->tiles[first + i].index = (uint8_t)cells[i];
	return 0;
}

static int read_plane(const struct automap_files *f, const char *dir, bool flags,
	struct tw_auto_grid *g, struct error *e)
{
	const struct csv_shape shape = {g->w, g->h, CELL};
	uint64_t n = (uint64_t)g->w * g->h;
	CLEANUP_EXTENT struct extent x = EXTENT_INIT;
	struct filling filling = {.flags = flags};
	int r = read_file(f, dir, planes[flags], &x, e);

	if (r < 0)
		return r;
	/* A cell takes two bytes, of which the last one may lack: memory follows what is there. */
	if (x.size + 1 < 2 * n)
		return error_set(e, -EINVAL, "%s is smaller than layer.json says", planes[flags]);
	if (!g->tiles)
		g->tiles = calloc((size_t)n, sizeof(*g->tiles));
	if (!g->tiles)
		return error_set(e, -ENOMEM, "out of memory");
	filling.tiles = g->tiles;
	r = csv_parse(&x, &shape, 0, UINT8_MAX, fill, &filling, e);
	return r < 0 ? error_context(e, "%s", planes[flags]) : 0;
}

int tw_auto_grid_read(const struct automap_files *f, const char *dir, const struct tw_auto_layer *l,
	struct tw_auto_grid *ret, struct error *e)
{
	struct tw_auto_grid g = {l->w, l->h, NULL};
	int r = read_plane(f, dir, false, &g, e);

	if (r == 0)
		r = read_plane(f, dir, true, &g, e);
	if (r < 0)
		free(g.tiles);
	else
		*ret = g;
	return r;
}

/* A table on its way into a file. */
struct plane {
	const struct tw_auto_grid *grid;
	bool flags;
	uint64_t at;
};

static int cells(void *arg, uint64_t first, size_t n, struct csv_values *ret, struct error *e)
{
	const struct plane *p = arg;
	const struct tw_auto_tile *tile = &p->grid->tiles[first];

	(void)n, (void)e;
	*ret = (struct csv_values){p->flags ? &tile->flags : &tile->index, sizeof(*tile), false};
	return 0;
}

static ssize_t plane_next(void *arg, void *dst, size_t n)
{
	struct plane *p = arg;
	const struct csv_shape shape = {p->grid->w, p->grid->h, CELL};
	uint64_t left = csv_size(&shape) - p->at;
	int r;

	n = n < left ? n : (size_t)left;
	r = csv_read(&shape, cells, p, p->at, dst, n, NULL);
	p->at += n;
	return r < 0 ? r : (ssize_t)n;
}

static bool differs(const struct tw_auto_grid *a, const struct tw_auto_grid *b, bool flags)
{
	size_t i = 0, n = (size_t)a->w * a->h;

	while (i < n && (flags ? a->tiles[i].flags == b->tiles[i].flags
			       : a->tiles[i].index == b->tiles[i].index))
		i++;
	return i < n;
}

int tw_auto_grid_write(const struct automap_files *f, const char *dir,
	const struct tw_auto_grid *was, const struct tw_auto_grid *is, struct error *e)
{
	int r = 0;

	for (int flags = 0; r == 0 && flags < 2; flags++) {
		struct plane p = {.grid = is, .flags = flags};
		CLEANUP(free) char *path = NULL;

		if (!differs(was, is, flags))
			continue;
		if (asprintf(&path, "%s/%s", dir, planes[flags]) < 0) {
			path = NULL;
			return error_set(e, -ENOMEM, "out of memory");
		}
		r = f->write(f->arg, path, plane_next, &p, e);
		if (r < 0)
			error_context(e, "%s", planes[flags]);
	}
	return r;
}
