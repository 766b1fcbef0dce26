/* SPDX-License-Identifier: Zlib */
/*
 * Thousands of random placements of the objects of structure.map, checked against a model of plain
 * arrays: which objects exist, in which order (layout rule 5), and which object each layer refers
 * to.
 */
#include "support/world.h"

enum { SEEDS = 4000, OPS = 14, OBJECTS = 64, REFS = 8 };
enum { TILES_IMAGE = 13, TILES_ENVELOPE = 11, LIST_DATA = 5, LIST_SOURCE = 6 };
enum sort { IMAGES, SOUNDS, ENVELOPES, GROUPS, LAYERS, SORTS };

/*
 * The target of a reference: an object of a sort by its index in the model, or a number without an
 * object.
 */
struct ref {
	enum sort sort;
	int object; /* -1: use `number` */
	int number;
};

struct object {
	entry_id id;
	bool gone;
	int group;       /* layers: index of a group in the model */
	unsigned number; /* requested position; UINT_MAX: last */
	unsigned time;   /* time of its placement; 0: at the mount */
	struct ref refs[REFS];
	int n_refs;
};

struct model {
	struct object v[SORTS][OBJECTS];
	int n[SORTS];
	unsigned now, random;
};

static unsigned pick_number(struct model *m, unsigned n)
{
	m->random = m->random * 1664525 + 1013904223;
	return (m->random >> 10) % n;
}

static struct ref make_ref_to_object(enum sort sort, int object)
{
	return (struct ref){sort, object, 0};
}

static struct ref make_ref_to_number(enum sort sort, int number)
{
	return (struct ref){sort, -1, number};
}

static struct object *add_known(struct model *m, enum sort sort, struct world *w, const char *path)
{
	struct object *o = &m->v[sort][m->n[sort]];

	*o = (struct object){.id = id_of(w->now, path), .number = (unsigned)m->n[sort]};
	m->n[sort]++;
	return o;
}

static void add_layer(struct model *m, struct world *w, const char *path, int group,
	unsigned number, int n, const struct ref *refs)
{
	struct object *o = add_known(m, LAYERS, w, path);

	o->group = group;
	o->number = number;
	o->n_refs = n;
	memcpy(o->refs, refs, (size_t)n * sizeof(*refs));
}

/* structure.map, as made by twgen_structure.py. */
static void start_model(struct model *m, struct world *w, unsigned seed)
{
	*m = (struct model){.random = seed};
	world_open(w, "structure.map");
	add_known(m, IMAGES, w, "images/0_grass.png");
	add_known(m, IMAGES, w, "images/1_desert.json");
	add_known(m, IMAGES, w, "images/2_moon.png");
	add_known(m, SOUNDS, w, "sounds/0_wind.opus");
	add_known(m, SOUNDS, w, "sounds/1_rain.opus");
	add_known(m, ENVELOPES, w, "envelopes/0_pos.json");
	add_known(m, ENVELOPES, w, "envelopes/1.json");
	add_known(m, ENVELOPES, w, "envelopes/2_vol.json");
	add_known(m, GROUPS, w, "groups/0_Back");
	add_known(m, GROUPS, w, "groups/1_Game");
	add_known(m, GROUPS, w, "groups/2");
	add_layer(m, w, "groups/0_Back/layers/0_bg", 0, 0, 2,
		(struct ref[]){make_ref_to_object(IMAGES, 0), make_ref_to_object(ENVELOPES, 1)});
	add_layer(m, w, "groups/0_Back/layers/1_quads", 0, 1, 7,
		(struct ref[]){make_ref_to_object(IMAGES, 2), make_ref_to_object(ENVELOPES, 0),
			make_ref_to_object(ENVELOPES, 1), make_ref_to_number(ENVELOPES, 77),
			make_ref_to_number(ENVELOPES, -2), make_ref_to_object(ENVELOPES, 2),
			make_ref_to_object(ENVELOPES, 0)});
	add_layer(m, w, "groups/1_Game/layers/0_Game", 1, 0, 2,
		(struct ref[]){make_ref_to_number(IMAGES, -1), make_ref_to_number(ENVELOPES, -1)});
	add_layer(m, w, "groups/1_Game/layers/1_Tele", 1, 1, 2,
		(struct ref[]){make_ref_to_number(IMAGES, -1), make_ref_to_number(ENVELOPES, -1)});
	add_layer(m, w, "groups/2/layers/0_snd", 2, 0, 5,
		(struct ref[]){make_ref_to_object(SOUNDS, 0), make_ref_to_object(ENVELOPES, 0),
			make_ref_to_object(ENVELOPES, 2), make_ref_to_number(ENVELOPES, -1),
			make_ref_to_number(ENVELOPES, 77)});
	add_layer(m, w, "groups/2/layers/1_fg", 2, 1, 2,
		(struct ref[]){make_ref_to_number(IMAGES, 77), make_ref_to_number(ENVELOPES, -2)});
}

