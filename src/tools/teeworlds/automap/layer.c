/* SPDX-License-Identifier: Zlib */
#include "tools/teeworlds/automap/layer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/name.h"
#include "codec/text/csv.h"
#include "codec/text/json.h"
#include "formats/teeworlds/lens/record.h"
#include "formats/teeworlds/names/parse.h"

enum { TYPE_TILES = 2, KIND_DESIGN = 0, KIND_GAME = 1, CELL = 3 };

static const char *const planes[] = {"id.csv", "flags.csv"};

static int read_file(const struct automap_files *f, const char *dir, const char *name,
	struct extent *ret, struct error *e)
{
	CLEANUP(free) char *path = path_join(dir, name);
	struct bytes *all;
	int r = path ? f->read(f->arg, path, &all, e) : error_set(e, -ENOMEM, "out of memory");

	if (r < 0)
		return error_context(e, "%s", name), r;
	*ret = extent_of_bytes(all);
	return 0;
}

static int take_image(const struct json_at *root, struct tw_auto_layer *ret, struct error *e)
{
	struct tw_parsed_name image = {0};
	struct json_at at;
	const char *stem;
	size_t n;
	int r;

	/* null, or the number of a missing image */
	if (!json_get(root, "image", &at) || json_holds_null(&at) || json_holds_int(&at))
		return 0;
	r = json_as_string(&at, &stem, &n, e);
	if (r == 0 && n > NAME_MAX)
		r = json_refuse(&at, e, "must be the name of an image");
	if (r == 0)
		r = tw_numbered_parse(TW_SORT_IMAGE, stem, n, &image, e);
	if (r == 0)
		memcpy(ret->image, image.name, image.n);
	return r;
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

/* A table that is being read from or written to a file. */
struct plane {
	const struct tw_auto_grid *grid;
	int which;
	uint64_t at; /* bytes written so far */
};

static uint8_t *cell(const struct plane *p, uint64_t i)
{
	return p->which ? &p->grid->tiles[i].flags : &p->grid->tiles[i].index;
}

static int fill(void *arg, uint64_t first, const int32_t *cells, size_t n, struct error *)
{
	for (size_t i = 0; i < n; i++)
		*cell(arg, first + i) = (uint8_t)cells[i];
	return 0;
}

static int read_plane(const struct automap_files *f, const char *dir, int which,
	struct tw_auto_grid *g, struct error *e)
{
	const struct csv_shape shape = {g->w, g->h, CELL};
	uint64_t n = (uint64_t)g->w * g->h;
	CLEANUP_EXTENT struct extent x = EXTENT_INIT;
	struct plane p = {.grid = g, .which = which};
	int r = read_file(f, dir, planes[which], &x, e);

	if (r < 0)
		return r;
	/* A cell takes two bytes or more, the last one or more. Check before allocating memory. */
	if (x.size + 1 < 2 * n)
		return error_set(e, -EINVAL, "%s is smaller than layer.json says", planes[which]);
	if (!g->tiles && n <= SIZE_MAX)
		g->tiles = calloc((size_t)n, sizeof(*g->tiles));
	if (!g->tiles)
		return error_set(e, -ENOMEM, "out of memory");
	r = csv_parse(&x, &shape, 0, UINT8_MAX, fill, &p, e);
	if (r < 0)
		error_context(e, "%s", planes[which]);
	return r;
}

int tw_auto_grid_read(const struct automap_files *f, const char *dir, const struct tw_auto_layer *l,
	struct tw_auto_grid *ret, struct error *e)
{
	int r;

	*ret = (struct tw_auto_grid){.w = l->w, .h = l->h};
	r = read_plane(f, dir, 0, ret, e);
	if (r == 0) {
		r = read_plane(f, dir, 1, ret, e);
		ret->lacks_flags = r == -ENOENT;
	}
	if (ret->lacks_flags) {
		error_clear(e);
		r = 0;
	}
	if (r < 0) {
		free(ret->tiles);
		ret->tiles = NULL;
	}
	return r;
}

static int cells(void *arg, uint64_t first, size_t, struct csv_values *ret, struct error *)
{
	*ret = (struct csv_values){cell(arg, first), sizeof(struct tw_auto_tile), false};
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

int tw_auto_grid_write(const struct automap_files *f, const char *dir,
	const struct tw_auto_grid *was, const struct tw_auto_grid *is, struct error *e)
{
	uint64_t n = (uint64_t)is->w * is->h;
	int r = 0;

	for (int which = 0; r == 0 && which < 2; which++) {
		const struct plane before = {.grid = was, .which = which};
		struct plane p = {.grid = is, .which = which};
		CLEANUP(free) char *path = path_join(dir, planes[which]);
		uint64_t i = 0;

		while (i < n && *cell(&before, i) == *cell(&p, i))
			i++;
		if (i == n)
			continue;
		r = path ? f->write(f->arg, path, plane_next, &p, e)
			 : error_set(e, -ENOMEM, "out of memory");
		if (r < 0)
			error_context(e, "%s", planes[which]);
	}
	return r;
}
