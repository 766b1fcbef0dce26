/* SPDX-License-Identifier: Zlib */
/* Groups, layers and envelopes: made in any order of arrival, moved, renamed, removed. */
#include "world.h"

enum { GROUP_START = 5, GROUP_COUNT = 6, TILES_KIND = 6, TILES_ENVELOPE = 11, TILES_IMAGE = 13 };
enum { TILES_DATA = 14, TELE_DATA = 18, LIST_COUNT = 4, LIST_DATA = 5, LIST_SOURCE = 6 };
enum { ENV_START = 2, ENV_COUNT = 3, AUTOMAPPER = 0xfffe, EXT = 0xfffd };

static const char tiles_json[] = "{\"type\": 2, \"width\": 3, \"height\": 2}";

/* Integers of the data item that an item's field names, in the written map. */
static const int32_t *ints_of(struct world *w, unsigned type, int position, uint32_t field)
{
	static int32_t ints[4096];
	const struct tw_map *m = fixture_map(&w->after);
	struct blob *b = tw_blob_of(m, tw_item_at(m, type, position), field);
	struct error err = ERROR_INIT;

	assert_non_null(b);
	assert_true(b->size <= sizeof(ints));
	assert_ok(blob_read(b, 0, ints, (size_t)b->size, &err));
	return ints;
}

static void assert_item(
	const struct world *w, unsigned type, int position, size_t n, const int32_t *v)
{
	for (uint32_t i = 0; i < n; i++)
		if (world_int(w, type, position, i) != v[i])
			fail_msg("integer %u is %d, meant: %d", i, world_int(w, type, position, i),
				v[i]);
}

#define ITEM(w, type, position, ...)                                                               \
	assert_item(w, type, position, sizeof((int32_t[]){__VA_ARGS__}) / sizeof(int32_t),         \
		(const int32_t[]){__VA_ARGS__})

/* The range of a group in the written map. */
static void assert_range(const struct world *w, int group, int start, int count)
{
	assert_int_equal(world_int(w, TW_GROUP, group, GROUP_START), start);
	assert_int_equal(world_int(w, TW_GROUP, group, GROUP_COUNT), count);
}

static void groups_move_with_all_that_is_theirs(void **state)
{
	struct world w;

	(void)state;
	world_open(&w, "structure.map");
	world_move(&w, id_of(w.now, "groups/2"), id_of(w.now, "groups"), "0_Sky");
	world_settle(&w);
	assert_string_equal(world_list(&w, "groups"), "0_Sky 1_Back 2_Game ");
	assert_string_equal(world_list(&w, "groups/0_Sky/layers"), "0_snd 1_fg ");
	assert_string_equal(world_list(&w, "groups/1_Back/layers"), "0_bg 1_quads ");
	assert_range(&w, 0, 0, 2);
	assert_range(&w, 1, 2, 2);
	assert_range(&w, 2, 4, 2);
	/* A name needs version 3; nothing else of the group changed. */
	ITEM(&w, TW_GROUP, 0, 3, 0, 0, 50, 80, 0, 2, 0, 0, 0, 0, 0);
	/* Auto-mappers of (0, 0) and (2, 1) follow; two for no layer stay so. */
	ITEM(&w, AUTOMAPPER, 0, 1, 1, 0, 3, 40, 1);
	ITEM(&w, AUTOMAPPER, 1, 1, 0, 1, 3, 41, 1);
	ITEM(&w, AUTOMAPPER, 2, 1, 9, 9, 3, 42, 1);
	ITEM(&w, AUTOMAPPER, 3, 1, 1, 2, 3, 43, 1);
	/* Zooms of groups 0 and 1; the third had none: what DDNet takes then is written. */
	ITEM(&w, EXT, 0, 1, 80);
	ITEM(&w, EXT, 1, 1, 11);
	ITEM(&w, EXT, 2, 1, 22);
	world_close(&w);
}

static void a_layer_moves_to_another_group(void **state)
{
	struct world w;

	(void)state;
	world_open(&w, "structure.map");
	world_move(&w, id_of(w.now, "groups/2/layers/1_fg"), id_of(w.now, "groups/0_Back/layers"),
		"1_front");
	world_settle(&w);
	assert_string_equal(world_list(&w, "groups/0_Back/layers"), "0_bg 1_front 2_quads ");
	assert_string_equal(world_list(&w, "groups/2/layers"), "0_snd ");
	assert_range(&w, 0, 0, 3);
	assert_range(&w, 1, 3, 2);
	assert_range(&w, 2, 5, 1);
	ITEM(&w, AUTOMAPPER, 1, 1, 0, 1, 3, 41, 1);
	for (int i = 0; i < 6; i++)
		assert_int_equal(tw_item_at(fixture_map(&w.after), TW_LAYER, i)->id, i);
	world_close(&w);
}

