/* SPDX-License-Identifier: Zlib */
/* New groups, layers and envelopes: created in any order, and validated. */
#include "support/world.h"

enum {
	TILES_ENVELOPE = 11,
	TILES_IMAGE = 13,
	TILES_DATA = 14,
	LIST_DATA = 5,
	LIST_SOURCE = 6,
	AUTOMAPPER = 0xfffe
};

static const char tiles_json[] = "{\"type\": 2, \"width\": 3, \"height\": 2}";

/* A group with every kind of file, created in the order of `order`. */
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

/* Close a file: its content is accepted, or tried again later. */
static void put_arriving_file(struct arrival *a, int i)
{
	struct error err = ERROR_INIT;
	int r = world_put_text(&a->w, a->files[i], arrivals[i].text, &err);

	if (r < 0 && r != -EAGAIN && !err.is_unresolved)
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
				put_arriving_file(a, i);
	for (int i = 0; i < ARRIVALS; i++)
		assert_true(a->done[i]);
}

static void check_arrival(struct arrival *a)
{
	struct world *w = &a->w;

	world_finalize(w);
	assert_string_equal(world_list(w, "groups"), "0_Back 1_New 2_Game 3 ");
	assert_string_equal(world_list(w, "groups/1_New/layers"), "0_t 1_q 2_s 3_e ");
	assert_string_equal(
		world_list(w, "images"), "0_grass.png 1_new.png 2_desert.json 3_moon.png ");
	assert_content(w->after.s, "groups/1_New/group.json",
		"{\n  \"version\": 3,\n  \"x_offset\": 0,\n  \"y_offset\": 0,\n"
		"  \"x_parallax\": 20,\n  \"y_parallax\": 100,\n  \"clipping\": false,\n"
		"  \"clip_x\": 0,\n  \"clip_y\": 0,\n  \"clip_width\": 0,\n  \"clip_height\": 0,\n"
		"  \"parallax_zoom\": 33\n}\n");
	assert_content(w->after.s, "groups/1_New/layers/0_t/layer.json",
		"{\n  \"type\": \"tiles\",\n  \"detail\": false,\n  \"version\": 3,\n  \"width\": "
		"3,\n"
		"  \"height\": 2,\n  \"kind\": \"design\",\n  \"color\": [255, 255, 255, 255],\n"
		"  \"color_envelope\": \"3_wave\",\n  \"color_envelope_offset\": 0,\n"
		"  \"image\": \"1_new\",\n"
		"  \"automapper\": {\"version\": 1, \"config\": 5, \"seed\": 0, \"flags\": "
		"0}\n}\n");
	assert_content(w->after.s, "groups/1_New/layers/0_t/id.csv", "  1,  2,  3\n  4,  5,  6\n");
	assert_content(
		w->after.s, "groups/1_New/layers/0_t/flags.csv", "  0,  1,  0\n  1,  0,  8\n");
	assert_content(
		w->after.s, "groups/1_New/layers/3_e/number.csv", arrivals[ARRIVALS - 1].text);
	/* A missing table becomes zeros, and the physics layer has the size of the game layer. */
	assert_content(w->after.s, "groups/1_New/layers/3_e/id.csv",
		"  0,  0,  0,  0\n  0,  0,  0,  0\n  0,  0,  0,  0\n");
	assert_int_equal(world_ints(w, TW_LAYER, 3, LIST_DATA)[34], 3);
	assert_int_equal(world_ints(w, TW_LAYER, 3, LIST_DATA)[36], 0);
	assert_int_equal(world_ints(w, TW_LAYER, 4, LIST_DATA)[8], 2);
	ITEM(w, AUTOMAPPER, 4, 1, 1, 0, 5, 0, 0);
	/* The points of this map have no fields for tangents, so these get a separate item. */
	assert_content(w->after.s, "envelopes/3_wave.json",
		"{\n  \"version\": 2,\n  \"channels\": 3,\n  \"synchronized\": false,\n"
		"  \"points\": [\n    {\"time\": 7, \"curve_type\": \"bezier\", \"values\": [0, 0, "
		"0, 0], "
		"\"in_tangent_dx\": [1, 2, 3, 4], \"in_tangent_dy\": [0, 0, 0, 0], "
		"\"out_tangent_dx\": [0, 0, 0, 0], \"out_tangent_dy\": [0, 0, 0, 0]}\n  ]\n}\n");
	/* Existing layers show what they showed before. */
	assert_int_equal(world_int(w, TW_LAYER, 0, TILES_IMAGE), 0);
	assert_int_equal(world_int(w, TW_LAYER, 1, LIST_SOURCE), 3);
}

static void a_new_group_is_accepted_in_order(void **state)
{
	struct arrival a;

	(void)state;
	begin_arrival(&a);
	for (int i = 0; i < ARRIVALS; i++)
		put_arriving_file(&a, i);
	end_arrival(&a);
	check_arrival(&a);
	world_close(&a.w);
}

