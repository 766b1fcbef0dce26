/* SPDX-License-Identifier: Zlib */
/* group.json, layer.json and the lists: which content they show, accept and refuse. */
#include "support/parts.h"

static void the_documented_examples_are_shown_exactly(void **state)
{
	struct fixture f;

	(void)state;
	must_open(&f, "parts.map", "rw");
	assert_content(f.s, "groups/0/group.json",
		"{\n  \"version\": 3,\n  \"x_offset\": 0,\n  \"y_offset\": 0,\n"
		"  \"x_parallax\": 100,\n  \"y_parallax\": 100,\n  \"clipping\": false,\n"
		"  \"clip_x\": 0,\n  \"clip_y\": 0,\n  \"clip_width\": 0,\n"
		"  \"clip_height\": 0,\n  \"parallax_zoom\": 100\n}\n");
	assert_content(f.s, LAYERS "00/layer.json",
		"{\n  \"type\": \"tiles\",\n  \"detail\": false,\n  \"version\": 3,\n  \"width\": "
		"4,\n"
		"  \"height\": 3,\n  \"kind\": \"design\",\n  \"color\": [255, 255, 255, 255],\n"
		"  \"color_envelope\": null,\n  \"color_envelope_offset\": 0,\n"
		"  \"image\": \"03_grass_main\",\n  \"automapper\": {\"version\": 1, "
		"\"config\": 3, \"seed\": 42, \"flags\": 1}\n}\n");
	assert_content(f.s, LAYERS "01/quads.json",
		"[\n  {\"positions\": [[-70, 49], [99, 49], [-70, 58], [99, 58], [14, 54]], "
		"\"corner_colors\": [[255, 255, 255, 167], [220, 228, 57, 170], [255, 255, 255, "
		"188], [255, 255, 255, 153]], \"texture_coordinates\": [[0, 0], [1024, 0], [0, "
		"1024], [1024, 1024]], \"position_envelope\": \"17\", "
		"\"position_envelope_offset\": 3, \"color_envelope\": -2, "
		"\"color_envelope_offset\": 0}\n]\n");
	assert_content(f.s, LAYERS "02/sources.json",
		"[\n  {\"position\": [0, 0], \"looping\": true, \"panning\": true, \"delay\": 0, "
		"\"falloff\": 7, \"position_envelope\": null, \"position_envelope_offset\": 0, "
		"\"sound_envelope\": null, \"sound_envelope_offset\": 0, \"shape\": [0, 100, "
		"50]}\n]\n");
	assert_content(f.s, LAYERS "03/sources.json",
		"[\n  {\"position\": [64, 64], \"looping\": true, \"delay\": 0, \"radius\": 500, "
		"\"position_envelope\": null, \"position_envelope_offset\": 0, "
		"\"sound_envelope\": null, \"sound_envelope_offset\": 0}\n]\n");
	assert_content(f.s, "envelopes/00.json",
		"{\n  \"version\": 2,\n  \"channels\": 3,\n  \"synchronized\": true,\n"
		"  \"points\": [\n    {\"time\": 0, \"curve_type\": \"slow\", \"values\": [0, 0, "
		"0, "
		"0]},\n    {\"time\": 1000, \"curve_type\": \"bezier\", \"values\": [0, 0, 0, "
		"1024]}\n  ]\n}\n");
	assert_content(f.s, "envelopes/01.json",
		"{\n  \"version\": 1,\n  \"channels\": 4,\n  \"points\": [\n    {\"time\": 5, "
		"\"curve_type\": \"linear\", \"values\": [1, 2, 3, 4]}\n  ]\n}\n");
	assert_content(f.s, "envelopes/02.json",
		"{\n  \"version\": 2,\n  \"channels\": 1,\n  \"synchronized\": true,\n"
		"  \"points\": []\n}\n");
	fixture_close(&f);
}