static void a_removed_group_takes_its_layers_and_their_items(void **state)
{
	struct world w;

	(void)state;
	world_open(&w, "structure.map");
	world_remove(&w, id_of(w.now, "groups/0_Back"));
	world_settle(&w);
	assert_string_equal(world_list(&w, "groups"), "0_Game 1 ");
	assert_int_equal(tw_count(fixture_map(&w.after), TW_LAYER), 4);
	assert_int_equal(tw_count(fixture_map(&w.after), AUTOMAPPER), 3);
	ITEM(&w, AUTOMAPPER, 0, 1, 1, 1, 3, 41, 1);
	/* (1, 2) was no layer; group 1 has two now, so it still is none. */
	ITEM(&w, AUTOMAPPER, 2, 1, 1, 2, 3, 43, 1);
	ITEM(&w, EXT, 0, 1, 22);
	assert_int_equal(tw_count(fixture_map(&w.after), EXT), 1);
	world_close(&w);
}

static void an_auto_mapper_item_for_no_layer_never_gets_one(void **state)
{
	struct world w;

	(void)state;
	world_open(&w, "structure.map");
	world_set(&w,
		world_add_in(
			&w, world_add(&w, "groups/1_Game/layers", "x", true), "layer.json", false),
		tiles_json);
	world_settle(&w);
	ITEM(&w, AUTOMAPPER, 3, 1, -1, -1, 3, 43, 1);
	world_close(&w);
}

static void a_layer_in_two_groups_becomes_two(void **state)
{
	struct world w;

	(void)state;
	world_open(&w, "twice.map");
	world_move(&w, id_of(w.now, "groups/1_B"), id_of(w.now, "groups"), "0_B");
	world_settle(&w);
	assert_string_equal(world_list(&w, "groups/0_B/layers"), "0_L1 ");
	assert_string_equal(world_list(&w, "groups/1_A/layers"), "0_L0 1_L1 ");
	/* What of its range was there. */
	assert_string_equal(world_list(&w, "groups/2_C/layers"), "0_L3 ");
	assert_range(&w, 2, 3, 1);
	/* The one in no group is still in none, behind all others. */
	assert_int_equal(tw_count(fixture_map(&w.after), TW_LAYER), 5);
	assert_int_equal(ints_of(&w, TW_LAYER, 4, TILES_DATA)[0], 0x02020202);
	assert_int_equal(ints_of(&w, TW_LAYER, 0, TILES_DATA)[0], 0x01010101);
	assert_int_equal(ints_of(&w, TW_LAYER, 2, TILES_DATA)[0], 0x01010101);
	assert_true(
		world_int(&w, TW_LAYER, 0, TILES_DATA) != world_int(&w, TW_LAYER, 2, TILES_DATA));
	world_close(&w);
}

static void removing_it_from_one_group_leaves_it_in_the_other(void **state)
{
	struct world w;

	(void)state;
	world_open(&w, "twice.map");
	world_remove(&w, id_of(w.now, "groups/0_A/layers/1_L1"));
	world_settle(&w);
	assert_string_equal(world_list(&w, "groups/0_A/layers"), "0_L0 ");
	assert_string_equal(world_list(&w, "groups/1_B/layers"), "0_L1 ");
	world_close(&w);
}

static void names_raise_only_what_needs_it(void **state)
{
	struct world w;

	(void)state;
	world_open(&w, "old_names.map");
	/* Moved by number alone: no name is to be stored. */
	world_move(&w, id_of(w.now, "groups/0/layers/2"), id_of(w.now, "groups/0/layers"), "0");
	world_settle(&w);
	assert_int_equal(tw_item_at(fixture_map(&w.after), TW_LAYER, 0)->ints->n, 7);
	world_move(&w, id_of(w.now, "groups/0/layers/2"), id_of(w.now, "groups/0/layers"), "0_q");
	world_move(
		&w, id_of(w.now, "groups/0/layers/1"), id_of(w.now, "groups/0/layers"), "1_tele");
	world_move(&w, id_of(w.now, "groups/0"), id_of(w.now, "groups"), "0_g");
	world_move(&w, id_of(w.now, "envelopes/0.json"), id_of(w.now, "envelopes"), "0_e.json");
	world_settle(&w);
	assert_string_equal(world_list(&w, "groups/0_g/layers"), "0_q 1 2_tele ");
	assert_string_equal(world_list(&w, "envelopes"), "0_e.json ");
	ITEM(&w, TW_ENVELOPE, 0, 1, 3, 0, 0);
	assert_int_equal(tw_item_at(fixture_map(&w.after), TW_ENVELOPE, 0)->ints->n, 12);
	assert_int_equal(world_int(&w, TW_LAYER, 0, 3), 2);
	assert_int_equal(world_int(&w, TW_LAYER, 1, 3), 2);
	assert_int_equal(world_int(&w, TW_LAYER, 2, 3), 3);
	/* The fields behind the name moved along: tele's data and what is garbage. */
	assert_int_equal(ints_of(&w, TW_LAYER, 2, TELE_DATA)[0], 0);
	assert_int_equal(world_int(&w, TW_LAYER, 2, TELE_DATA + 1), 55);
	world_close(&w);
}

