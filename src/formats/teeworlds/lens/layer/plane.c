/* SPDX-License-Identifier: Zlib */
/*
 * plane: one field of all tiles of a layer as a table (layout rules 12 to 15). Tiles go by in runs,
 * so a layer of any size is read, compared and replaced in bounded memory.
 */
#include <errno.h>

#include "codec/text/csv.h"
#include "formats/teeworlds/item/tiles.h"
#include "formats/teeworlds/lens/kinds.h"
#include "formats/teeworlds/lens/layer/reshape.h"
#include "formats/teeworlds/lens/layer/tree.h"
#include "formats/teeworlds/model/groups.h"

enum { RUN = CSV_RUN, BYTE_CELL = 3, WIDE_CELL = 6 };

struct plane {
	uint32_t item;
	struct tw_tiles tiles;
	struct tw_plane_at at;
	struct csv_shape shape;
};

static int find_plane(const struct tw_map *m, entry_id id, struct plane *ret, struct error *e)
{
	const struct tw_plane_at *at = NULL;
	struct plane p = {0};

	if (tw_at(m, TW_LAYER, tw_id_b(id), &p.item) < 0 || tw_id_c(id) >= TW_N_PLANES)
		return error_set(e, -ENOENT, "no such layer");
	if (tw_tiles_of(m, &m->items[p.item], &p.tiles))
		at = tw_plane_in(p.tiles.form, (enum tw_plane)tw_id_c(id));
	if (!at && m->items[p.item].made)
		return tw_layer_lacks(&m->items[p.item], e);
	if (!at)
		return error_set(e, -EIO, "the layer no longer has tiles with this field");
	p.at = *at;
	p.shape = (struct csv_shape){
		p.tiles.w, p.tiles.h, at->wide ? (uint32_t)WIDE_CELL : (uint32_t)BYTE_CELL};
	*ret = p;
	return 0;
}

static int plane_stat(const struct tw_map *m, entry_id id, struct entry *ret, struct error *e)
{
	struct plane p;
	int r = find_plane(m, id, &p, e);

	if (r < 0)
		return r;
	tw_stat_file(ret, csv_size(&p.shape), true);
	ret->needed = tw_layer_is_shared(m, tw_id_b(id));
	ret->lasting = !ret->needed;
	return 0;
}

static int32_t cell_of(const struct tw_plane_at *at, const uint8_t *tile)
{
	if (!at->wide)
		return tile[at->at];
	return (int16_t)(uint16_t)(tile[at->at] | tile[at->at + 1] << 8);
}

static void set_cell(const struct tw_plane_at *at, uint8_t *tile, int32_t value)
{
	tile[at->at] = (uint8_t)value;
	if (at->wide)
		tile[at->at + 1] = (uint8_t)((uint32_t)value >> 8);
}

/* A plane on its way into a table. */
struct reading {
	const struct plane *plane;
	struct bytes *all; /* the blob's content, where that is in memory */
	uint8_t run[RUN * TW_TILE_MAX];
};

static int read_cells(void *arg, uint64_t first, size_t n, struct csv_values *ret, struct error *e)
{
	struct reading *g = arg;
	const struct tw_tiles *t = &g->plane->tiles;
	const struct tw_plane_at *at = &g->plane->at;
	const uint8_t *tiles = g->run;
	int r = 0;

	if (g->all && (first + n) * t->size <= g->all->size)
		tiles = g->all->data + first * t->size;
	else
		r = tw_tiles_read(t, first, n, g->run, e);
	*ret = (struct csv_values){tiles + at->at, t->size, at->wide};
	return r;
}

static int plane_get(
	const struct tw_map *m, entry_id id, uint64_t off, void *dst, size_t n, struct error *e)
{
	struct reading g;
	struct plane p;
	int r = find_plane(m, id, &p, e);

	if (r < 0)
		return r;
	g.plane = &p;
	g.all = NULL;
	if (n && !p.tiles.packed)
		r = blob_hold(p.tiles.blob, off + n == csv_size(&p.shape) ? p.tiles.blob->size : 0,
			&g.all, e);
	if (r == 0)
		r = csv_read(&p.shape, read_cells, &g, off, dst, n, e);
	bytes_unref(g.all);
	return r;
}

static int plane_readable(const struct tw_map *m, entry_id id, struct error *e)
{
	struct plane p;
	int r = find_plane(m, id, &p, e);

	return r < 0 ? r : tw_tiles_sound(&p.tiles, e);
}

/* A table on its way into the tiles. */
struct putting {
	const struct plane *plane;
	struct tw_tile_writer *out;
	bool differs;
};

