/* SPDX-License-Identifier: Zlib */
/* Envelopes and their points. */
#include "parts.h"

static void tangents_are_shown_from_the_points_and_from_the_item(void **state)
{
	static const char *const maps[] = {"bezier_item.map", "bezier_points.map"};
	struct fixture f;
	char text[400];

	(void)state;
	for (int i = 0; i < 2; i++) {
		must_open(&f, maps[i], "rw");
		sprintf(text,
			"{\n  \"version\": %d,\n  \"channels\": 3,\n  \"synchronized\": true,\n"
			"  \"points\": [\n    {\"time\": 1000, \"curve_type\": \"bezier\", "
			"\"values\": [0, "
			"0, 0, 1024], \"in_tangent_dx\": [0, 1, 2, 3], \"in_tangent_dy\": [4, 5, "
			"6, 7], \"out_tangent_dx\": [8, 9, 10, 11], \"out_tangent_dy\": [12, 13, "
			"14, 15]}\n  ]\n}\n",
			2 + i);
		assert_content(f.s, "envelopes/0.json", text);
		fixture_close(&f);
	}
}

static int32_t start_of(const struct snapshot *s, int i)
{
	return tw_item_at(tw_map_of(s), TW_ENVELOPE, i)->ints->v[START];
}

static void points_move_those_of_later_envelopes(void **state)
{
	CLEANUP(bytes_unref) struct bytes *before = NULL, *after = NULL;
	struct error err = ERROR_INIT;
	struct fixture f;

	(void)state;
	must_open(&f, "parts.map", "rw");
	before = content_of(f.s, "envelopes/17.json");
	assert_int_equal(edit(&f.s, "envelopes/01.json", "[1, 2, 3, 4]}",
				 "[1, 2, 3, 4]},\n    {\"time\": 6}", &err),
		1);
	assert_int_equal(start_of(f.s, 0), 0);
	assert_int_equal(start_of(f.s, 1), 2);
	assert_int_equal(start_of(f.s, 2), 4);
	assert_int_equal(start_of(f.s, 17), 4);
	assert_content(f.s, "envelopes/01.json",
		"{\n  \"version\": 1,\n  \"channels\": 4,\n  \"points\": [\n    {\"time\": 5, "
		"\"curve_type\": \"linear\", \"values\": [1, 2, 3, 4]},\n    {\"time\": 6, "
		"\"curve_type\": "
		"\"linear\", \"values\": [0, 0, 0, 0]}\n  ]\n}\n");
	after = content_of(f.s, "envelopes/17.json");
	assert_int_equal(before->size, after->size);
	assert_memory_equal(before->data, after->data, before->size);
	/* One without points gets some in its place, before those behind it. */
	assert_int_equal(edit(&f.s, "envelopes/02.json", "[]", "[{\"time\": 9}]", &err), 1);
	assert_int_equal(start_of(f.s, 2), 4);
	assert_int_equal(start_of(f.s, 17), 5);
	fixture_close(&f);
}

static void envelopes_without_points_keep_their_place(void **state)
{
	struct error err = ERROR_INIT;
	struct fixture f;

	(void)state;
	must_open(&f, "empties.map", "rw");
	assert_int_equal(edit(&f.s, "envelopes/3.json", "[]", "[{\"time\": 9}]", &err), 1);
	assert_int_equal(start_of(f.s, 2), 1);
	assert_int_equal(start_of(f.s, 3), 1);
	assert_int_equal(start_of(f.s, 4), 2);
	assert_int_equal(edit(&f.s, "envelopes/0.json", "[]", "[{\"time\": 9}]", &err), 1);
	assert_int_equal(start_of(f.s, 0), 0);
	assert_int_equal(start_of(f.s, 1), 1);
	assert_int_equal(start_of(f.s, 2), 2);
	assert_int_equal(start_of(f.s, 4), 3);
	fixture_close(&f);
}

