/* SPDX-License-Identifier: Zlib */
#include "tools/teeworlds/rules/physics.h"

#include <errno.h>

#include "formats/teeworlds/model/fields.h"
#include "formats/teeworlds/model/groups.h"

enum { TURNS = 1 | 2 | 8 /* item/opaque.h */ };

const char *const tw_played_names[TW_N_PLAYED] = {
	"game", "front", "tele", "speedup", "switch", "tune"};

static const struct {
	int32_t kind;
	enum tw_form form;
} played[TW_N_PLAYED] = {{1, TW_FORM_TILES}, {8, TW_FORM_TILES}, {2, TW_FORM_PAIR},
	{4, TW_FORM_SPEEDUP}, {16, TW_FORM_SWITCH}, {32, TW_FORM_PAIR}};

int tw_played_of(const struct tw_item *it)
{
	for (int k = 0; tw_is_tiles(it) && k < TW_N_PLAYED; k++)
		if (it->ints->v[TW_TILES_KIND] == played[k].kind)
			return k;
	return -1;
}

void tw_spot_add(struct tw_spot *s, uint32_t at)
{
	if (!s->n++)
		s->first = at;
}

struct tw_spot tw_spot_join(struct tw_spot a, struct tw_spot b)
{
	if (!a.n || !b.n)
		return a.n ? a : b;
	return (struct tw_spot){a.n + b.n, a.first < b.first ? a.first : b.first};
}

/* The offset of a plane's byte in a tile; -1 if the form does not have the plane. */
static int plane_offset(enum tw_form form, enum tw_plane plane)
{
	const struct tw_plane_at *at = tw_plane_in(form, plane);

	return at ? at->offset : -1;
}

static int count_layer(struct tw_played_layer *l, struct error *e)
{
	enum tw_form form = l->t.form;
	int id = plane_offset(form, TW_PLANE_ID), flags = plane_offset(form, TW_PLANE_FLAGS);
	int number = plane_offset(form, form == TW_FORM_SPEEDUP ? TW_PLANE_FORCE : TW_PLANE_NUMBER);
	struct tw_tile_walk walk = {.t = &l->t};

	if (number >= 0)
		l->numbers = calloc(256, sizeof(*l->numbers));
	if (number >= 0 && !l->numbers)
		return error_set(e, -ENOMEM, "out of memory");
	for (const uint8_t *tile; (tile = tw_tile_next(&walk, e));) {
		if (!tile[id])
			continue;
		tw_spot_add(&l->ids[tile[id]], walk.position);
		if (flags >= 0 && tile[flags] & TURNS)
			tw_spot_add(&l->turned[tile[id]], walk.position);
		if (number >= 0)
			tw_spot_add(&l->numbers[tile[id]][tile[number]], walk.position);
	}
	return walk.error;
}

static void find_layers(const struct tw_map *m, struct tw_physics *p)
{
	for (uint32_t i = 0; i < tw_count(m, TW_LAYER); i++) {
		const struct tw_item *it = tw_item_at(m, TW_LAYER, i);
		int k = tw_played_of(it);
		struct tw_played_layer *l = &p->layers[k < 0 ? 0 : k];

		if (k < 0 || tw_find_group(m, i) < 0)
			continue;
		l->handle = (uint32_t)(it - m->items);
		l->is_present = tw_get_tiles(m, it, &l->t) && l->t.form == played[k].form;
		p->unread |= !l->is_present;
	}
}

int tw_physics_count(const struct tw_map *m, struct tw_physics *ret, struct error *e)
{
	find_layers(m, ret);
	for (int k = 0; k < TW_N_PLAYED; k++) {
		struct tw_played_layer *l = &ret->layers[k];
		int r = l->is_present ? count_layer(l, e) : 0;

		if (r == -ENOMEM)
			return r;
		ret->unread |= r < 0;
	}
	return 0;
}

void tw_physics_finish(struct tw_physics *p)
{
	for (int k = 0; k < TW_N_PLAYED; k++)
		free(p->layers[k].numbers);
}
