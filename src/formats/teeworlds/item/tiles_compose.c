/* SPDX-License-Identifier: Zlib */
#include "formats/teeworlds/item/tiles_compose.h"

#include <errno.h>
#include <string.h>

#include "codec/text/csv.h"
#include "formats/teeworlds/item/opaque.h"
#include "formats/teeworlds/model/store.h"

/* A step over the tiles `under` (of struct tw_recipe). */
struct composed {
	struct tw_recipe recipe; /* first */
	struct tw_tiles t;       /* what under holds; its blob is borrowed from there */
	struct tw_tiles_step step;
	struct budget *budget;
};

static int compose(struct tw_recipe *r, struct spool *out, struct error *e);

static void finish(struct tw_recipe *r)
{
	content_unref(((struct composed *)r)->step.table);
}

/* The steps of a blob, also when it was made. */
static const struct composed *composed_of(const struct blob *b)
{
	const struct tw_recipe *r = b ? (const struct tw_recipe *)b->recipe : NULL;

	return r && r->compose == compose ? (const struct composed *)r : NULL;
}

static bool same_step(const struct tw_tiles_step *a, const struct tw_tiles_step *b)
{
	return a->what == b->what && a->table == b->table && a->at.plane == b->at.plane &&
	       a->at.at == b->at.at && memcmp(a->changed, b->changed, sizeof(a->changed)) == 0 &&
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

	for (; (c = composed_of(b)); b = c->recipe.under)
		if (c->step.table == table)
			return true;
	return false;
}

static struct blob *find_like(
	struct blob *like, const struct tw_tiles *t, const struct tw_tiles_step *step)
{
	const struct composed *c;

	for (; (c = composed_of(like)); like = c->recipe.under)
		if (same_tiles(&c->t, t) && same_step(&c->step, step))
			return like;
	return NULL;
}

static uint64_t size_after(const struct tw_tiles *t, const struct tw_tiles_step *step)
{
	if (step->what != TW_TILES_REFIT)
		return t->packed ? BLOB_SIZE_UNKNOWN : blob_size(t->blob);
	return step->packed ? BLOB_SIZE_UNKNOWN
			    : (uint64_t)step->w * step->h * tw_tile_form(step->form)->size;
}

int tw_tiles_compose(const struct tw_map *m, const struct tw_tiles *t,
	const struct tw_tiles_step *step, struct blob *like, struct blob **ret, struct error *e)
{
	struct composed *c;

	if (step->what == TW_TILES_REFIT &&
		(uint64_t)step->w * step->h > INT32_MAX / tw_tile_form(step->form)->size)
		return error_set(e, -EINVAL,
			"%u x %u tiles of %u bytes are too many (at most %d bytes)", step->w,
			step->h, tw_tile_form(step->form)->size, INT32_MAX);
	*ret = blob_ref(find_like(like, t, step));
	if (*ret)
		return 0;
	c = calloc(1, sizeof(*c));
	if (c) {
		c->recipe = (struct tw_recipe){.under = blob_ref(t->blob),
			.may_be_under = t->blob != NULL,
			.compose = compose,
			.finish = finish};
		c->t = *t;
		c->step = *step;
		content_ref(step->table);
		c->budget = m->shared->budget;
		*ret = tw_compose(m, &c->recipe, size_after(t, step));
	}
	return c && *ret ? 0 : error_set(e, -ENOMEM, "no memory for the tiles of a layer");
}

/* The step while it is done. */
struct doing {
	const struct composed *c;
	const struct tw_tiles *t; /* decoded from here */
	struct tw_tile_writer *out;
	bool differs;
};

static void set_cell(const struct tw_plane_at *at, uint8_t *tile, int32_t value)
{
	tile[at->at] = (uint8_t)value;
	if (at->wide)
		tile[at->at + 1] = (uint8_t)((uint32_t)value >> 8);
}

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

			d->differs |= tw_tile_cell(&d->c->step.at, tile) != cells[i];
			set_cell(&d->c->step.at, tile, cells[i]);
		}
		if (r == 0)
			r = tw_tile_writer_put(d->out, tiles, k, e);
		if (r < 0)
			return r;
		first += k;
		cells += k;
		n -= k;
	}
	return 0;
}

static int put_plane(struct doing *d, struct error *e)
{
	const struct tw_plane_at *at = &d->c->step.at;
	const struct csv_shape shape = {d->t->w, d->t->h, 0};

	return csv_parse(&d->c->step.table->bytes, &shape, tw_plane_min(at), tw_plane_max(at),
		put_cells, d, e);
}

static bool has_bit(const uint8_t bits[32], uint8_t id)
{
	return bits[id / 8] & 1 << id % 8;
}

static void edit_tile(struct doing *d, uint8_t *tile)
{
	const struct tw_tiles_step *s = &d->c->step;
	uint8_t flags = tile[1];

	if (s->what == TW_TILES_CLEAR) {
		d->differs |= tw_tile_cell(&s->at, tile) != 0;
		set_cell(&s->at, tile, 0);
	} else if (has_bit(s->changed, tile[0])) {
		tile[1] = (uint8_t)((flags & ~TW_TILE_OPAQUE) |
				    (has_bit(s->opaque, tile[0]) ? TW_TILE_OPAQUE : 0));
		d->differs |= tile[1] != flags;
	}
}

static int edit_all(struct doing *d, struct error *e)
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

static int do_step(struct doing *d, struct error *e)
{
	switch (d->c->step.what) {
	case TW_TILES_PLANE:
		return put_plane(d, e);
	case TW_TILES_REFIT:
		d->differs = true;
		return tw_tiles_write_refit(d->t->blob ? d->t : NULL, d->c->step.w, d->c->step.h,
			d->c->step.form, d->out, e);
	default:
		return edit_all(d, e);
	}
}

/* What is not made yet below is not compressed for this. *ret: the tiles; ret_blob is to be dropped
 * after. */
static int find_under(
	const struct composed *c, struct tw_tiles *ret, struct blob **ret_blob, struct error *e)
{
	CLEANUP_EXTENT struct extent plain = EXTENT_INIT;
	struct tw_recipe *below = tw_recipe_of(c->recipe.under);
	int r = below ? tw_recipe_run(below, &plain, e) : 0;

	*ret = c->t;
	if (r < 0 || !below)
		return r;
	*ret_blob = blob_new(&plain, BLOB_RAW, plain.size, c->budget);
	ret->blob = *ret_blob;
	return *ret_blob ? 0 : error_set(e, -ENOMEM, "no memory for the tiles of a layer");
}

static int compose(struct tw_recipe *recipe, struct spool *out, struct error *e)
{
	const struct composed *c = (const struct composed *)recipe;
	bool refit = c->step.what == TW_TILES_REFIT;
	CLEANUP(blob_unref) struct blob *below = NULL;
	CLEANUP(tw_tile_writer_destroy)
	struct tw_tile_writer *writer = tw_tile_writer_to(
		out, refit ? c->step.form : c->t.form, refit ? c->step.packed : c->t.packed);
	struct tw_tiles t;
	struct doing d = {.c = c, .t = &t, .out = writer};
	int r = writer ? find_under(c, &t, &below, e)
		       : error_set(e, -ENOMEM, "no memory for the tiles of a layer");

	if (r == 0)
		r = do_step(&d, e);
	if (r == 0)
		r = tw_tile_writer_end(writer, refit ? NULL : &t, e);
	return r < 0 ? r : !d.differs;
}
