/* SPDX-License-Identifier: Zlib */
/*
 * Groups, layers and envelopes that are moved, renamed and removed; and the parts added to a new
 * map.
 */
#include "support/world.h"

enum {
	TILES_ENVELOPE = 11,
	TILES_DATA = 14,
	TELE_DATA = 18,
	LIST_DATA = 5,
	AUTOMAPPER = 0xfffe,
	EXT = 0xfffd
};

static const char tiles_json[] = "{\"type\": 2, \"width\": 3, \"height\": 2}";

static void groups_move_with_their_layers_and_items(void **state)
{
	struct world w;

	(void)state;
	world_open(&w, "structure.map");
	world_move(&w, id_of(w.now, "groups/2"), id_of(w.now, "groups"), "0_Sky");
	world_finalize(&w);
	assert_string_equal(world_list(&w, "groups"), "0_Sky 1_Back 2_Game ");
	assert_string_equal(world_list(&w, "groups/0_Sky/layers"), "0_snd 1_fg ");
	assert_string_equal(world_list(&w, "groups/1_Back/layers"), "0_bg 1_quads ");
	world_range(&w, 0, 0, 2);
	world_range(&w, 1, 2, 2);
	world_range(&w, 2, 4, 2);
	/* A name needs version 3; all other fields are unchanged. */
	ITEM(&w, TW_GROUP, 0, 3, 0, 0, 50, 80, 0, 2, 0, 0, 0, 0, 0);
	/* Auto-mappers of (0, 0) and (2, 1) follow; two without a layer stay so. */
	ITEM(&w, AUTOMAPPER, 0, 1, 1, 0, 3, 40, 1);
	ITEM(&w, AUTOMAPPER, 1, 1, 0, 1, 3, 41, 1);
	ITEM(&w, AUTOMAPPER, 2, 1, 9, 9, 3, 42, 1);
	ITEM(&w, AUTOMAPPER, 3, 1, 1, 2, 3, 43, 1);
	/* Zooms of groups 0 and 1. The third group had none, and DDNet's default is written. */
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
	world_finalize(&w);
	assert_string_equal(world_list(&w, "groups/0_Back/layers"), "0_bg 1_front 2_quads ");
	assert_string_equal(world_list(&w, "groups/2/layers"), "0_snd ");
	world_range(&w, 0, 0, 3);
	world_range(&w, 1, 3, 2);
	world_range(&w, 2, 5, 1);
	ITEM(&w, AUTOMAPPER, 1, 1, 0, 1, 3, 41, 1);
	for (int i = 0; i < 6; i++)
		assert_int_equal(tw_item_at(fixture_map(&w.after), TW_LAYER, i)->id, i);
	world_close(&w);
}

static void removing_a_group_removes_its_layers_and_their_items(void **state)
{
	struct world w;

	(void)state;
	world_open(&w, "structure.map");
	world_remove(&w, id_of(w.now, "groups/0_Back"));
	world_finalize(&w);
	assert_string_equal(world_list(&w, "groups"), "0_Game 1 ");
	assert_int_equal(tw_count(fixture_map(&w.after), TW_LAYER), 4);
	assert_int_equal(tw_count(fixture_map(&w.after), AUTOMAPPER), 3);
	ITEM(&w, AUTOMAPPER, 0, 1, 1, 1, 3, 41, 1);
	/* (1, 2) was no layer; group 1 has two layers now, so it still is none. */
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
	world_finalize(&w);
	ITEM(&w, AUTOMAPPER, 3, 1, -1, -1, 3, 43, 1);
	world_close(&w);
}

static void a_layer_in_two_groups_becomes_two_layers(void **state)
{
	struct world w;

	(void)state;
	world_open(&w, "twice.map");
	world_move(&w, id_of(w.now, "groups/1_B"), id_of(w.now, "groups"), "0_B");
	world_finalize(&w);
	assert_string_equal(world_list(&w, "groups/0_B/layers"), "0_L1 ");
	assert_string_equal(world_list(&w, "groups/1_A/layers"), "0_L0 1_L1 ");
	/* Existing layers of its range. */
	assert_string_equal(world_list(&w, "groups/2_C/layers"), "0_L3 ");
	world_range(&w, 2, 3, 1);
	/* The layer outside all groups stays outside, after all others. */
	assert_int_equal(tw_count(fixture_map(&w.after), TW_LAYER), 5);
	assert_int_equal(world_ints(&w, TW_LAYER, 4, TILES_DATA)[0], 0x02020202);
	assert_int_equal(world_ints(&w, TW_LAYER, 0, TILES_DATA)[0], 0x01010101);
	assert_int_equal(world_ints(&w, TW_LAYER, 2, TILES_DATA)[0], 0x01010101);
	assert_true(
		world_int(&w, TW_LAYER, 0, TILES_DATA) != world_int(&w, TW_LAYER, 2, TILES_DATA));
	world_close(&w);
}