static void an_empty_name_is_stored_as_the_reference_does(void **state)
{
	struct world w;

	(void)state;
	world_open(&w, "structure.map");
	world_move(&w, id_of(w.now, "groups/1_Game"), id_of(w.now, "groups"), "1_");
	world_move(&w, id_of(w.now, "groups/0_Back/layers/0_bg"),
		id_of(w.now, "groups/0_Back/layers"), "0_a%2Fb");
	world_settle(&w);
	for (uint32_t i = 0; i < 3; i++)
		assert_int_equal((uint32_t)world_int(&w, TW_GROUP, 1, 12 + i),
			i < 2 ? 0x80808080 : 0x80808000);
	assert_int_equal((uint32_t)world_int(&w, TW_LAYER, 0, 15), 0xe1afe280);
	assert_int_equal((uint32_t)world_int(&w, TW_LAYER, 0, 17), 0x80808000);
	world_close(&w);
}

/* A group with all that it can have, its files in the order of `order`. */
static const struct {
	const char *layer, *name, *text;
} arrivals[] = {
	{"", "group.json", "{\"x_parallax\": 20, \"parallax_zoom\": 33}"},
	{"0_t", "layer.json",
		"{\"type\": 2, \"width\": 3, \"height\": 2, \"image\": \"1_new\", "
		"\"color_envelope\": \"3_wave\", \"automapper\": {\"config\": 5}}"},
	{"0_t", "id.csv", "1,2,3\n4,5,6\n"},
	{"0_t", "flags.csv", "0,1,0\n1,0,8\n"},
	{"1_q", "layer.json", "{\"type\": 3, \"image\": \"1_new\"}"},
	{"1_q", "quads.json",
		"[{\"position_envelope\": \"3_wave\", \"color_envelope\": \"0_pos\"}]"},
	{"2_s", "layer.json", "{\"type\": 10, \"sound\": \"1_rain\"}"},
	{"2_s", "sources.json", "[{\"sound_envelope\": \"2_vol\"}]"},
	{"3_e", "layer.json", "{\"type\": 2, \"kind\": 2}"},
	{"3_e", "number.csv", "  9,  8,  7,  6\n  5,  4,  3,  2\n  1,  0,  0,255\n"},
};

enum { ARRIVALS = sizeof(arrivals) / sizeof(arrivals[0]), LAYERS = 4 };

struct arrival {
	struct world w;
	entry_id group, layers, dirs[LAYERS], files[ARRIVALS];
	bool done[ARRIVALS];
};

static void begin_arrival(struct arrival *a)
{
	static const char *const names[LAYERS] = {"0_t", "1_q", "2_s", "3_e"};

	*a = (struct arrival){0};
	world_open(&a->w, "structure.map");
	a->group = world_add(&a->w, "groups", "1_New", true);
	a->layers = world_add_in(&a->w, a->group, "layers", true);
	for (int i = 0; i < LAYERS; i++)
		a->dirs[i] = world_add_in(&a->w, a->layers, names[i], true);
	for (int i = 0; i < ARRIVALS; i++) {
		const char *layer = arrivals[i].layer;
		entry_id dir = *layer ? a->dirs[*layer - '0'] : a->group;

		a->files[i] = world_add_in(&a->w, dir, arrivals[i].name, false);
	}
}

/* A file as it is closed: taken, or to be tried again. */
static void arrive(struct arrival *a, int i)
{
	struct error err = ERROR_INIT;
	int r = world_put_text(&a->w, a->files[i], arrivals[i].text, &err);

	if (r < 0 && r != -EAGAIN)
		fail_msg("%s/%s: %s", arrivals[i].layer, arrivals[i].name, error_text(&err));
	a->done[i] = r >= 0;
}