static int take_cells(void *arg, uint64_t first, const int32_t *cells, size_t n, struct error *e)
{
	struct putting *put = arg;
	const struct plane *p = put->plane;
	uint8_t tiles[RUN * TW_TILE_MAX];

	while (n) {
		size_t k = n < RUN ? n : RUN;
		int r = tw_tiles_read(&p->tiles, first, k, tiles, e);

		for (size_t i = 0; r == 0 && i < k; i++) {
			uint8_t *tile = tiles + i * p->tiles.size;

			put->differs |= cell_of(&p->at, tile) != cells[i];
			set_cell(&p->at, tile, cells[i]);
		}
		if (r == 0)
			r = tw_tile_writer_put(put->out, tiles, k, e);
		if (r < 0)
			return r;
		first += k;
		cells += k;
		n -= k;
	}
	return 0;
}

static bool clear_cell(void *arg, uint8_t *tile)
{
	const struct tw_plane_at *at = arg;
	bool differs = cell_of(at, tile) != 0;

	set_cell(at, tile, 0);
	return differs;
}

static int change_plane(const struct tw_map *m, const struct plane *p, const struct extent *in,
	struct tw_change *c, struct error *e)
{
	CLEANUP(tw_tile_writer_destroy)
	struct tw_tile_writer *out = tw_tile_writer_create(m, p->tiles.form, p->tiles.packed);
	struct putting put = {.plane = p, .out = out};
	struct blob *fresh = NULL;
	int r;

	if (!out)
		return error_set(e, -ENOMEM, "no memory for the tiles of a layer");
	r = csv_parse(
		in, &p->shape, tw_plane_min(&p->at), tw_plane_max(&p->at), take_cells, &put, e);
	if (r < 0 || !put.differs)
		return r;
	r = tw_tile_writer_keep(out, &p->tiles, &fresh, e);
	if (r == 0)
		tw_change_data(c, p->item, p->tiles.field, fresh);
	return r;
}

/* A table that does not fit the layer: is it one of another size? Then it waits, for the layer.json
 * or for the size that all tables have. */
static int judge_size(const struct tw_map *m, const struct plane *p, const struct extent *in,
	struct tw_change *c, struct error *e)
{
	struct csv_shape size;
	int r = csv_measure(in, tw_plane_min(&p->at), tw_plane_max(&p->at), &size, e);

	if (r < 0)
		return r;
	if (size.width < TW_SIDE_MIN || size.height < TW_SIDE_MIN)
		return error_set(e, -EINVAL, "the table has %u lines of %u columns (at least %d)",
			size.height, size.width, TW_SIDE_MIN);
	r = tw_layer_take_size(m, p->item, &size, c, e);
	return r < 0 ? r
		     : error_set(e, -EAGAIN,
			       "the table has %u lines of %u columns (the layer has height %u, "
			       "width %u)",
			       size.height, size.width, p->tiles.h, p->tiles.w);
}

static int plane_parse(const struct tw_map *m, entry_id id, const struct extent *in,
	struct tw_change *c, struct error *e)
{
	struct plane p;
	int r = tw_layer_refuses(find_plane(m, id, &p, e), e);

	if (r < 0)
		return r;
	if (!in)
		return tw_tiles_edit(m, p.item, &p.tiles, clear_cell, &p.at, c, e);
	r = change_plane(m, &p, in, c, e);
	return r == -EINVAL ? judge_size(m, &p, in, c, e) : r;
}

static bool says_other(const struct tw_map *m, const struct format_written *w)
{
	CLEANUP(tw_change_free) struct tw_change *c = tw_change_new(m);

	return c && plane_parse(m, w->id, w->in, c, NULL) == 0 && c->to;
}

bool tw_plane_comes_first(const struct tw_map *m, uint32_t item, const struct format_others *others)
{
	for (unsigned i = 0; i < TW_N_PLANES; i++) {
		const struct format_written *w = tw_layer_written(m, item, others, TW_K_PLANE, i);

		if (w && says_other(m, w))
			return true;
	}
	return false;
}

static void plane_touch(const struct tw_map *m, uint32_t item, struct touched *t)
{
	const struct tw_item *it = &m->items[item];
	const struct tw_tile_form *form;
	struct tw_tiles tiles;

	if (it->type != TW_LAYER || !tw_tiles_of(m, it, &tiles))
		return;
	form = tw_tile_form(tiles.form);
	for (unsigned i = 0; i < form->n; i++)
		tw_touch_layer(m, item, TW_K_PLANE, form->planes[i].plane, t);
}

const struct tw_kind tw_kind_plane = {
	.label = "plane",
	.stat = plane_stat,
	.get = plane_get,
	.readable = plane_readable,
	.parse = plane_parse,
	.touch = plane_touch,
};