/* The new directory is not saved, because it has no layer.json. */
static void a_layer_shared_by_two_groups_keeps_its_names(void **state)
{
	struct error err = ERROR_INIT;
	struct bytes *list;
	struct world w;

	(void)state;
	world_open(&w, "twice.map");
	world_add(&w, "groups/0_A/layers", "7_x", true);
	world_finalize(&w);
	assert_string_equal(world_list(&w, "groups/0_A/layers"), "0_L0 1_L1 ");
	assert_ok(w.finalized->format->tree->names(w.finalized, &list, &err));
	assert_null(list);
	world_close(&w);
}

static void a_shared_layer_renamed_in_one_group_becomes_separate(void **state)
{
	static const char *const both[] = {"groups/0_A/layers/1_L1", "groups/1_B/layers/0_L1"};
	struct error err = ERROR_INIT;
	struct world w;

	(void)state;
	for (int n = 1; n <= 2; n++) {
		CLEANUP(bytes_unref) struct bytes *list = NULL;

		world_open(&w, "twice.map");
		world_move(&w, id_of(w.now, both[0]), id_of(w.now, "groups/0_A/layers"), "1_new");
		if (n == 2)
			world_move(&w, id_of(w.now, both[1]), id_of(w.now, "groups/1_B/layers"),
				"0_other");
		world_finalize(&w);
		assert_string_equal(world_list(&w, "groups/0_A/layers"), "0_L0 1_new ");
		assert_string_equal(
			world_list(&w, "groups/1_B/layers"), n == 2 ? "0_other " : "0_L1 ");
		/*
		 * Both names follow from the renames, so the name table need not store the old
		 * name.
		 */
		assert_ok(w.finalized->format->tree->names(w.finalized, &list, &err));
		assert_non_null(list);
		assert_null(memmem(list->data, list->size, "0_L1", 4));
		world_close(&w);
	}
}

static void a_shared_layer_moved_to_a_third_group_keeps_its_new_name(void **state)
{
	static const char *const from[] = {"groups/1_B/layers/0_L1", "groups/0_A/layers/1_L1"};
	struct world w;

	(void)state;
	for (int i = 0; i < 2; i++) {
		world_open(&w, "twice.map");
		world_move(&w, id_of(w.now, from[i]), id_of(w.now, "groups/2_C/layers"), "9_new");
		world_finalize(&w);
		assert_string_equal(world_list(&w, "groups/2_C/layers"), "0_L3 1_new ");
		assert_string_equal(
			world_list(&w, "groups/0_A/layers"), i ? "0_L0 " : "0_L0 1_L1 ");
		assert_string_equal(world_list(&w, "groups/1_B/layers"), i ? "0_L1 " : "");
		world_close(&w);
	}
}

static void removing_a_shared_layer_from_one_group_keeps_it_in_the_other(void **state)
{
	struct world w;

	(void)state;
	world_open(&w, "twice.map");
	world_remove(&w, id_of(w.now, "groups/0_A/layers/1_L1"));
	world_finalize(&w);
	assert_string_equal(world_list(&w, "groups/0_A/layers"), "0_L0 ");
	assert_string_equal(world_list(&w, "groups/1_B/layers"), "0_L1 ");
	world_close(&w);
}

static void remove_all(struct world *w, const char *const *paths)
{
	for (; *paths; paths++)
		world_remove(w, id_of(w->now, *paths));
}

/* Remove file by file and then the directory, like rm -r. */
static void removing_the_files_of_a_shared_layer_keeps_those_in_the_other_group(void **state)
{
	static const char *const layer[] = {"groups/0_A/layers/1_L1/flags.csv",
		"groups/0_A/layers/1_L1/id.csv", "groups/0_A/layers/1_L1/layer.json",
		"groups/0_A/layers/1_L1", NULL};
	static const char *const group[] = {"groups/1_B/group.json",
		"groups/1_B/layers/0_L1/flags.csv", "groups/1_B/layers/0_L1/id.csv",
		"groups/1_B/layers/0_L1/layer.json", "groups/1_B/layers/0_L1", "groups/1_B", NULL};
	struct world w;

	(void)state;
	for (int i = 0; i < 2; i++) {
		world_open(&w, "twice.map");
		remove_all(&w, i ? group : layer);
		world_finalize(&w);
		assert_string_equal(
			world_list(&w, "groups/0_A/layers"), i ? "0_L0 1_L1 " : "0_L0 ");
		assert_int_equal(*world_ints(&w, TW_LAYER, 1, 14), 0x01010101);
		assert_false(world_said(&w, "it is required"));
		world_close(&w);
	}
}