static void a_new_group_is_accepted_in_reverse_order(void **state)
{
	struct arrival a;

	(void)state;
	begin_arrival(&a);
	for (int i = ARRIVALS; i > 0; i--)
		put_arriving_file(&a, i - 1);
	end_arrival(&a);
	check_arrival(&a);
	world_close(&a.w);
}

static void a_new_group_is_accepted_in_any_order(void **state)
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
			put_arriving_file(&a, order[i]);
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
	assert_true(world_said(
		&w, "groups/1_Game/layers/1_lost is not saved: it has no valid layer.json"));
	world_set(&w, world_add_in(&w, layer, "layer.json", false), tiles_json);
	assert_int_equal(world_put_text(&w, plane, "0,0\n0,0\n", &err), -EAGAIN);
	assert_fails(world_put_text(&w, world_add_in(&w, layer, "delay.csv", false), "0\n", &err),
		EINVAL, "no such file");
	assert_ok(world_try(&w, &err));
	world_close(&w);
}

static void new_envelopes_have_one_to_four_channels(void **state)
{
	struct error err = ERROR_INIT;
	struct world w;
	entry_id id;

	(void)state;
	world_open(&w, "structure.map");
	id = world_add(&w, "envelopes", "9_new.json", false);
	assert_fails(world_put_text(&w, id, "{\"channels\": 5}", &err), EINVAL,
		"channels is 5 (must be 1 to 4)");
	assert_fails(world_put_text(&w, id, "{\"channels\": 0}", &err), EINVAL, "channels is 0");
	assert_int_equal(world_put_text(&w, id, "{\"channels\": 1}", &err), 1);
	world_close(&w);
}

