/* SPDX-License-Identifier: Zlib */
#include "tools/teeworlds/review/review.h"

#include <errno.h>
#include <string.h>

#include "formats/teeworlds/names/id.h"
#include "tools/teeworlds/rules/physics.h"

enum { RUN = 2048 /* tiles at a time */ };

static const struct tw_item *layer_of(const struct snapshot *s, entry_id dir)
{
	return tw_id_kind(dir) == TW_K_LAYER ? tw_item_at(tw_map_of(s), TW_LAYER, tw_id_b(dir))
					     : NULL;
}

static bool layer(const struct snapshot *s, entry_id dir, const char **ret_kind)
{
	const struct tw_item *it = layer_of(s, dir);
	struct tw_tiles t;
	int k;

	if (!it || !tw_get_tiles(tw_map_of(s), it, &t))
		return false;
	k = tw_played_of(it);
	*ret_kind = k < 0 ? NULL : tw_played_names[k];
	return true;
}

/* One of the two compared layers, read in parts of a row. */
struct side {
	struct tw_tiles t; /* all zeros if there is no layer */
	uint8_t run[RUN * TW_TILE_MAX];
};

static int open_side(const struct snapshot *s, entry_id dir, struct side *ret, struct error *e)
{
	memset(&ret->t, 0, sizeof(ret->t));
	if (dir == ENTRY_ROOT)
		return 0;
	if (!layer_of(s, dir) || !tw_get_tiles(tw_map_of(s), layer_of(s, dir), &ret->t))
		return error_set(e, -EINVAL, "not a tile layer");
	return (uint64_t)ret->t.w * ret->t.h > INT32_MAX / ret->t.size
		       ? error_set(e, -EIO, "%u x %u tiles are too many for a game", ret->t.w,
				 ret->t.h)
		       : 0;
}

/* Read n tiles of row y from x on; tiles outside of the layer are zeros. */
static int read_run(struct side *s, uint32_t x, uint32_t y, size_t n, struct error *e)
{
	size_t left = y < s->t.h && x < s->t.w ? s->t.w - x : 0, have = left < n ? left : n;

	memset(s->run + have * s->t.size, 0, (n - have) * s->t.size);
	return have ? tw_tiles_read(&s->t, (uint64_t)y * s->t.w + x, have, s->run, e) : 0;
}

/* A field of a tile; 0 if the form of the layer does not have it. */
static int32_t value(const struct side *s, const uint8_t *tile, enum tw_plane plane)
{
	const struct tw_plane_at *at = tw_plane_in(s->t.form, plane);

	if (!at)
		return 0;
	return at->is_wide ? (int16_t)(tile[at->offset] | tile[at->offset + 1] << 8)
			   : tile[at->offset];
}

static struct review_tile tile_of(const struct side *s, const uint8_t *tile)
{
	struct review_tile t = {
		(int16_t)value(s, tile, TW_PLANE_ID), (int16_t)value(s, tile, TW_PLANE_NUMBER)};

	/* The oldest form of speedups has no id: a tile with a force is a speedup. */
	if (s->t.form == TW_FORM_OLD_SPEEDUP && value(s, tile, TW_PLANE_FORCE))
		t.id = 28;
	return t;
}

/* Do two tiles differ? Sets all of *ret except x and y, which the caller has set. */
static bool compare(const struct side *a, const uint8_t *p, const struct side *b, const uint8_t *q,
	struct review_cell *ret)
{
	ret->fields = 0;
	if (a->t.form == b->t.form && memcmp(p, q, a->t.size) == 0)
		return false;
	for (unsigned k = 0; k < TW_N_PLANES; k++)
		if (value(a, p, k) != value(b, q, k))
			ret->fields |= 1u << k;
	ret->before = tile_of(a, p);
	ret->after = tile_of(b, q);
	ret->mark = ret->before.id && !ret->after.id   ? REVIEW_REMOVED
		    : !ret->before.id && ret->after.id ? REVIEW_ADDED
						       : REVIEW_CHANGED;
	/* If neither side has a tile, compare other fields only inside both layers. Outside of one,
	 * they differ because the layer was cropped or extended. */
	return ret->fields &&
	       (ret->before.id || ret->after.id ||
		       (ret->x < a->t.w && ret->x < b->t.w && ret->y < a->t.h && ret->y < b->t.h));
}

static int cells(const struct snapshot *a, entry_id x, const struct snapshot *b, entry_id y,
	void (*fn)(void *arg, const struct review_cell *c), void *arg, struct error *e)
{
	struct side l, r;
	uint32_t w, h;
	int result = open_side(a, x, &l, e);

	if (result == 0)
		result = open_side(b, y, &r, e);
	if (result < 0)
		return result;
	w = l.t.w > r.t.w ? l.t.w : r.t.w;
	h = l.t.h > r.t.h ? l.t.h : r.t.h;
	for (struct review_cell c = {.y = 0}; c.y < h; c.y++)
		for (uint32_t from = 0; from < w; from += RUN) {
			size_t n = w - from < RUN ? w - from : RUN;

			result = read_run(&l, from, c.y, n, e);
			if (result == 0)
				result = read_run(&r, from, c.y, n, e);
			if (result < 0)
				return result;
			for (size_t i = 0; i < n; i++) {
				c.x = from + (uint32_t)i;
				if (compare(&l, l.run + i * l.t.size, &r, r.run + i * r.t.size, &c))
					fn(arg, &c);
			}
		}
	return 0;
}

static const char *name(const char *kind, int id)
{
	bool turns;

	for (unsigned k = 0; id && k < TW_N_PLAYED; k++)
		if (strcmp(tw_played_names[k], kind) == 0)
			return tw_tile_name(k, (unsigned)id, &turns);
	return id ? NULL : "air";
}

static const struct review_part parts[] = {{"Gameplay", "info/settings.cfg"},
	{"Layers", "groups/*"}, {"Texts", "info/*"}, {"Images", "images/*"}, {"Sounds", "sounds/*"},
	{"Envelopes", "envelopes/*"}, {"Other", "*"}, {NULL, NULL}};

const struct review_tool tw_review = {
	.parts = parts, .fields = tw_plane_names, .layer = layer, .cells = cells, .name = name};