/* The file in the other group shows the same part, and may have been changed. */
static void a_part_removed_in_only_one_of_two_groups_stays(void **state)
{
	static const char *const both[] = {
		"groups/0_A/layers/1_L1/id.csv", "groups/1_B/layers/0_L1/id.csv"};
	struct world w;

	(void)state;
	for (int i = 0; i < 2; i++) {
		world_open(&w, "twice.map");
		world_remove(&w, id_of(w.now, both[i]));
		world_finalize(&w);
		assert_int_equal(*world_ints(&w, TW_LAYER, 1, TILES_DATA), 0x01010101);
		assert_true(world_said(&w, "id.csv was not removed from groups/0_A/layers/1_L1: "
					   "the layer is in several groups"));
		world_close(&w);
	}
}

static void a_new_name_raises_only_versions_that_need_it(void **state)
{
	struct world w;

	(void)state;
	world_open(&w, "old_names.map");
	/* Only the number changed, so no name is stored. */
	world_move(&w, id_of(w.now, "groups/0/layers/2"), id_of(w.now, "groups/0/layers"), "0");
	world_finalize(&w);
	assert_int_equal(tw_item_at(fixture_map(&w.after), TW_LAYER, 0)->ints->n, 7);
	world_move(&w, id_of(w.now, "groups/0/layers/2"), id_of(w.now, "groups/0/layers"), "0_q");
	world_move(
		&w, id_of(w.now, "groups/0/layers/1"), id_of(w.now, "groups/0/layers"), "1_tele");
	world_move(&w, id_of(w.now, "groups/0"), id_of(w.now, "groups"), "0_g");
	world_move(&w, id_of(w.now, "envelopes/0.json"), id_of(w.now, "envelopes"), "0_e.json");
	world_finalize(&w);
	assert_string_equal(world_list(&w, "groups/0_g/layers"), "0_q 1 2_tele ");
	assert_string_equal(world_list(&w, "envelopes"), "0_e.json ");
	ITEM(&w, TW_ENVELOPE, 0, 1, 3, 0, 0);
	assert_int_equal(tw_item_at(fixture_map(&w.after), TW_ENVELOPE, 0)->ints->n, 12);
	assert_int_equal(world_int(&w, TW_LAYER, 0, 3), 2);
	assert_int_equal(world_int(&w, TW_LAYER, 1, 3), 2);
	assert_int_equal(world_int(&w, TW_LAYER, 2, 3), 3);
	/* The fields after the name are moved: the tele data, and a garbage field. */
	assert_int_equal(world_ints(&w, TW_LAYER, 2, TELE_DATA)[0], 0);
	assert_int_equal(world_int(&w, TW_LAYER, 2, TELE_DATA + 1), 55);
	world_close(&w);
}

static void an_empty_name_is_stored_like_the_reference_writer_does(void **state)
{
	struct world w;

	(void)state;
	world_open(&w, "structure.map");
	world_move(&w, id_of(w.now, "groups/1_Game"), id_of(w.now, "groups"), "1_");
	world_move(&w, id_of(w.now, "groups/0_Back/layers/0_bg"),
		id_of(w.now, "groups/0_Back/layers"), "0_a%2Fb");
	world_finalize(&w);
	for (uint32_t i = 0; i < 3; i++)
		assert_int_equal((uint32_t)world_int(&w, TW_GROUP, 1, 12 + i),
			i < 2 ? 0x80808080 : 0x80808000);
	assert_int_equal((uint32_t)world_int(&w, TW_LAYER, 0, 15), 0xe1afe280);
	assert_int_equal((uint32_t)world_int(&w, TW_LAYER, 0, 17), 0x80808000);
	world_close(&w);
}