static void points_that_others_use_too_are_left_to_them(void **state)
{
	CLEANUP(bytes_unref) struct bytes *second = NULL, *third = NULL, *now = NULL, *then = NULL;
	struct error err = ERROR_INIT;
	struct fixture f;

	(void)state;
	must_open(&f, "overlapping.map", "rw");
	second = content_of(f.s, "envelopes/1.json");
	third = content_of(f.s, "envelopes/2.json");
	assert_int_equal(edit(&f.s, "envelopes/0.json", "\"time\": 9", "\"time\": 10", &err), 1);
	now = content_of(f.s, "envelopes/1.json");
	then = content_of(f.s, "envelopes/2.json");
	assert_memory_equal(second->data, now->data, second->size);
	assert_memory_equal(third->data, then->data, third->size);
	assert_int_equal(start_of(f.s, 0), 3);
	fixture_close(&f);
}

static void tangents_keep_their_item_in_step(void **state)
{
	const struct tw_map *m;
	struct error err = ERROR_INIT;
	struct fixture f;

	(void)state;
	must_open(&f, "bezier_item.map", "rw");
	assert_int_equal(
		edit(&f.s, "envelopes/0.json", "[12, 13, 14, 15]}",
			"[12, 13, 14, 99]},\n    {\"time\": 2000, \"in_tangent_dx\": [7, 7, "
			"7, 7]}",
			&err),
		1);
	m = tw_map_of(f.s);
	assert_int_equal(tw_item_at(m, TW_POINTS, 0)->ints->n, 3 * 6);
	assert_int_equal(tw_item_at(m, 0xfffe, 0)->ints->n, 3 * 16);
	assert_int_equal(tw_item_at(m, 0xfffe, 0)->ints->v[15], 99);
	assert_int_equal(tw_item_at(m, 0xfffe, 0)->ints->v[16], 7);
	assert_int_equal(tw_item_at(m, 0xfffe, 0)->ints->v[33], 1);
	/* From version 3 on they stand in the points of all envelopes. */
	assert_int_equal(
		edit(&f.s, "envelopes/1.json", "\"version\": 2", "\"version\": 3", &err), 1);
	m = tw_map_of(f.s);
	assert_int_equal(tw_item_at(m, TW_POINTS, 0)->ints->n, 3 * 22);
	assert_int_equal(tw_item_at(m, TW_POINTS, 0)->ints->v[21], 99);
	fixture_close(&f);
}

static void tangents_that_the_points_lose_get_an_item(void **state)
{
	const struct tw_map *m;
	struct error err = ERROR_INIT;
	CLEANUP(bytes_unref) struct bytes *before = NULL, *after = NULL;
	struct fixture f;

	(void)state;
	must_open(&f, "bezier_points.map", "rw");
	before = content_of(f.s, "envelopes/1.json");
	assert_int_equal(
		edit(&f.s, "envelopes/0.json", "\"version\": 3", "\"version\": 2", &err), 1);
	m = tw_map_of(f.s);
	assert_int_equal(tw_item_at(m, TW_POINTS, 0)->ints->n, 2 * 6);
	assert_int_equal(tw_uuid_type(m, TW_BEZIER), 0xfffe);
	assert_int_equal(tw_item_at(m, 0xfffe, 0)->ints->n, 2 * 16);
	after = content_of(f.s, "envelopes/1.json");
	assert_memory_equal(before->data, after->data, before->size);
	fixture_close(&f);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(tangents_are_shown_from_the_points_and_from_the_item),
		cmocka_unit_test(points_move_those_of_later_envelopes),
		cmocka_unit_test(envelopes_without_points_keep_their_place),
		cmocka_unit_test(points_that_others_use_too_are_left_to_them),
		cmocka_unit_test(tangents_keep_their_item_in_step),
		cmocka_unit_test(tangents_that_the_points_lose_get_an_item),
	};

	return cmocka_run_group_tests_name("points", tests, NULL, NULL);
}