static void end_arrival(struct arrival *a)
{
	CLEANUP(bytes_unref) struct bytes *png = world_png(1, 1, 9);

	world_copy(&a->w, "images", "1_new.png", png);
	world_set(&a->w, world_add(&a->w, "envelopes", "3_wave.json", false),
		"{\"channels\": 3, \"points\": [{\"time\": 7, \"curve_type\": 5, "
		"\"in_tangent_dx\": [1, 2, 3, 4]}]}");
	for (int round = 0; round < 3; round++)
		for (int i = 0; i < ARRIVALS; i++)
			if (!a->done[i])
				arrive(a, i);
	for (int i = 0; i < ARRIVALS; i++)
		assert_true(a->done[i]);
}

static void check_arrival(struct arrival *a)
{
	struct world *w = &a->w;

	world_settle(w);
	assert_string_equal(world_list(w, "groups"), "0_Back 1_New 2_Game 3 ");
	assert_string_equal(world_list(w, "groups/1_New/layers"), "0_t 1_q 2_s 3_e ");
	assert_string_equal(
		world_list(w, "images"), "0_grass.png 1_new.png 2_desert.json 3_moon.png ");
	assert_content(w->after.s, "groups/1_New/group.json",
		"{\n  \"version\": 3,\n  \"x_offset\": 0,\n  \"y_offset\": 0,\n"
		"  \"x_parallax\": 20,\n  \"y_parallax\": 100,\n  \"clipping\": 0,\n"
		"  \"clip_x\": 0,\n  \"clip_y\": 0,\n  \"clip_width\": 0,\n  \"clip_height\": 0,\n"
		"  \"parallax_zoom\": 33\n}\n");
	assert_content(w->after.s, "groups/1_New/layers/0_t/layer.json",
		"{\n  \"type\": 2,\n  \"detail\": 0,\n  \"version\": 3,\n  \"width\": 3,\n"
		"  \"height\": 2,\n  \"kind\": 0,\n  \"color\": [255, 255, 255, 255],\n"
		"  \"color_envelope\": \"3_wave\",\n  \"color_envelope_offset\": 0,\n"
		"  \"image\": \"1_new\",\n"
		"  \"automapper\": {\"version\": 1, \"config\": 5, \"seed\": 0, \"flags\": "
		"0}\n}\n");
	assert_content(w->after.s, "groups/1_New/layers/0_t/id.csv", "  1,  2,  3\n  4,  5,  6\n");
	assert_content(
		w->after.s, "groups/1_New/layers/0_t/flags.csv", "  0,  1,  0\n  1,  0,  8\n");
	assert_content(
		w->after.s, "groups/1_New/layers/3_e/number.csv", arrivals[ARRIVALS - 1].text);
	/* A table that was not put is zeros, and the physics layer is of the game's size. */
	assert_content(w->after.s, "groups/1_New/layers/3_e/id.csv",
		"  0,  0,  0,  0\n  0,  0,  0,  0\n  0,  0,  0,  0\n");
	assert_int_equal(ints_of(w, TW_LAYER, 3, LIST_DATA)[34], 3);
	assert_int_equal(ints_of(w, TW_LAYER, 3, LIST_DATA)[36], 0);
	assert_int_equal(ints_of(w, TW_LAYER, 4, LIST_DATA)[8], 2);
	ITEM(w, AUTOMAPPER, 4, 1, 1, 0, 5, 0, 0);
	/* Tangents that the points of this map have no room for stand in an item of their own. */
	assert_content(w->after.s, "envelopes/3_wave.json",
		"{\n  \"version\": 2,\n  \"channels\": 3,\n  \"synchronized\": 0,\n"
		"  \"points\": [\n    {\"time\": 7, \"curve_type\": 5, \"values\": [0, 0, 0, 0], "
		"\"in_tangent_dx\": [1, 2, 3, 4], \"in_tangent_dy\": [0, 0, 0, 0], "
		"\"out_tangent_dx\": [0, 0, 0, 0], \"out_tangent_dy\": [0, 0, 0, 0]}\n  ]\n}\n");
	/* What was there shows what it showed. */
	assert_int_equal(world_int(w, TW_LAYER, 0, TILES_IMAGE), 0);
	assert_int_equal(world_int(w, TW_LAYER, 1, LIST_SOURCE), 3);
}

static void a_group_arrives_in_order(void **state)
{
	struct arrival a;

	(void)state;
	begin_arrival(&a);
	for (int i = 0; i < ARRIVALS; i++)
		arrive(&a, i);
	end_arrival(&a);
	check_arrival(&a);
	world_close(&a.w);
}

static void a_group_arrives_backwards(void **state)
{
	struct arrival a;

	(void)state;
	begin_arrival(&a);
	for (int i = ARRIVALS; i > 0; i--)
		arrive(&a, i - 1);
	end_arrival(&a);
	check_arrival(&a);
	world_close(&a.w);
}