static void an_invalid_layer_json_is_refused(void **state)
{
	static const char path[] = LAYERS "00/layer.json";
	struct fixture f;

	(void)state;
	must_open(&f, "parts.map", "rw");
	assert_refused(&f, path, "\"type\": \"tiles\"", "\"type\": 3",
		"type is 3 (cannot be changed from \"tiles\")");
	assert_refused(&f, path, "\"kind\": \"design\"", "\"kind\": \"game\"",
		"kind is \"game\" (cannot be changed from \"design\")");
	assert_refused(&f, path, "[255,", "[256,",
		"line 8, column 13: color[0] is 256 (must be 0 to 255)");
	assert_refused(&f, path, "03_grass_main", "03_grass", "the map has no such image");
	assert_refused(&f, path, "\"detail\"", "\"details\"", "details is not a known key");
	assert_refused(&f, path, "\"detail\": false", "\"detail\": 0,\n  \"detail\": 0", "line 4");
	assert_refused(&f, path, "\"detail\": false", "\"detail\": 0.5", "must be false or true");
	assert_refused(&f, path, "\"detail\": false", "\"detail\": 2147483648", "2147483647");
	assert_refused(&f, path, "\"seed\"", "\"sead\"", "automapper.sead is not a known key");
	assert_refused(
		&f, "envelopes/00.json", "\"channels\": 3", "\"channels\": 4", "cannot be changed");
	assert_refused(
		&f, "groups/0/group.json", "\"version\": 3", "\"version\": 4", "must be 1 to 3");
	fixture_close(&f);
}

static void references_may_be_numbers_or_missing(void **state)
{
	static const char path[] = LAYERS "00/layer.json";
	CLEANUP(bytes_unref) struct bytes *before = NULL, *after = NULL;
	struct error err = ERROR_INIT;
	struct fixture f;

	(void)state;
	must_open(&f, "parts.map", "rw");
	before = content_of(f.s, path);
	assert_int_equal(edit(&f.s, path, "\"03_grass_main\"", "3", &err), 0);
	assert_int_equal(put_text(&f.s, path, "{\"detail\": 0}", &err), 0);
	after = content_of(f.s, path);
	assert_memory_equal(before->data, after->data, before->size);
	assert_int_equal(edit(&f.s, path, "\"03_grass_main\"", "4", &err), 1);
	assert_int_equal(layer(f.s, 0)->ints->v[13], 4);
	assert_int_equal(edit(&f.s, path, "\"04_image4\"", "null", &err), 1);
	assert_int_equal(layer(f.s, 0)->ints->v[13], -1);
	/* The number after the last image refers to nothing, and stays a number. */
	assert_int_equal(edit(&f.s, path, "\"image\": null", "\"image\": 11", &err), 1);
	assert_int_equal(edit(&f.s, path, "\"image\": 11", "\"image\": 11", &err), 0);
	fixture_close(&f);
}

static void quads_keep_fields_that_the_file_does_not_show(void **state)
{
	static const char path[] = LAYERS "01/quads.json";
	static const uint8_t zeros[152];
	CLEANUP(bytes_unref) struct bytes *two = NULL;
	struct error err = ERROR_INIT;
	struct fixture f;

	(void)state;
	must_open(&f, "parts.map", "rw");
	assert_int_equal(edit(&f.s, path, "[[-70, 49]", "[[-71, 49]", &err), 1);
	CLEANUP(bytes_unref) struct bytes *one = data_of(f.s, 1, LIST_DATA);
	assert_int_equal(one->size, 156);
	assert_memory_equal(one->data, "\xb9\xff\xff\xff", 4);
	assert_memory_equal(one->data + 152, "more", 4);
	/* The new quad has default values for missing keys. */
	assert_int_equal(
		edit(&f.s, path, "0}\n]", "0},\n {\"color_envelope_offset\": 5}]", &err), 1);
	assert_int_equal(layer(f.s, 1)->ints->v[COUNT], 2);
	two = data_of(f.s, 1, LIST_DATA);
	assert_int_equal(two->size, 304);
	assert_memory_equal(two->data + 152, zeros, 40);
	assert_memory_equal(
		two->data + 152 + 4 * 34, "\xff\xff\xff\xff\0\0\0\0\xff\xff\xff\xff\5", 13);
	assert_int_equal(put_text(&f.s, path, "[]", &err), 1);
	assert_int_equal(layer(f.s, 1)->ints->v[COUNT], 0);
	assert_data(f.s, 1, LIST_DATA, zeros, 152);
	assert_content(f.s, path, "[]\n");
	assert_fails(put_text(&f.s, path, "[{\"positions\": [[0, 0]]}]", &err), EINVAL,
		"positions is an array of 1 (must be an array of 5)");
	assert_fails(put_text(&f.s, path, "[{\"position_envelope\": \"18\"}]", &err), EINVAL,
		"[0].position_envelope is \"18\" (the map has no such envelope)");
	fixture_close(&f);
}