static const char *const dirs[] = {"images", "sounds", "envelopes", "groups"};

/* A name with a random number, or without one. */
static void random_name(
	struct model *m, enum sort sort, const char *ending, char name[32], unsigned *ret)
{
	static const char *const prefixes[SORTS] = {"i", "s", "e", "g", "l"};

	m->now++;
	*ret = pick_number(m, 5) == 0 ? UINT_MAX : pick_number(m, 9);
	if (*ret == UINT_MAX)
		snprintf(name, 32, "%s%u%s", prefixes[sort], m->now, ending);
	else
		snprintf(name, 32, "%u_%s%u%s", *ret, prefixes[sort], m->now, ending);
}

static entry_id layers_of(struct world *w, const struct object *group)
{
	char name[NAME_MAX + 1];
	struct file_attr entry;
	uint64_t cookie = 0;
	entry_id id;

	/* The directory of a new group is not listed; adding it again gives the same entry. */
	if (format_teeworlds.tree->add(&w->now, group->id, "layers", true, &id, NULL) == 0)
		return id;
	while (format_teeworlds.list(w->now, group->id, &cookie, name, &entry, NULL) == 1)
		if (strcmp(name, "layers") == 0)
			return entry.id;
	fail_msg("a group has no layers/");
	return 0;
}

/* Pick an existing object; -1 if there is none. */
static int pick_object(struct model *m, enum sort sort)
{
	for (int tries = 0; tries < 40 && m->n[sort]; tries++) {
		int i = (int)pick_number(m, (unsigned)m->n[sort]);

		if (!m->v[sort][i].gone)
			return i;
	}
	return -1;
}

static void set_content(struct model *m, struct world *w, enum sort sort, struct object *o)
{
	CLEANUP(bytes_unref) struct bytes *png = NULL, *opus = NULL;
	struct error err = ERROR_INIT;

	if (sort == IMAGES) {
		png = world_png(1 + pick_number(m, 4), 1, 5);
		assert_ok(world_put(w, o->id, png->data, png->size, &err));
	} else if (sort == SOUNDS) {
		opus = content_of(w->f.s, "sounds/0_wind.opus");
		assert_ok(world_put(w, o->id, opus->data, opus->size, &err));
	} else if (sort == ENVELOPES) {
		world_set(w, o->id, "{\"channels\": 3, \"points\": [{\"time\": 5}]}");
	}
}

static void make_layer(struct model *m, struct world *w, struct object *o)
{
	int image = pick_object(m, IMAGES), envelope = pick_object(m, ENVELOPES);
	char text[NAME_MAX + 100], stem[NAME_MAX + 1];
	struct error err = ERROR_INIT;

	o->refs[0] = make_ref_to_number(IMAGES, -1);
	o->refs[1] = make_ref_to_number(ENVELOPES, -1);
	o->n_refs = 2;
	snprintf(text, sizeof(text), "{\"type\": 2, \"width\": 2, \"height\": 2}");
	/* Use the stem of its current name, or of its name at the mount. */
	if (image >= 0 && envelope >= 0) {
		const char *placed = world_name(w, m->v[IMAGES][image].id);

		if (placed)
			snprintf(stem, sizeof(stem), "%.*s", (int)strcspn(placed, "."), placed);
		else
			snprintf(stem, sizeof(stem), "%s",
				(const char *[]){"0_grass", "1_desert", "2_moon"}[image]);
		snprintf(text, sizeof(text),
			"{\"type\": 2, \"width\": 2, \"height\": 2, \"image\": \"%s\"}", stem);
		o->refs[0] = make_ref_to_object(IMAGES, image);
	}
	assert_int_equal(
		world_put_text(w, world_add_in(w, o->id, "layer.json", false), text, &err), 1);
}

