/* SPDX-License-Identifier: Zlib */
/* Data that a game cannot use. Only in the game layer it makes the game refuse the map. */
#include <inttypes.h>

#include "codec/text/area.h"
#include "formats/teeworlds/check/faults.h"
#include "formats/teeworlds/item/initial.h"
#include "formats/teeworlds/item/tiles.h"
#include "formats/teeworlds/model/fields.h"

/* The first item that refers to a blob. */
struct user {
	uint32_t item;  /* its handle + 1; 0: no item */
	uint32_t field; /* the integer that refers to the blob */
};

static struct user *find_users(const struct tw_map *m)
{
	struct user *users = calloc(m->n_blobs + 1, sizeof(*users));
	uint32_t fields[TW_FIELDS_MAX];

	for (size_t i = 0; users && i < m->n_items; i++) {
		const struct tw_item *it = &m->items[i];
		unsigned n = it->is_removed ? 0 : tw_data_fields(it, fields);

		for (unsigned k = 0; k < n; k++) {
			int32_t index = it->ints->v[fields[k]];

			if (tw_get_blob(m, it, fields[k]) && !users[index].item)
				users[index] = (struct user){(uint32_t)i + 1, fields[k]};
		}
	}
	return users;
}

static struct tw_place find_place(const struct tw_map *m, const struct user *u, uint32_t blob)
{
	if (!u->item)
		return (struct tw_place){.at = TW_AT_DATA, .number = blob};
	return m->items[u->item - 1].type == TW_INFO ? tw_in_info(u->field - TW_INFO_AUTHOR)
						     : tw_in_item(u->item - 1);
}

struct tiles_look {
	struct tw_faults *f;
	bool is_game;
	uint32_t handle, blob;
};

static void report_unreadable(const struct tiles_look *l, struct tw_place place, const char *why)
{
	place.blob = l->blob;
	tw_fault_add(l->f, l->is_game ? TW_F_GAME_DATA : TW_F_DATA, place, "data",
		tw_digits(l->blob).text, "", "data item %" PRIu32 ": %s", l->blob, why);
}

static void check_unused(const struct tiles_look *l, const struct tw_tiles *t)
{
	struct error e = ERROR_INIT;
	const char *field = "padding";
	struct tw_garbage g;
	size_t tile;

	if (tw_tiles_find_garbage(t, &g, &e) < 0) {
		report_unreadable(l, tw_in_item(l->handle), error_text(&e));
		return;
	}
	if (!g.value)
		return;
	tile = (size_t)(g.at / t->size);
	if (t->form == TW_FORM_TILES)
		field = g.at % t->size == 2 ? "skip" : "reserved";
	tw_fault_add(l->f, l->is_game ? TW_F_GAME_UNUSED : TW_F_UNUSED, tw_in_item(l->handle),
		field, tw_digits(g.value).text, "0", "data item %" PRIu32 ": %s is %u (0) at %s",
		l->blob, field, g.value, area_text(area_at(tile % t->w, tile / t->w)).text);
}

/* Is it the current form of this kind of layer? A game does not read older forms. */
static bool is_present_form(enum tw_form form, int32_t kind)
{
	return form == (kind == 4 ? TW_FORM_SPEEDUP : kind == 16 ? TW_FORM_SWITCH : form);
}

static void check_tiles(const struct tiles_look *l, const struct tw_item *it)
{
	static const char *const lost[] = {[2] = "teleporters",
		[4] = "speedups",
		[8] = "tiles of the front layer",
		[16] = "switches",
		[32] = "tune zones"};
	const int32_t *v = it->ints->v;
	struct error e = ERROR_INIT;
	struct tw_tiles t;

	if (tw_is_special(v[TW_TILES_KIND]) && v[TW_LAYER_VERSION] >= TW_TILES_PACKED_SINCE)
		tw_fault_add(l->f, TW_F_TILES_PACKED, tw_in_item(l->handle), "version",
			tw_digits(v[TW_LAYER_VERSION]).text, "2 or 3",
			"data item %" PRIu32 ": version is %d (2 or 3): the game does not read "
			"such tiles and loses all %s",
			l->blob, v[TW_LAYER_VERSION], lost[v[TW_TILES_KIND]]);
	else if (!tw_get_tiles(l->f->m, it, &t) || !is_present_form(t.form, v[TW_TILES_KIND])) {
		report_unreadable(l, tw_in_item(l->handle),
			tw_text("%" PRIu64 " bytes are too few for %d x %d tiles",
				l->f->m->blobs[l->blob]->size, v[TW_TILES_WIDTH],
				v[TW_TILES_HEIGHT])
				.text);
	} else if (!t.packed) {
		check_unused(l, &t);
	} else if (tw_tiles_check(&t, &e) < 0) {
		report_unreadable(l, tw_in_item(l->handle), error_text(&e));
	}
}

/* Has `other` the same blob, and refers the same item to it, with the same integers? */
static bool is_unchanged(
	const struct tw_map *m, const struct tw_map *other, uint32_t blob, const struct user *u)
{
	const uint32_t item = u->item - 1;

	return other && blob < other->n_blobs && other->blobs[blob] == m->blobs[blob] &&
	       (!u->item || (item < other->n_items && other->items[item].ints &&
				    tw_ints_same(m->items[item].ints, other->items[item].ints)));
}

/* A game does not load a data item of declared size 0. Version 3 of the container has no sizes. */
static void check_empty(struct tw_faults *f, const struct user *u, uint32_t blob)
{
	const struct blob *b = f->m->blobs[blob];
	struct tw_place place = find_place(f->m, u, blob);

	place.blob = blob;
	if (!b->recipe && !b->size && f->m->shared->file_version != 3)
		tw_fault_add(f, TW_F_DATA_EMPTY, place,
			tw_text("data_sizes[%" PRIu32 "]", blob).text, "0", "at least 1", NULL);
}

void tw_check_data(struct tw_faults *f, const struct tw_grouped *g, const struct tw_map *other)
{
	CLEANUP(free) struct user *users = find_users(f->m);

	if (!users)
		f->out_of_memory = true;
	for (uint32_t i = 0; users && i < f->m->n_blobs; i++) {
		const struct user *u = &users[i];
		const struct tw_item *it = u->item ? &f->m->items[u->item - 1] : NULL;
		struct tiles_look l = {f, it && it == g->game, u->item - 1, i};
		struct error e = ERROR_INIT;

		if (!f->m->blobs[i] || is_unchanged(f->m, other, i, u))
			continue;
		check_empty(f, u, i);
		if (it && tw_is_tiles(it) && (int)u->field == tw_tiles_field(it))
			check_tiles(&l, it);
		else if (f->m->blobs[i]->size && blob_check(f->m->blobs[i], &e) < 0)
			report_unreadable(&l, find_place(f->m, u, i), error_text(&e));
	}
}