static void a_group_arrives_in_any_order(void **state)
{
	(void)state;
	for (unsigned seed = 1; seed <= 40; seed++) {
		unsigned rest = seed * 2654435761u;
		int order[ARRIVALS];
		struct arrival a;

		for (int i = 0; i < ARRIVALS; i++)
			order[i] = i;
		for (int i = ARRIVALS - 1; i > 0; i--) {
			int k = (int)((rest >> 8) % (unsigned)(i + 1)), t = order[i];

			rest = rest * 1103515245 + 12345;
			order[i] = order[k];
			order[k] = t;
		}
		begin_arrival(&a);
		for (int i = 0; i < ARRIVALS; i++)
			arrive(&a, order[i]);
		end_arrival(&a);
		check_arrival(&a);
		world_close(&a.w);
	}
}

static void a_layer_needs_its_layer_json(void **state)
{
	struct error err = ERROR_INIT;
	entry_id layer, plane;
	struct world w;

	(void)state;
	world_open(&w, "structure.map");
	layer = world_add(&w, "groups/1_Game/layers", "1_lost", true);
	plane = world_add_in(&w, layer, "id.csv", false);
	assert_int_equal(world_put_text(&w, plane, "0,0\n0,0\n", &err), -EAGAIN);
	assert_ok(world_try(&w, &err));
	assert_true(world_said(&w, "groups/1_Game/layers/1_lost has no layer.json"));
	world_set(&w, world_add_in(&w, layer, "layer.json", false), tiles_json);
	assert_fails(world_put_text(&w, plane, "0,0\n0,0\n", &err), EINVAL, "line 1");
	assert_fails(world_put_text(&w, world_add_in(&w, layer, "delay.csv", false), "0\n", &err),
		EINVAL, "no such file");
	assert_ok(world_try(&w, &err));
	world_close(&w);
}

static void new_layers_are_judged(void **state)
{
	static const struct {
		const char *text, *why;
	} cases[] = {
		{"{}", "type is missing"},
		{"[]", "type"},
		{"{\"type\": 2, \"kind\": 3}", "must be 0, 1, 2, 4, 8, 16 or 32"},
		{"{\"type\": 2, \"width\": 1}", "width"},
		{"{\"type\": 2, \"width\": 100000, \"height\": 100000}", "10000000000 tiles"},
		{"{\"type\": 2, \"version\": 5}", "version"},
		{"{\"type\": 2, \"color\": [0, 0, 0, 256]}", "color[3]"},
		{"{\"type\": 2, \"colour\": [0, 0, 0, 255]}", "colour"},
		{"{\"type\": 3, \"version\": 3}", "version"},
	};
	struct error err = ERROR_INIT;
	struct world w;
	entry_id id;

	(void)state;
	world_open(&w, "structure.map");
	id = world_add_in(
		&w, world_add(&w, "groups/1_Game/layers", "1_x", true), "layer.json", false);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_fails(world_put_text(&w, id, cases[i].text, &err), EINVAL, cases[i].why);
	world_close(&w);
}

static void physics_layers_have_dummy_tiles_of_zeros(void **state)
{
	static const struct {
		int kind, field, size;
	} kinds[] = {{2, 18, 2}, {4, 19, 6}, {8, 20, 4}, {16, 21, 4}, {32, 22, 2}};
	struct world w;

	(void)state;
	world_open(&w, "structure.map");
	for (int i = 0; i < 5; i++) {
		char name[16], text[64];

		snprintf(name, sizeof(name), "x%d", i);
		snprintf(text, sizeof(text), "{\"type\": 2, \"kind\": %d}", kinds[i].kind);
		world_set(&w,
			world_add_in(&w, world_add(&w, "groups/1_Game/layers", name, true),
				"layer.json", false),
			text);
	}
	world_settle(&w);
	for (int i = 0; i < 5; i++) {
		const struct tw_map *m = fixture_map(&w.after);
		const struct tw_item *it = tw_item_at(m, TW_LAYER, 4 + i);

		ITEM(&w, TW_LAYER, 4 + i, 0, 2, 0, 3, 4, 3, kinds[i].kind, 255, 255, 255, 255, -1,
			0, -1);
		assert_int_equal(tw_blob_of(m, it, TILES_DATA)->size, 4 * 12);
		assert_int_equal(
			tw_blob_of(m, it, (uint32_t)kinds[i].field)->size, 12 * kinds[i].size);
		for (int f = 18; f <= 22; f++)
			if (f != kinds[i].field)
				assert_int_equal(world_int(&w, TW_LAYER, 4 + i, (uint32_t)f), -1);
		/* Data of new layers in the order of the reference writer. */
		assert_int_equal(world_int(&w, TW_LAYER, 4 + i, (uint32_t)kinds[i].field),
			world_int(&w, TW_LAYER, 4 + i, TILES_DATA) + 1);
	}
	world_close(&w);
}