static void make_object(struct model *m, struct world *w, enum sort sort)
{
	static const char *const endings[SORTS] = {".png", ".opus", ".json", "", ""};
	struct object *o = &m->v[sort][m->n[sort]];
	int group = sort == LAYERS ? pick_object(m, GROUPS) : 0;
	char name[32];

	if (m->n[sort] == OBJECTS || group < 0)
		return;
	*o = (struct object){.group = group};
	random_name(m, sort, endings[sort], name, &o->number);
	o->time = m->now;
	if (sort == LAYERS)
		o->id = world_add_in(w, layers_of(w, &m->v[GROUPS][group]), name, true);
	else
		o->id = world_add(w, dirs[sort], name, sort == GROUPS);
	m->n[sort]++;
	set_content(m, w, sort, o);
	if (sort == LAYERS)
		make_layer(m, w, o);
}

static void move_object(struct model *m, struct world *w, enum sort sort)
{
	static const char *const endings[SORTS] = {".png", ".opus", ".json", "", ""};
	int i = pick_object(m, sort), group = pick_object(m, GROUPS);
	struct object *o = &m->v[sort][i < 0 ? 0 : i];
	char name[32];

	if (i < 0 || (sort == LAYERS && group < 0))
		return;
	random_name(m, sort, sort == IMAGES && i == 1 ? ".json" : endings[sort], name, &o->number);
	o->time = m->now;
	if (sort == LAYERS)
		o->group = group;
	world_move(w, o->id,
		sort == LAYERS ? layers_of(w, &m->v[GROUPS][group]) : id_of(w->now, dirs[sort]),
		name);
}

static void remove_object(struct model *m, struct world *w, enum sort sort)
{
	int i = pick_object(m, sort);

	if (i < 0)
		return;
	m->v[sort][i].gone = true;
	world_remove(w, m->v[sort][i].id);
	for (int k = 0; sort == GROUPS && k < m->n[LAYERS]; k++)
		if (m->v[LAYERS][k].group == i && !m->v[LAYERS][k].gone) {
			m->v[LAYERS][k].gone = true;
			world_remove(w, m->v[LAYERS][k].id);
		}
}

/* Does a precede b? */
static bool precedes(const struct object *a, const struct object *b)
{
	if (a->number != b->number)
		return a->number < b->number;
	return a->number == UINT_MAX ? a->time < b->time : a->time > b->time;
}

/* Collect the existing objects in order; layers of one group. Returns their number. */
static int in_order(const struct model *m, enum sort sort, int group, int ret[OBJECTS])
{
	int n = 0;

	for (int i = 0; i < m->n[sort]; i++) {
		int at = n;

		if (m->v[sort][i].gone || (sort == LAYERS && m->v[sort][i].group != group))
			continue;
		while (at > 0 && precedes(&m->v[sort][i], &m->v[sort][ret[at - 1]])) {
			ret[at] = ret[at - 1];
			at--;
		}
		ret[at] = i;
		n++;
	}
	return n;
}

/* The number of a reference in a map with these objects. */
static int number_of(const struct model *m, const struct ref *r)
{
	int order[OBJECTS], n = in_order(m, r->sort, 0, order);

	if (r->object < 0)
		return r->number >= 0 && r->number < n ? -1 : r->number;
	for (int i = 0; i < n; i++)
		if (order[i] == r->object)
			return i;
	return -1;
}

