/* SPDX-License-Identifier: Zlib */
#include "formats/teeworlds/item/tiles_compose.h"

#include <errno.h>
#include <string.h>

#include "codec/text/csv.h"
#include "formats/teeworlds/item/opaque.h"
#include "formats/teeworlds/model/store.h"

/* The recipe of a step over the tiles in recipe.source. */
struct composed {
	struct tw_recipe recipe; /* first */
	struct tw_tiles t;       /* the tiles in recipe.source, which owns the blob */
	struct tw_tiles_step step;
	struct budget *budget;
};

static int compose_tiles(struct tw_recipe *r, struct spool *out, struct error *e);

static void drop_table(struct tw_recipe *r)
{
	content_unref(((struct composed *)r)->step.table);
}

/* The step of a composed blob, materialized or not; NULL for other blobs. */
static const struct composed *get_composed(const struct blob *b)
{
	const struct tw_recipe *r = b ? (const struct tw_recipe *)b->recipe : NULL;

	return r && r->compose == compose_tiles ? (const struct composed *)r : NULL;
}

static bool same_step(const struct tw_tiles_step *a, const struct tw_tiles_step *b)
{
	return a->kind == b->kind && a->table == b->table && a->at.plane == b->at.plane &&
	       a->at.offset == b->at.offset &&
	       memcmp(a->changed, b->changed, sizeof(a->changed)) == 0 &&
	       memcmp(a->opaque, b->opaque, sizeof(a->opaque)) == 0 && a->w == b->w &&
	       a->h == b->h && a->form == b->form && a->packed == b->packed;
}

static bool same_tiles(const struct tw_tiles *a, const struct tw_tiles *b)
{
	return a->blob == b->blob && a->form == b->form && a->w == b->w && a->h == b->h &&
	       a->packed == b->packed;
}

bool tw_tiles_have_table(const struct blob *b, const struct content *table)
{
	const struct composed *c;

	for (; (c = get_composed(b)); b = c->recipe.source)
		if (c->step.table == table)
			return true;
	return false;
}

static struct blob *find_equal(
	struct blob *like, const struct tw_tiles *t, const struct tw_tiles_step *step)
{
	const struct composed *c;

	for (; (c = get_composed(like)); like = c->recipe.source)
		if (same_tiles(&c->t, t) && same_step(&c->step, step))
			return like;
	return NULL;
}

static uint64_t size_after(const struct tw_tiles *t, const struct tw_tiles_step *step)
{
	if (step->kind != TW_TILES_REFIT)
		return t->packed ? BLOB_SIZE_UNKNOWN : blob_size(t->blob);
	return step->packed ? BLOB_SIZE_UNKNOWN
			    : (uint64_t)step->w * step->h * tw_tile_form(step->form)->size;
}

int tw_tiles_compose(const struct tw_map *m, const struct tw_tiles *t,
	const struct tw_tiles_step *step, struct blob *like, struct blob **ret, struct error *e)
{
	struct composed *c;

	if (step->kind == TW_TILES_REFIT &&
		(uint64_t)step->w * step->h > INT32_MAX / tw_tile_form(step->form)->size)
		return error_set(e, -EINVAL,
			"%u x %u tiles of %u bytes are too many (at most %d bytes)", step->w,
			step->h, tw_tile_form(step->form)->size, INT32_MAX);
	*ret = blob_ref(find_equal(like, t, step));
	if (*ret)
		return 0;
	c = calloc(1, sizeof(*c));
	if (c) {
		c->recipe = (struct tw_recipe){.source = blob_ref(t->blob),
			.compose = compose_tiles,
			.finish = drop_table};
		c->t = *t;
		c->step = *step;
		content_ref(step->table);
		c->budget = m->shared->budget;
		*ret = tw_compose(m, &c->recipe, size_after(t, step));
	}
	return c && *ret ? 0 : error_set(e, -ENOMEM, "out of memory");
}

/* The state of applying a step. */
struct doing {
	const struct tw_tiles *t; /* source */
	const struct tw_tiles_step *step;
	struct tw_tile_writer *out; /* NULL: only compare */
	bool differs;
};

static int put_cells(void *arg, uint64_t first, const int32_t *cells, size_t n, struct error *e)
{
	struct doing *d = arg;
	const struct tw_tiles *t = d->t;
	uint8_t tiles[TW_TILE_RUN * TW_TILE_MAX];

	while (n) {
		size_t k = n < TW_TILE_RUN ? n : TW_TILE_RUN;
		int r = tw_tiles_read(t, first, k, tiles, e);

		for (size_t i = 0; r == 0 && i < k; i++) {
			uint8_t *tile = tiles + i * t->size;

			d->differs |= tw_tile_cell(&d->step->at, tile) != cells[i];
			tw_tile_set_cell(&d->step->at, tile, cells[i]);
		}
		if (r == 0 && d->out)
			r = tw_tile_writer_put(d->out, tiles, k, e);
		if (r < 0)
			return r;
		first += k;
		cells += k;
		n -= k;
	}
	return 0;
}

static int put_plane(struct doing *d, const struct extent *table, struct error *e)
{
	const struct tw_plane_at *at = &d->step->at;
	const struct csv_shape shape = {d->t->w, d->t->h, 0};

	return csv_parse(table, &shape, tw_plane_min(at), tw_plane_max(at), put_cells, d, e);
}