static void envelopes_move_with_their_points(void **state)
{
	static const int times[] = {4, 1, 2, 3};
	struct world w;

	(void)state;
	world_open(&w, "structure.map");
	world_move(&w, id_of(w.now, "envelopes/2_vol.json"), id_of(w.now, "envelopes"), "0_v.json");
	world_settle(&w);
	assert_string_equal(world_list(&w, "envelopes"), "0_v.json 1_pos.json 2.json ");
	ITEM(&w, TW_ENVELOPE, 0, 2, 1, 0, 1);
	ITEM(&w, TW_ENVELOPE, 1, 2, 3, 1, 2);
	ITEM(&w, TW_ENVELOPE, 2, 2, 4, 3, 1);
	for (uint32_t i = 0; i < 4; i++)
		assert_int_equal(world_int(&w, TW_POINTS, 0, 6 * i), times[i]);
	/* quads: (0, 1), (77, -2), (2, 0); sources: (0, 2), (-1, 77); the tiles' color: 1 */
	assert_int_equal(ints_of(&w, TW_LAYER, 1, LIST_DATA)[34], 1);
	assert_int_equal(ints_of(&w, TW_LAYER, 1, LIST_DATA)[36], 2);
	assert_int_equal(ints_of(&w, TW_LAYER, 1, LIST_DATA)[38 + 34], 77);
	assert_int_equal(ints_of(&w, TW_LAYER, 1, LIST_DATA)[38 + 36], -2);
	assert_int_equal(ints_of(&w, TW_LAYER, 1, LIST_DATA)[76 + 34], 0);
	assert_int_equal(ints_of(&w, TW_LAYER, 1, LIST_DATA)[76 + 36], 1);
	assert_int_equal(ints_of(&w, TW_LAYER, 4, LIST_DATA)[6], 1);
	assert_int_equal(ints_of(&w, TW_LAYER, 4, LIST_DATA)[8], 0);
	assert_int_equal(ints_of(&w, TW_LAYER, 4, LIST_DATA)[13 + 8], 77);
	assert_int_equal(world_int(&w, TW_LAYER, 0, TILES_ENVELOPE), 2);
	assert_int_equal(world_int(&w, TW_LAYER, 5, TILES_ENVELOPE), -2);
	world_close(&w);
}

static void a_removed_envelope_takes_its_points(void **state)
{
	struct world w;

	(void)state;
	world_open(&w, "structure.map");
	world_remove(&w, id_of(w.now, "envelopes/0_pos.json"));
	world_settle(&w);
	assert_int_equal(tw_item_at(fixture_map(&w.after), TW_POINTS, 0)->ints->n, 12);
	ITEM(&w, TW_ENVELOPE, 0, 2, 4, 0, 1);
	ITEM(&w, TW_ENVELOPE, 1, 2, 1, 1, 1);
	assert_int_equal(ints_of(&w, TW_LAYER, 1, LIST_DATA)[34], -1);
	assert_int_equal(ints_of(&w, TW_LAYER, 1, LIST_DATA)[36], 0);
	assert_true(world_said(&w, "groups/0_Back/layers/1_quads refers to no envelope now in 2 "
				   "places: envelopes/0_pos.json is gone"));
	world_close(&w);
}

static void points_change_their_form_when_the_map_asks_for_it(void **state)
{
	struct world w;

	(void)state;
	/* Envelope 0 alone is of version 3, so its going leaves points of 6 integers, and their
	 * tangents stand in an item of their own. */
	world_open(&w, "bezier_points.map");
	world_remove(&w, id_of(w.now, "envelopes/0.json"));
	world_settle(&w);
	assert_int_equal(tw_item_at(fixture_map(&w.after), TW_POINTS, 0)->ints->n, 6);
	assert_int_equal(tw_item_at(fixture_map(&w.after), 0xfffe, 0)->ints->n, 16);
	assert_int_equal(world_int(&w, 0xfffe, 0, 15), 15);
	world_close(&w);
	world_open(&w, "bezier_item.map");
	world_set(&w, world_add(&w, "envelopes", "0_new.json", false),
		"{\"version\": 3, \"points\": [{\"time\": 1}, {\"time\": 2}]}");
	world_settle(&w);
	assert_int_equal(tw_item_at(fixture_map(&w.after), TW_POINTS, 0)->ints->n, 4 * 22);
	assert_int_equal(world_int(&w, TW_POINTS, 0, 22), 2);
	assert_int_equal(world_int(&w, TW_POINTS, 0, 44), 1000);
	assert_int_equal(world_int(&w, TW_POINTS, 0, 44 + 6 + 15), 15);
	assert_int_equal(tw_item_at(fixture_map(&w.after), 0xfffe, 0)->ints->n, 4 * 16);
	world_close(&w);
}