static void envelopes_move_with_their_points(void **state)
{
	static const int times[] = {4, 1, 2, 3};
	struct world w;

	(void)state;
	world_open(&w, "structure.map");
	world_move(&w, id_of(w.now, "envelopes/2_vol.json"), id_of(w.now, "envelopes"), "0_v.json");
	world_finalize(&w);
	assert_string_equal(world_list(&w, "envelopes"), "0_v.json 1_pos.json 2.json ");
	ITEM(&w, TW_ENVELOPE, 0, 2, 1, 0, 1);
	ITEM(&w, TW_ENVELOPE, 1, 2, 3, 1, 2);
	ITEM(&w, TW_ENVELOPE, 2, 2, 4, 3, 1);
	for (uint32_t i = 0; i < 4; i++)
		assert_int_equal(world_int(&w, TW_POINTS, 0, 6 * i), times[i]);
	/* quads: (0, 1), (77, -2), (2, 0); sources: (0, 2), (-1, 77); the tiles' color: 1 */
	assert_int_equal(world_ints(&w, TW_LAYER, 1, LIST_DATA)[34], 1);
	assert_int_equal(world_ints(&w, TW_LAYER, 1, LIST_DATA)[36], 2);
	assert_int_equal(world_ints(&w, TW_LAYER, 1, LIST_DATA)[38 + 34], 77);
	assert_int_equal(world_ints(&w, TW_LAYER, 1, LIST_DATA)[38 + 36], -2);
	assert_int_equal(world_ints(&w, TW_LAYER, 1, LIST_DATA)[76 + 34], 0);
	assert_int_equal(world_ints(&w, TW_LAYER, 1, LIST_DATA)[76 + 36], 1);
	assert_int_equal(world_ints(&w, TW_LAYER, 4, LIST_DATA)[6], 1);
	assert_int_equal(world_ints(&w, TW_LAYER, 4, LIST_DATA)[8], 0);
	assert_int_equal(world_ints(&w, TW_LAYER, 4, LIST_DATA)[13 + 8], 77);
	assert_int_equal(world_int(&w, TW_LAYER, 0, TILES_ENVELOPE), 2);
	assert_int_equal(world_int(&w, TW_LAYER, 5, TILES_ENVELOPE), -2);
	world_close(&w);
}

static void removing_an_envelope_removes_its_points(void **state)
{
	struct world w;

	(void)state;
	world_open(&w, "structure.map");
	world_remove(&w, id_of(w.now, "envelopes/0_pos.json"));
	world_finalize(&w);
	assert_int_equal(tw_item_at(fixture_map(&w.after), TW_POINTS, 0)->ints->n, 12);
	ITEM(&w, TW_ENVELOPE, 0, 2, 4, 0, 1);
	ITEM(&w, TW_ENVELOPE, 1, 2, 1, 1, 1);
	assert_int_equal(world_ints(&w, TW_LAYER, 1, LIST_DATA)[34], -1);
	assert_int_equal(world_ints(&w, TW_LAYER, 1, LIST_DATA)[36], 0);
	assert_true(world_said(&w, "groups/0_Back/layers/1_quads lost 2 references to envelopes: "
				   "envelopes/0_pos.json was removed"));
	world_close(&w);
}

static void points_change_their_form_if_the_versions_require_it(void **state)
{
	struct world w;

	(void)state;
	/*
	 * Only envelope 0 has version 3; without it the points have 6 integers, and tangents get a
	 * separate item.
	 */
	world_open(&w, "bezier_points.map");
	world_remove(&w, id_of(w.now, "envelopes/0.json"));
	world_finalize(&w);
	assert_int_equal(tw_item_at(fixture_map(&w.after), TW_POINTS, 0)->ints->n, 6);
	assert_int_equal(tw_item_at(fixture_map(&w.after), 0xfffe, 0)->ints->n, 16);
	assert_int_equal(world_int(&w, 0xfffe, 0, 15), 15);
	world_close(&w);
	world_open(&w, "bezier_item.map");
	world_set(&w, world_add(&w, "envelopes", "0_new.json", false),
		"{\"version\": 3, \"points\": [{\"time\": 1}, {\"time\": 2}]}");
	world_finalize(&w);
	assert_int_equal(tw_item_at(fixture_map(&w.after), TW_POINTS, 0)->ints->n, 4 * 22);
	assert_int_equal(world_int(&w, TW_POINTS, 0, 22), 2);
	assert_int_equal(world_int(&w, TW_POINTS, 0, 44), 1000);
	assert_int_equal(world_int(&w, TW_POINTS, 0, 44 + 6 + 15), 15);
	assert_int_equal(tw_item_at(fixture_map(&w.after), 0xfffe, 0)->ints->n, 4 * 16);
	world_close(&w);
}