static int reference_text(struct world *w, int layer, size_t i)
{
	const struct tw_map *m = fixture_map(&w->after);
	struct blob *b = tw_get_blob(m, tw_item_at(m, TW_LAYER, layer), LIST_DATA);
	uint8_t v[4];

	assert_int_equal(blob_read(b, 4 * i, v, 4, NULL), 0);
	return (int)((uint32_t)v[0] | (uint32_t)v[1] << 8 | (uint32_t)v[2] << 16 |
		     (uint32_t)v[3] << 24);
}

/* The reference in the written map's layer that corresponds to reference i of the model. */
static int written_ref(struct world *w, int layer, int i)
{
	switch (world_int(w, TW_LAYER, layer, 1)) {
	case 2:
		return world_int(w, TW_LAYER, layer, i ? TILES_ENVELOPE : TILES_IMAGE);
	case 3:
		return i ? reference_text(
				   w, layer, 38 * (size_t)((i - 1) / 2) + ((i - 1) % 2 ? 36 : 34))
			 : world_int(w, TW_LAYER, layer, LIST_SOURCE);
	default:
		return i ? reference_text(
				   w, layer, 13 * (size_t)((i - 1) / 2) + ((i - 1) % 2 ? 8 : 6))
			 : world_int(w, TW_LAYER, layer, LIST_SOURCE);
	}
}

static void check_map(struct model *m, struct world *w, unsigned seed)
{
	static const unsigned types[SORTS] = {TW_IMAGE, TW_SOUND, TW_ENVELOPE, TW_GROUP, TW_LAYER};
	int groups[OBJECTS], layers[OBJECTS], n_groups, layer = 0;

	for (int s = 0; s < LAYERS; s++) {
		int order[OBJECTS];

		assert_int_equal(tw_count(fixture_map(&w->after), types[s]),
			in_order(m, (enum sort)s, 0, order));
	}
	n_groups = in_order(m, GROUPS, 0, groups);
	for (int g = 0; g < n_groups; g++) {
		int n = in_order(m, LAYERS, groups[g], layers);

		assert_int_equal(world_int(w, TW_GROUP, g, 5), layer);
		assert_int_equal(world_int(w, TW_GROUP, g, 6), n);
		for (int i = 0; i < n; i++, layer++) {
			const struct object *o = &m->v[LAYERS][layers[i]];

			for (int k = 0; k < o->n_refs; k++)
				if (written_ref(w, layer, k) != number_of(m, &o->refs[k]))
					fail_msg("seed %u: layer %d, reference %d: %d, meant: %d",
						seed, layer, k, written_ref(w, layer, k),
						number_of(m, &o->refs[k]));
		}
	}
	assert_int_equal(tw_count(fixture_map(&w->after), TW_LAYER), layer);
}

/* Ids are consecutive, all data items are used, and all used data items exist. */
static void check_tables(struct world *w)
{
	const struct tw_map *m = fixture_map(&w->after);
	char seen[256] = {0};

	assert_true(m->n_blobs < sizeof(seen));
	for (size_t i = 0; i < m->index->n_types; i++)
		for (uint32_t k = 0; k < m->index->types[i].n; k++)
			if (m->index->types[i].id < TW_UUID_INDEX)
				assert_int_equal(m->items[m->index->types[i].items[k]].id, k);
	for (uint32_t i = 0; i < m->n_blobs; i++)
		assert_true(m->blobs[i]->size > 0);
}

static void references_survive_random_edits(void **state)
{
	const char *count = getenv("TW_SEEDS");
	unsigned seeds = count ? (unsigned)atoi(count) : SEEDS;

	(void)state;
	for (unsigned seed = 1; seed <= seeds; seed++) {
		struct model m;
		struct world w;

		start_model(&m, &w, seed);
		for (unsigned i = 0, n = 1 + pick_number(&m, OPS); i < n; i++) {
			enum sort sort = (enum sort)pick_number(&m, SORTS);
			unsigned what = pick_number(&m, 3);

			if (what == 0)
				make_object(&m, &w, sort);
			else if (what == 1)
				move_object(&m, &w, sort);
			else
				remove_object(&m, &w, sort);
		}
		world_finalize(&w);
		check_map(&m, &w, seed);
		check_tables(&w);
		world_close(&w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(references_survive_random_edits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