/* rm of a file while its object stays. */
static void a_removed_part_takes_its_empty_form(void **state)
{
	struct world w;

	(void)state;
	world_open(&w, "structure.map");
	world_remove(&w, id_of(w.now, "info/author"));
	world_remove(&w, id_of(w.now, "groups/1_Game/layers/0_Game/id.csv"));
	world_remove(&w, id_of(w.now, "groups/0_Back/layers/1_quads/quads.json"));
	world_remove(&w, id_of(w.now, "groups/0_Back/layers/0_bg/layer.json"));
	world_settle(&w);
	assert_content(w.after.s, "info/author", "");
	assert_content(w.after.s, "groups/1_Game/layers/0_Game/id.csv",
		"  0,  0,  0,  0\n  0,  0,  0,  0\n  0,  0,  0,  0\n");
	assert_content(w.after.s, "groups/0_Back/layers/1_quads/quads.json", "[]\n");
	assert_true(world_said(&w, "layer.json was removed from groups/0_Back/layers/0_bg, which "
				   "cannot be without it: it stays"));
	assert_int_equal(world_int(&w, TW_LAYER, 0, 0), 7);
	world_close(&w);
	/* With its object, it is nothing of its own. */
	world_open(&w, "structure.map");
	world_remove(&w, id_of(w.now, "groups/0_Back/layers/0_bg/layer.json"));
	world_remove(&w, id_of(w.now, "groups/0_Back/layers/0_bg/id.csv"));
	world_remove(&w, id_of(w.now, "groups/0_Back/layers/0_bg"));
	world_settle(&w);
	assert_false(world_said(&w, "stays"));
	world_close(&w);
}

static entry_id new_layer(struct world *w, const char *name)
{
	return world_add_in(w, world_add(w, "groups/2/layers", name, true), "layer.json", false);
}

static void situate(struct world *w)
{
	struct error err = ERROR_INIT;

	assert_ok(w->now->format->situate(&w->now, w->places, w->n, &err));
}

/* Layout rule 20. */
static void at_the_save_a_name_without_its_number_will_do(void **state)
{
	CLEANUP(bytes_unref) struct bytes *png = world_png(1, 1, 7);
	struct error err = ERROR_INIT;
	entry_id moon, twin, gone, renamed;
	struct world w;

	(void)state;
	world_open(&w, "structure.map");
	moon = new_layer(&w, "2_a");
	twin = new_layer(&w, "3_b");
	gone = new_layer(&w, "4_c");
	renamed = new_layer(&w, "5_d");
	assert_int_equal(
		world_put_text(&w, moon, "{\"type\": 3, \"image\": \"17_moon\"}", &err), -EAGAIN);
	world_copy(&w, "images", "4_twin.png", png);
	world_copy(&w, "images", "5_twin.png", png);
	world_move(&w, id_of(w.now, "images/0_grass.png"), id_of(w.now, "images"), "7_straw.png");
	world_remove(&w, id_of(w.now, "images/1_desert.json"));
	situate(&w);
	assert_int_equal(
		world_put_text(&w, moon, "{\"type\": 3, \"image\": \"17_moon\"}", &err), 1);
	assert_int_equal(
		world_put_text(&w, renamed, "{\"type\": 3, \"image\": \"7_straw\"}", &err), 1);
	assert_fails(world_put_text(&w, twin, "{\"type\": 3, \"image\": \"9_twin\"}", &err), EINVAL,
		"names no image");
	assert_fails(world_put_text(&w, gone, "{\"type\": 3, \"image\": \"9_desert\"}", &err),
		EINVAL, "names no image");
	world_set(&w, twin, "{\"type\": 3, \"image\": \"5_twin\"}");
	world_set(&w, gone, "{\"type\": 3}");
	world_settle(&w);
	assert_string_equal(
		world_list(&w, "images"), "0_moon.png 1_twin.png 2_twin.png 3_straw.png ");
	assert_int_equal(world_int(&w, TW_LAYER, 6, LIST_SOURCE), 0);
	assert_int_equal(world_int(&w, TW_LAYER, 7, LIST_SOURCE), 2);
	assert_int_equal(world_int(&w, TW_LAYER, 8, LIST_SOURCE), -1);
	assert_int_equal(world_int(&w, TW_LAYER, 9, LIST_SOURCE), 3);
	world_close(&w);
}