/* Remove a file whose object stays. */
static void a_removed_part_becomes_empty(void **state)
{
	struct world w;

	(void)state;
	world_open(&w, "structure.map");
	world_remove(&w, id_of(w.now, "info/author"));
	world_remove(&w, id_of(w.now, "groups/1_Game/layers/0_Game/id.csv"));
	world_remove(&w, id_of(w.now, "groups/0_Back/layers/1_quads/quads.json"));
	world_remove(&w, id_of(w.now, "groups/0_Back/layers/0_bg/layer.json"));
	world_finalize(&w);
	assert_content(w.after.s, "info/author", "");
	assert_content(w.after.s, "groups/1_Game/layers/0_Game/id.csv",
		"  0,  0,  0,  0\n  0,  0,  0,  0\n  0,  0,  0,  0\n");
	assert_content(w.after.s, "groups/0_Back/layers/1_quads/quads.json", "[]\n");
	assert_true(world_said(
		&w, "layer.json was not removed from groups/0_Back/layers/0_bg: it is required"));
	assert_int_equal(world_int(&w, TW_LAYER, 0, 0), 7);
	world_close(&w);
	/* A part that is removed with its object is not reported separately. */
	world_open(&w, "structure.map");
	world_remove(&w, id_of(w.now, "groups/0_Back/layers/0_bg/layer.json"));
	world_remove(&w, id_of(w.now, "groups/0_Back/layers/0_bg/id.csv"));
	world_remove(&w, id_of(w.now, "groups/0_Back/layers/0_bg"));
	world_finalize(&w);
	assert_false(world_said(&w, "stays"));
	world_close(&w);
}

static void a_new_map_has_the_parts_that_a_game_needs(void **state)
{
	struct world w;

	(void)state;
	world_create(&w);
	world_finalize(&w);
	assert_string_equal(world_list(&w, "groups/0_Game/layers"), "0_Game ");
	ITEM(&w, TW_VERSION, 0, 1);
	ITEM(&w, TW_INFO, 0, 1, -1, -1, -1, -1, -1);
	ITEM(&w, TW_GROUP, 0, 3, 0, 0, 100, 100, 0, 1, 0, 0, 0, 0, 0);
	ITEM(&w, TW_LAYER, 0, 0, 2, 0, 3, 50, 50, 1, 255, 255, 255, 255, -1, 0, -1, 0);
	world_close(&w);
	/* A game layer that the user created is sufficient. */
	world_create(&w);
	world_set(&w,
		world_add_in(&w,
			world_add_in(&w,
				world_add_in(
					&w, world_add(&w, "groups", "Own", true), "layers", true),
				"Mine", true),
			"layer.json", false),
		"{\"type\": 2, \"kind\": 1, \"width\": 7}");
	world_finalize(&w);
	assert_string_equal(world_list(&w, "groups"), "0_Own ");
	assert_string_equal(world_list(&w, "groups/0_Own/layers"), "0_Mine ");
	world_close(&w);
	/* The added layer is placed with the existing physics layers, and has their size. */
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
	world_finalize(&w);
	assert_string_equal(world_list(&w, "groups"), "0_Own 1_Last ");
	assert_string_equal(world_list(&w, "groups/0_Own/layers"), "0_Tele 1_Game ");
	world_range(&w, 1, 2, 0);
	ITEM(&w, TW_LAYER, 1, 0, 2, 0, 3, 7, 9, 1);
	world_close(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(groups_move_with_their_layers_and_items),
		cmocka_unit_test(a_layer_moves_to_another_group),
		cmocka_unit_test(removing_a_group_removes_its_layers_and_their_items),
		cmocka_unit_test(an_auto_mapper_item_for_no_layer_never_gets_one),
		cmocka_unit_test(a_layer_in_two_groups_becomes_two_layers),
		cmocka_unit_test(a_layer_shared_by_two_groups_keeps_its_names),
		cmocka_unit_test(a_shared_layer_renamed_in_one_group_becomes_separate),
		cmocka_unit_test(a_shared_layer_moved_to_a_third_group_keeps_its_new_name),
		cmocka_unit_test(removing_a_shared_layer_from_one_group_keeps_it_in_the_other),
		cmocka_unit_test(
			removing_the_files_of_a_shared_layer_keeps_those_in_the_other_group),
		cmocka_unit_test(a_part_removed_in_only_one_of_two_groups_stays),
		cmocka_unit_test(a_new_name_raises_only_versions_that_need_it),
		cmocka_unit_test(an_empty_name_is_stored_like_the_reference_writer_does),
		cmocka_unit_test(envelopes_move_with_their_points),
		cmocka_unit_test(removing_an_envelope_removes_its_points),
		cmocka_unit_test(points_change_their_form_if_the_versions_require_it),
		cmocka_unit_test(a_removed_part_becomes_empty),
		cmocka_unit_test(a_new_map_has_the_parts_that_a_game_needs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