static void a_long_list_can_be_read_in_parts_in_any_order(void **state)
{
	static const size_t parts[] = {0, 4096, 100000, 250000, 4096, 999999, 1, 2};
	CLEANUP(bytes_unref) struct bytes *whole = NULL;
	struct error err = ERROR_INIT;
	struct file_attr entry;
	struct fixture f;
	char part[5000];

	(void)state;
	must_open(&f, "many_quads.map", "rw");
	assert_int_equal(entry_find(f.s, "groups/0/layers/0/quads.json", &entry), 0);
	assert_false(entry.has_size);
	whole = content_of(f.s, "groups/0/layers/0/quads.json");
	assert_true(whole->size > 1000000);
	for (uint64_t i = 0, at; i < 300; i++) {
		at = i * i * 7919 % (whole->size - sizeof(part));
		assert_ok(f.s->format->get(f.s, entry.id, at, part, sizeof(part), &err));
		assert_memory_equal(part, whole->data + at, sizeof(part));
	}
	assert_memory_equal(
		whole->data + whole->size - 33, "\"color_envelope_offset\": 2999}\n]\n", 33);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		assert_ok(f.s->format->get(f.s, entry.id, parts[i], part, sizeof(part), &err));
		assert_memory_equal(part, whole->data + parts[i], sizeof(part));
	}
	/* From now on its size is known. */
	assert_int_equal(entry_find(f.s, "groups/0/layers/0/quads.json", &entry), 0);
	assert_true(entry.has_size);
	assert_int_equal(entry.size, whole->size);
	fixture_close(&f);
}

static void an_old_group_accepts_clipping_and_zoom(void **state)
{
	struct error err = ERROR_INIT;
	const struct tw_ints *v;
	struct fixture f;

	(void)state;
	must_open(&f, "parts.map", "rw");
	assert_content(f.s, "groups/1/group.json",
		"{\n  \"version\": 1,\n  \"x_offset\": 0,\n  \"y_offset\": 0,\n"
		"  \"x_parallax\": 100,\n  \"y_parallax\": 100\n}\n");
	assert_int_equal(
		put_text(&f.s, "groups/1/group.json",
			"{\"clipping\": 1, \"clip_width\": 32, \"parallax_zoom\": 7}", &err),
		1);
	assert_content(f.s, "groups/1/group.json",
		"{\n  \"version\": 2,\n  \"x_offset\": 0,\n  \"y_offset\": 0,\n"
		"  \"x_parallax\": 100,\n  \"y_parallax\": 100,\n  \"clipping\": true,\n"
		"  \"clip_x\": 0,\n  \"clip_y\": 0,\n  \"clip_width\": 32,\n"
		"  \"clip_height\": 0,\n  \"parallax_zoom\": 7\n}\n");
	v = tw_item_at(tw_map_of(f.s), TW_GROUP, 1)->ints;
	assert_int_equal(v->n, 12);
	assert_int_equal(v->v[5], 11);
	fixture_close(&f);
}

static void an_automapper_can_be_added_and_removed(void **state)
{
	static const char path[] = LAYERS "00/layer.json";
	struct error err = ERROR_INIT;
	const struct tw_item *it;
	struct fixture f;

	(void)state;
	must_open(&f, "parts.map", "rw");
	assert_int_equal(
		edit(&f.s, path, "{\"version\": 1, \"config\": 3, \"seed\": 42, \"flags\": 1}",
			"null", &err),
		1);
	assert_int_equal(tw_count(tw_map_of(f.s), 0xfffe), 0);
	assert_int_equal(edit(&f.s, LAYERS "10/layer.json", "\"automapper\": null",
				 "\"automapper\": {\"config\": 2}", &err),
		1);
	it = tw_item_at(tw_map_of(f.s), 0xfffe, 0);
	assert_non_null(it);
	assert_memory_equal(it->ints->v, ((int32_t[]){1, 0, 10, 2, 0, 0}), 24);
	fixture_close(&f);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_documented_examples_are_shown_exactly),
		cmocka_unit_test(an_invalid_layer_json_is_refused),
		cmocka_unit_test(references_may_be_numbers_or_missing),
		cmocka_unit_test(quads_keep_fields_that_the_file_does_not_show),
		cmocka_unit_test(a_long_list_can_be_read_in_parts_in_any_order),
		cmocka_unit_test(an_old_group_accepts_clipping_and_zoom),
		cmocka_unit_test(an_automapper_can_be_added_and_removed),
	};

	return cmocka_run_group_tests_name("parts", tests, NULL, NULL);
}
