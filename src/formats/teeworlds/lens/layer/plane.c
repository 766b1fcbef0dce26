/* SPDX-License-Identifier: Zlib */
/* plane: one field of all tiles of a layer as a table (layout rules 12 to 15). Tiles are processed
 * in runs, so memory is bounded for a layer of any size. */
#include <errno.h>

#include "codec/text/csv.h"
#include "formats/teeworlds/item/tiles_compose.h"
#include "formats/teeworlds/lens/kinds.h"
#include "formats/teeworlds/lens/layer/reshape.h"
#include "formats/teeworlds/lens/layer/tree.h"
#include "formats/teeworlds/model/groups.h"

enum { RUN = CSV_RUN, BYTE_CELL = 3, WIDE_CELL = 6 };

struct plane {
	uint32_t item;
	struct tw_tiles tiles;
	struct tw_plane_at field;
	struct csv_shape shape;
};

static int find_plane(const struct tw_map *m, entry_id id, struct plane *ret, struct error *e)
{
	const struct tw_plane_at *at = NULL;
	struct plane p = {0};

	if (tw_find_item(m, TW_LAYER, tw_id_b(id), &p.item) < 0 || tw_id_c(id) >= TW_N_PLANES)
		return error_set(e, -ENOENT, "no such layer");
	if (tw_get_tiles(m, &m->items[p.item], &p.tiles))
		at = tw_plane_in(p.tiles.form, (enum tw_plane)tw_id_c(id));
	if (!at && m->items[p.item].made_name)
		return tw_layer_no_file(&m->items[p.item], e);
	if (!at)
		return error_set(e, -EIO, "the layer no longer has tiles with this field");
	p.field = *at;
	p.shape = (struct csv_shape){
		p.tiles.w, p.tiles.h, at->is_wide ? (uint32_t)WIDE_CELL : (uint32_t)BYTE_CELL};
	*ret = p;
	return 0;
}

static int plane_stat(const struct tw_map *m, entry_id id, struct file_attr *ret, struct error *e)
{
	struct plane p;
	int r = find_plane(m, id, &p, e);

	if (r < 0)
		return r;
	tw_stat_file(ret, csv_size(&p.shape), true);
	ret->is_restored = tw_layer_is_shared(m, tw_id_b(id));
	ret->is_cleared_by_mount = !ret->is_restored;
	return 0;
}

/* Reads the cells of a table. */
struct cell_reader {
	const struct plane *plane;
	struct bytes *content; /* the blob's content, if it is in memory */
	uint8_t run[RUN * TW_TILE_MAX];
};

static int read_cells(void *arg, uint64_t first, size_t n, struct csv_values *ret, struct error *e)
{
	struct cell_reader *g = arg;
	const struct tw_tiles *t = &g->plane->tiles;
	const struct tw_plane_at *at = &g->plane->field;
	const uint8_t *tiles = g->run;
	int r = 0;

	if (g->content && (first + n) * t->size <= g->content->size)
		tiles = g->content->data + first * t->size;
	else
		r = tw_tiles_read(t, first, n, g->run, e);
	*ret = (struct csv_values){tiles + at->offset, t->size, at->is_wide};
	return r;
}

static int plane_get(
	const struct tw_map *m, entry_id id, uint64_t off, void *dst, size_t n, struct error *e)
{
	struct cell_reader g;
	struct plane p;
	int r = find_plane(m, id, &p, e);

	if (r < 0)
		return r;
	g.plane = &p;
	g.content = NULL;
	if (n && !p.tiles.packed)
		r = blob_load_for_read(p.tiles.blob,
			off + n == csv_size(&p.shape) ? p.tiles.blob->size : 0, &g.content, e);
	if (r == 0)
		r = csv_read(&p.shape, read_cells, &g, off, dst, n, e);
	bytes_unref(g.content);
	return r;
}

static int plane_readable(const struct tw_map *m, entry_id id, struct error *e)
{
	struct plane p;
	int r = find_plane(m, id, &p, e);

	return r < 0 ? r : tw_tiles_check(&p.tiles, e);
}

/* Validate a table of any size, and measure it. */
static int measure_table(const struct extent *in, const struct tw_plane_at *at,
	struct csv_shape *ret, struct error *e)
{
	int r = csv_measure(in, tw_plane_min(at), tw_plane_max(at), ret, e);

	if (r == 0 && (ret->width < TW_SIDE_MIN || ret->height < TW_SIDE_MIN))
		r = error_set(e, -EINVAL, "the table has %u lines of %u columns (at least %d)",
			ret->height, ret->width, TW_SIDE_MIN);
	return r;
}

/* Parse the table of a layer of the base. Its size may differ from the layer's. */
static int parse_table(const struct plane *p, const struct extent *in, struct tw_parsed_plane *ret,
	struct error *e)
{
	struct error why = ERROR_INIT;
	int r = tw_tiles_compare(&p->tiles, &p->field, in, &ret->parsed.is_unchanged, &why);