int tw_tiles_compare(const struct tw_tiles *t, const struct tw_plane_at *at,
	const struct extent *table, bool *ret_same, struct error *e)
{
	const struct tw_tiles_step step = {.kind = TW_TILES_PLANE, .at = *at};
	struct doing d = {.t = t, .step = &step};
	int r = put_plane(&d, table, e);

	*ret_same = r == 0 && !d.differs;
	return r;
}

static bool has_bit(const uint8_t bits[32], uint8_t id)
{
	return bits[id / 8] & 1 << id % 8;
}

static void edit_tile(struct doing *d, uint8_t *tile)
{
	const struct tw_tiles_step *s = d->step;
	uint8_t flags = tile[1];

	if (s->kind == TW_TILES_CLEAR) {
		d->differs |= tw_tile_cell(&s->at, tile) != 0;
		tw_tile_set_cell(&s->at, tile, 0);
	} else if (s->kind == TW_TILES_OPAQUE && has_bit(s->changed, tile[0])) {
		tile[1] = (uint8_t)((flags & ~TW_TILE_OPAQUE) |
				    (has_bit(s->opaque, tile[0]) ? TW_TILE_OPAQUE : 0));
		d->differs |= tile[1] != flags;
	}
}

static int edit_tiles(struct doing *d, struct error *e)
{
	const struct tw_tiles *t = d->t;
	uint64_t all = (uint64_t)t->w * t->h;
	uint8_t run[TW_TILE_RUN * TW_TILE_MAX];
	int r = 0;

	for (uint64_t at = 0; r == 0 && at < all; at += TW_TILE_RUN) {
		size_t n = all - at < TW_TILE_RUN ? (size_t)(all - at) : TW_TILE_RUN;

		r = tw_tiles_read(t, at, n, run, e);
		for (size_t i = 0; r == 0 && i < n; i++)
			edit_tile(d, run + i * t->size);
		if (r == 0)
			r = tw_tile_writer_put(d->out, run, n, e);
	}
	return r;
}

/* Get the tiles [x, x + n) of row y of the new size. */
static int refit_run(const struct tw_tiles *t, uint32_t x, uint32_t y, size_t n, uint8_t size,
	uint8_t *dst, struct error *e)
{
	size_t have = 0;
	int r = 0;

	if (t && y < t->h && x < t->w)
		have = t->w - x < n ? t->w - x : n;
	if (have)
		r = tw_tiles_read(t, (uint64_t)y * t->w + x, have, dst, e);
	memset(dst + have * size, 0, (n - have) * size);
	return r;
}

static int refit_tiles(struct doing *d, struct error *e)
{
	const struct tw_tiles *t = d->t->blob ? d->t : NULL;
	uint32_t w = d->step->w, h = d->step->h;
	uint8_t size = d->out->form->size;
	uint8_t run[TW_TILE_RUN * TW_TILE_MAX];
	int r = 0;

	for (uint32_t y = 0; r == 0 && y < h; y++) {
		for (uint32_t x = 0; r == 0 && x < w; x += TW_TILE_RUN) {
			size_t n = w - x < TW_TILE_RUN ? w - x : TW_TILE_RUN;

			r = refit_run(t, x, y, n, size, run, e);
			if (r == 0)
				r = tw_tile_writer_put(d->out, run, n, e);
		}
	}
	return r;
}

static int apply_step(struct doing *d, struct error *e)
{
	switch (d->step->kind) {
	case TW_TILES_PLANE:
		return put_plane(d, &d->step->table->bytes, e);
	case TW_TILES_REFIT:
		d->differs = true;
		return refit_tiles(d, e);
	default:
		d->differs = d->step->kind == TW_TILES_CLEAN;
		return edit_tiles(d, e);
	}
}

/* Get the tiles below this step. If they are composed and not materialized, compose them without
 * compression, for this use only; *ret_blob then owns them. */
static int decode_source(
	const struct composed *c, struct tw_tiles *ret, struct blob **ret_blob, struct error *e)
{
	CLEANUP_EXTENT struct extent plain = EXTENT_INIT;
	struct tw_recipe *below = tw_recipe_of(c->recipe.source);
	int r = below ? tw_recipe_compose(below, &plain, e) : 0;

	*ret = c->t;
	if (r < 0 || !below)
		return r;
	*ret_blob = blob_new(&plain, BLOB_RAW, plain.size, c->budget);
	ret->blob = *ret_blob;
	return *ret_blob ? 0 : error_set(e, -ENOMEM, "out of memory");
}

static int compose_tiles(struct tw_recipe *recipe, struct spool *out, struct error *e)
{
	const struct composed *c = (const struct composed *)recipe;
	bool is_refit = c->step.kind == TW_TILES_REFIT;
	CLEANUP(blob_unref) struct blob *below = NULL;
	struct tw_tile_writer writer = {.out = out,
		.form = tw_tile_form(is_refit ? c->step.form : c->t.form),
		.packed = is_refit ? c->step.packed : c->t.packed};
	struct tw_tiles t;
	struct doing d = {&t, &c->step, &writer, false};
	int r = decode_source(c, &t, &below, e);

	if (r == 0)
		r = apply_step(&d, e);
	if (r == 0)
		r = tw_tile_writer_end(&writer, is_refit ? NULL : &t, e);
	return r < 0 ? r : !d.differs;
}