/* structure.map's envelope 1 has no name and 4 channels, so it can be a color. */
static void an_envelope_without_a_name_binds_where_it_fits(void **state)
{
	struct error err = ERROR_INIT;
	entry_id tiles, quads;
	struct world w;

	(void)state;
	world_open(&w, "structure.map");
	tiles = new_layer(&w, "2_a");
	quads = world_add(&w, "groups/2/layers", "3_b", true);
	world_set(&w, tiles, "{\"type\": 2, \"color_envelope\": \"1\"}");
	world_set(&w, world_add_in(&w, quads, "layer.json", false), "{\"type\": 3}");
	quads = world_add_in(&w, quads, "quads.json", false);
	assert_int_equal(
		world_put_text(&w, quads, "[{\"position_envelope\": \"1\"}]", &err), -EAGAIN);
	situate(&w);
	assert_fails(world_put_text(&w, quads, "[{\"position_envelope\": \"1\"}]", &err), EINVAL,
		"names no envelope");
	world_settle(&w);
	assert_int_equal(world_int(&w, TW_LAYER, 6, TILES_ENVELOPE), 1);
	assert_true(world_said(
		&w, "groups/2/layers/2_a refers by number alone to something that has no name"));
	world_close(&w);
}

static void a_new_map_has_what_a_game_needs(void **state)
{
	struct world w;

	(void)state;
	world_create(&w);
	world_settle(&w);
	assert_string_equal(world_list(&w, "groups/0_Game/layers"), "0_Game ");
	ITEM(&w, TW_VERSION, 0, 1);
	ITEM(&w, TW_INFO, 0, 1, -1, -1, -1, -1, -1);
	ITEM(&w, TW_GROUP, 0, 3, 0, 0, 100, 100, 0, 1, 0, 0, 0, 0, 0);
	ITEM(&w, TW_LAYER, 0, 0, 2, 0, 3, 50, 50, 1, 255, 255, 255, 255, -1, 0, -1, 0);
	world_close(&w);
	/* A game layer that somebody put is enough. */
	world_create(&w);
	world_set(&w,
		world_add_in(&w,
			world_add_in(&w,
				world_add_in(
					&w, world_add(&w, "groups", "Own", true), "layers", true),
				"Mine", true),
			"layer.json", false),
		"{\"type\": 2, \"kind\": 1, \"width\": 7}");
	world_settle(&w);
	assert_string_equal(world_list(&w, "groups"), "0_Own ");
	assert_string_equal(world_list(&w, "groups/0_Own/layers"), "0_Mine ");
	world_close(&w);
	/* It stands with the physics layers there are, in their size. */
	world_create(&w);
	world_add(&w, "groups", "2_Last", true);
	world_set(&w,
		world_add_in(&w,
			world_add_in(&w,
				world_add_in(
					&w, world_add(&w, "groups", "1_Own", true), "layers", true),
				"Tele", true),
			"layer.json", false),
		"{\"type\": 2, \"kind\": 2, \"width\": 7, \"height\": 9}");
	world_settle(&w);
	assert_string_equal(world_list(&w, "groups"), "0_Own 1_Last ");
	assert_string_equal(world_list(&w, "groups/0_Own/layers"), "0_Tele 1_Game ");
	assert_range(&w, 1, 2, 0);
	ITEM(&w, TW_LAYER, 1, 0, 2, 0, 3, 7, 9, 1);
	world_close(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(groups_move_with_all_that_is_theirs),
		cmocka_unit_test(a_layer_moves_to_another_group),
		cmocka_unit_test(a_removed_group_takes_its_layers_and_their_items),
		cmocka_unit_test(an_auto_mapper_item_for_no_layer_never_gets_one),
		cmocka_unit_test(a_layer_in_two_groups_becomes_two),
		cmocka_unit_test(removing_it_from_one_group_leaves_it_in_the_other),
		cmocka_unit_test(names_raise_only_what_needs_it),
		cmocka_unit_test(an_empty_name_is_stored_as_the_reference_does),
		cmocka_unit_test(a_group_arrives_in_order),
		cmocka_unit_test(a_group_arrives_backwards),
		cmocka_unit_test(a_group_arrives_in_any_order),
		cmocka_unit_test(a_layer_needs_its_layer_json),
		cmocka_unit_test(new_layers_are_judged),
		cmocka_unit_test(physics_layers_have_dummy_tiles_of_zeros),
		cmocka_unit_test(envelopes_move_with_their_points),
		cmocka_unit_test(a_removed_envelope_takes_its_points),
		cmocka_unit_test(points_change_their_form_when_the_map_asks_for_it),
		cmocka_unit_test(a_removed_part_takes_its_empty_form),
		cmocka_unit_test(at_the_save_a_name_without_its_number_will_do),
		cmocka_unit_test(an_envelope_without_a_name_binds_where_it_fits),
		cmocka_unit_test(a_new_map_has_what_a_game_needs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