	ret->size = p->shape;
	if (r == -EINVAL)
		return measure_table(in, &p->field, &ret->size, e);
	ret->compared_blob = blob_ref(p->tiles.blob);
	return r < 0 ? error_set(e, r, "%s", error_text(&why)) : 0;
}

static void finish_parsed(struct parsed *p)
{
	blob_unref(((struct tw_parsed_plane *)p)->compared_blob);
}

static int plane_parse(const struct tw_map *m, entry_id id, struct content *in, struct parsed **ret,
	struct error *e)
{
	struct tw_parsed_plane *p;
	struct plane plane;
	int r = find_plane(m, id, &plane, e);
	bool is_new = r == -ENODATA;

	/* The size of a new layer is unknown here, so validate only the cells. */
	if (r < 0 && !is_new)
		return tw_layer_parse_error(r, e);
	error_clear(e);
	p = parsed_new(sizeof(*p), in, finish_parsed);
	if (!p)
		return error_set(e, -ENOMEM, "out of memory");
	if (is_new)
		r = measure_table(
			&in->bytes, tw_plane_usual((enum tw_plane)tw_id_c(id)), &p->size, e);
	else
		r = parse_table(&plane, &in->bytes, p, e);
	return parsed_finish(&p->parsed, r, ret);
}

static bool has_size(const struct tw_tiles *t, const struct csv_shape *size)
{
	return t->w == size->width && t->h == size->height;
}

/* Do the tiles have the content of the table already? */
static bool is_applied(const struct tw_tiles *t, const struct tw_parsed_plane *p)
{
	return (p->parsed.is_unchanged && t->blob == p->compared_blob) ||
	       tw_tiles_have_table(t->blob, p->parsed.content);
}

static int compose_tiles(struct tw_change *c, const struct plane *p,
	const struct tw_tiles_step *step, struct error *e)
{
	struct blob *fresh;
	int r = tw_tiles_check(&p->tiles, e);

	if (r == 0)
		r = tw_tiles_compose(c->base, &p->tiles, step,
			tw_change_previous_blob(c, p->item, p->tiles.field), &fresh, e);
	if (r == 0)
		tw_change_set_data(c, p->item, p->tiles.field, fresh);
	return r;
}

/* Give the layer the size of its tables, or let the table wait for a layer.json. */
static int wait_for_size(
	struct tw_change *c, const struct plane *p, const struct csv_shape *size, struct error *e)
{
	uint32_t w = p->tiles.w, h = p->tiles.h;
	int r = tw_layer_take_size(c->base, p->item, size, c, e);

	return r < 0 ? r
		     : error_set(e, -EAGAIN,
			       "the table has %u lines of %u columns (the layer has height %u, "
			       "width %u)",
			       size->height, size->width, h, w);
}

static int plane_apply(
	struct tw_change *c, entry_id id, const struct parsed *parsed, struct error *e)
{
	const struct tw_parsed_plane *written = (const struct tw_parsed_plane *)parsed;
	struct plane p;
	int r = tw_layer_parse_error(find_plane(c->base, id, &p, e), e);

	if (r < 0)
		return r;
	if (!written)
		return compose_tiles(
			c, &p, &(struct tw_tiles_step){.kind = TW_TILES_CLEAR, .at = p.field}, e);
	if (!has_size(&p.tiles, &written->size))
		return wait_for_size(c, &p, &written->size, e);
	return is_applied(&p.tiles, written)
		       ? 0
		       : compose_tiles(c, &p,
				 &(struct tw_tiles_step){.kind = TW_TILES_PLANE,
					 .at = p.field,
					 .table = parsed->content},
				 e);
}

bool tw_plane_is_waiting(const struct tw_map *m, uint32_t item, const struct build_context *others)
{
	struct tw_tiles t;

	if (!tw_get_tiles(m, &m->items[item], &t))
		return false;
	for (unsigned i = 0; i < TW_N_PLANES; i++) {
		const struct written_file *w = tw_layer_written(m, item, others, TW_K_PLANE, i);
		const struct tw_parsed_plane *p =
			w && !w->parsed->refusal_errno ? (const struct tw_parsed_plane *)w->parsed
						       : NULL;

		if (p && tw_plane_in(t.form, (enum tw_plane)i) && has_size(&t, &p->size) &&
			!is_applied(&t, p))
			return true;
	}
	return false;
}

static void plane_touch(const struct tw_map *m, uint32_t item, struct touched *t)
{
	const struct tw_item *it = &m->items[item];
	const struct tw_tile_form *form;
	struct tw_tiles tiles;

	if (it->type != TW_LAYER || !tw_get_tiles(m, it, &tiles))
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
	.apply = plane_apply,
	.touch = plane_touch,
};