static void invalid_new_layers_are_refused(void **state)
{
	static const struct {
		const char *text, *why;
	} cases[] = {
		{"{}", "type is missing"},
		{"[]", "type"},
		{"{\"type\": 2, \"kind\": 3}", "must be \"design\", \"game\", \"tele\", "
					       "\"speedup\", \"front\", \"switch\" or \"tune\""},
		{"{\"type\": 2, \"width\": 1}", "width"},
		{"{\"type\": 2, \"width\": 100000, \"height\": 100000}", "10000000000 tiles"},
		{"{\"type\": 2, \"version\": 5}", "version"},
		{"{\"type\": 2, \"color\": [0, 0, 0, 256]}", "color[3]"},
		{"{\"type\": 2, \"colour\": [0, 0, 0, 255]}", "colour"},
		{"{\"type\": 3, \"version\": 1.5}", "version"},
		{"{\"type\": 10, \"version\": 3}", "version"},
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

/* No game checks a maximum version of either. */
static void quads_and_envelopes_of_later_versions_are_accepted(void **state)
{
	entry_id quads, list, envelope;
	struct world w;
	int last;

	(void)state;
	world_open(&w, "structure.map");
	quads = world_add(&w, "groups/2/layers", "3_q", true);
	world_set(&w, world_add_in(&w, quads, "layer.json", false),
		"{\"type\": \"quads\", \"version\": 3}");
	list = world_add_in(&w, quads, "quads.json", false);
	world_set(&w, list, "[{}]");
	envelope = world_add(&w, "envelopes", "9_new.json", false);
	world_set(&w, envelope, "{\"version\": 4, \"points\": [{}]}");
	world_finalize(&w);
	assert_int_equal(world_int(&w, TW_LAYER, 6, 3), 3);
	assert_string_equal(world_list(&w, "groups/2/layers/2_q"), "layer.json quads.json ");
	last = (int)tw_count(fixture_map(&w.after), TW_ENVELOPE) - 1;
	assert_int_equal(world_int(&w, TW_ENVELOPE, last, 0), 4);
	world_close(&w);
}

/* New quads have the defaults of the editor. */
static void a_new_quad_shows_the_whole_image(void **state)
{
	static const int32_t whole[] = {0, 0, 1024, 0, 0, 1024, 1024, 1024};
	entry_id quads;
	struct world w;

	(void)state;
	world_open(&w, "structure.map");
	quads = world_add(&w, "groups/2/layers", "3_q", true);
	world_set(&w, world_add_in(&w, quads, "layer.json", false), "{\"type\": \"quads\"}");
	quads = world_add_in(&w, quads, "quads.json", false);
	world_set(&w, quads, "[{\"texture_coordinates\": [[1, 2], [3, 4], [5, 6], [7, 8]]}, {}]");
	/* Existing quads keep their texture coordinates. */
	world_set(&w, quads,
		"[{\"color_envelope_offset\": 5}, {}, {\"positions\": "
		"[[0, 0], [0, 0], [0, 0], [0, 0], [0, 0]]}]");
	world_finalize(&w);
	for (int i = 0; i < 3; i++)
		for (int k = 0; k < 8; k++)
			assert_int_equal(world_ints(&w, TW_LAYER, 6, LIST_DATA)[38 * i + 26 + k],
				i ? whole[k] : k + 1);
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
	world_finalize(&w);
	for (int i = 0; i < 5; i++) {
		const struct tw_map *m = fixture_map(&w.after);
		const struct tw_item *it = tw_item_at(m, TW_LAYER, 4 + i);

		ITEM(&w, TW_LAYER, 4 + i, 0, 2, 0, 3, 4, 3, kinds[i].kind, 255, 255, 255, 255, -1,
			0, -1);
		assert_int_equal(tw_get_blob(m, it, TILES_DATA)->size, 4 * 12);
		assert_int_equal(
			tw_get_blob(m, it, (uint32_t)kinds[i].field)->size, 12 * kinds[i].size);
		for (int f = 18; f <= 22; f++)
			if (f != kinds[i].field)
				assert_int_equal(world_int(&w, TW_LAYER, 4 + i, (uint32_t)f), -1);
		/* Data of new layers in the order of the reference writer. */
		assert_int_equal(world_int(&w, TW_LAYER, 4 + i, (uint32_t)kinds[i].field),
			world_int(&w, TW_LAYER, 4 + i, TILES_DATA) + 1);
	}
	world_close(&w);
}

static entry_id new_layer(struct world *w, const char *name)
{
	return world_add_in(w, world_add(w, "groups/2/layers", name, true), "layer.json", false);
}

/* Layout rule 20. */
static void a_name_without_its_number_is_resolved_at_the_save(void **state)
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
	world_copy(&w, "images", "4_twin.png", png);
	world_copy(&w, "images", "5_twin.png", png);
	world_move(&w, id_of(w.now, "images/0_grass.png"), id_of(w.now, "images"), "7_straw.png");
	world_remove(&w, id_of(w.now, "images/1_desert.json"));
	assert_int_equal(
		world_put_text(&w, moon, "{\"type\": 3, \"image\": \"17_moon\"}", &err), 1);
	assert_int_equal(
		world_put_text(&w, renamed, "{\"type\": 3, \"image\": \"7_straw\"}", &err), 1);
	assert_fails(world_put_text(&w, twin, "{\"type\": 3, \"image\": \"9_twin\"}", &err), EINVAL,
		"image is \"9_twin\" (several images have this name: 4_twin, 5_twin)");
	assert_fails(world_put_text(&w, gone, "{\"type\": 3, \"image\": \"9_desert\"}", &err),
		EINVAL, "the map has no such image");
	world_set(&w, twin, "{\"type\": 3, \"image\": \"5_twin\"}");
	world_set(&w, gone, "{\"type\": 3}");
	world_finalize(&w);
	assert_string_equal(
		world_list(&w, "images"), "0_moon.png 1_twin.png 2_twin.png 3_straw.png ");
	assert_int_equal(world_int(&w, TW_LAYER, 6, LIST_SOURCE), 0);
	assert_int_equal(world_int(&w, TW_LAYER, 7, LIST_SOURCE), 2);
	assert_int_equal(world_int(&w, TW_LAYER, 8, LIST_SOURCE), -1);
	assert_int_equal(world_int(&w, TW_LAYER, 9, LIST_SOURCE), 3);
	world_close(&w);
}

/* Envelope 1 of structure.map has no name and 4 channels, so it can be a color envelope. */
static void an_envelope_without_a_name_is_bound_if_its_channels_fit(void **state)
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
	assert_fails(world_put_text(&w, quads, "[{\"position_envelope\": \"1\"}]", &err), EINVAL,
		"the map has no such envelope");
	/* The number alone is unambiguous, and the text shown for it can be written back. */
	assert_int_equal(world_put_text(&w, quads, "[{\"position_envelope\": 1}]", &err), 1);
	assert_int_equal(world_put_text(&w, quads, "[{\"position_envelope\": \"1\"}]", &err), 0);
	world_finalize(&w);
	assert_int_equal(world_int(&w, TW_LAYER, 6, TILES_ENVELOPE), 1);
	assert_true(world_said(&w, "groups/2/layers/2_a refers to envelopes/1.json only by number, "
				   "because it has no name"));
	world_close(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_new_group_is_accepted_in_order),
		cmocka_unit_test(a_new_group_is_accepted_in_reverse_order),
		cmocka_unit_test(a_new_group_is_accepted_in_any_order),
		cmocka_unit_test(a_layer_needs_its_layer_json),
		cmocka_unit_test(new_envelopes_have_one_to_four_channels),
		cmocka_unit_test(invalid_new_layers_are_refused),
		cmocka_unit_test(quads_and_envelopes_of_later_versions_are_accepted),
		cmocka_unit_test(a_new_quad_shows_the_whole_image),
		cmocka_unit_test(physics_layers_have_dummy_tiles_of_zeros),
		cmocka_unit_test(a_name_without_its_number_is_resolved_at_the_save),
		cmocka_unit_test(an_envelope_without_a_name_is_bound_if_its_channels_fit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
