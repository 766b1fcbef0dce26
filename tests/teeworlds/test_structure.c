/* SPDX-License-Identifier: Zlib */
/*
 * Images, sounds and info: meanings of names, and the map after objects are created, moved,
 * renamed, removed and changed to their other form.
 */
#include "support/world.h"

enum { IMG_EXTERNAL = 3, IMG_NAME = 4, IMG_DATA = 5, TILES_IMAGE = 13, LIST_SOURCE = 6 };

static int classify(const struct world *w, const char *dir, const char *name, bool is_dir)
{
	struct name_class m;
	int r = format_teeworlds.tree->classify(
		w->now, id_of(w->now, dir), name, is_dir, ENTRY_ROOT, &m, NULL);

	return r < 0 ? r : (int)m.kind;
}

static void assert_refused(const struct world *w, const char *dir, const char *name, bool is_dir,
	int code, const char *text)
{
	struct error err = ERROR_INIT;
	struct name_class m;

	assert_fails(format_teeworlds.tree->classify(
			     w->now, id_of(w->now, dir), name, is_dir, ENTRY_ROOT, &m, &err),
		code, text);
}

static void names_are_objects_parts_or_scratch(void **state)
{
	struct world w;

	(void)state;
	world_open(&w, "structure.map");
	assert_int_equal(classify(&w, "images", "new.png", false), NAME_OBJECT);
	assert_int_equal(classify(&w, "images", "new.json", false), NAME_OBJECT);
	assert_int_equal(classify(&w, "images", "new.PNG", false), NAME_OBJECT);
	assert_int_equal(classify(&w, "images", "new.png~", false), NAME_SCRATCH);
	assert_int_equal(classify(&w, "images", ".new.png", false), NAME_SCRATCH);
	assert_int_equal(classify(&w, "images", "new.jpg", false), NAME_SCRATCH);
	assert_int_equal(classify(&w, "images", "4913", false), NAME_SCRATCH);
	assert_int_equal(classify(&w, "images", "dir.png", true), NAME_SCRATCH);
	assert_int_equal(classify(&w, "sounds", "new.opus", false), NAME_OBJECT);
	assert_int_equal(classify(&w, "sounds", "new.png", false), NAME_SCRATCH);
	assert_int_equal(classify(&w, "envelopes", "new.json", false), NAME_OBJECT);
	assert_int_equal(classify(&w, "envelopes", "new.png", false), NAME_SCRATCH);
	assert_int_equal(classify(&w, "info", "author~", false), NAME_SCRATCH);
	assert_int_equal(classify(&w, "", "new.png", false), NAME_SCRATCH);
	assert_int_equal(classify(&w, "groups", "3_new", true), NAME_OBJECT);
	assert_int_equal(classify(&w, "groups", "4913", false), NAME_SCRATCH);
	assert_int_equal(classify(&w, "groups/0_Back", "extra.json", false), NAME_SCRATCH);
	assert_int_equal(classify(&w, "groups/0_Back/layers", "x", true), NAME_OBJECT);
	assert_int_equal(classify(&w, "raw/data", "99999", false), -EACCES);
	world_close(&w);
}

static void a_name_that_does_not_fit_its_field_is_refused(void **state)
{
	static const char text[] =
		"0123456789012345678901234567890123456789012345678901234567890123"
		"456789012345678901234567890123456789012345678901234567890123456789";
	char name[NAME_MAX + 1];
	struct world w;

	(void)state;
	world_open(&w, "structure.map");
	snprintf(name, sizeof(name), "7_a%.126s.png", text);
	assert_int_equal(classify(&w, "images", name, false), NAME_OBJECT);
	snprintf(name, sizeof(name), "7_a%.127s.png", text);
	assert_refused(&w, "images", name, false, ENAMETOOLONG, "128 bytes (at most 127)");
	assert_refused(&w, "groups", "1_twelve bytes", true, ENAMETOOLONG, "12 bytes (at most 11)");
	/* An escape counts as one byte. */
	assert_int_equal(classify(&w, "groups", "1_a%2Fbcdefghi%25", true), NAME_OBJECT);
	assert_refused(&w, "sounds", "a%00b.opus", false, EINVAL, "NUL");
	snprintf(name, sizeof(name), "%.32s_.json", "a123456789b123456789c123456789d12");
	assert_refused(&w, "envelopes", name, false, ENAMETOOLONG, "33 bytes (at most 31)");
	world_close(&w);
}

/* Returns the class of a file's name. */
static struct name_class class_of_file(
	const struct world *w, const char *dir, const char *name, entry_id object)
{
	struct name_class m;

	assert_int_equal(format_teeworlds.tree->classify(
				 w->now, id_of(w->now, dir), name, false, object, &m, NULL),
		0);
	return m;
}

static void both_endings_name_the_same_image(void **state)
{
	struct name_class m;
	struct file_attr entry;
	entry_id json;
	struct world w;

	(void)state;
	world_open(&w, "structure.map");
	json = id_of(w.now, "images/1_desert.json");
	m = class_of_file(&w, "images", "1_desert.png", json);
	assert_true(m.is_known && m.kind == NAME_OBJECT && m.form == 0);
	assert_true(m.id != json && entry_object(m.id) == entry_object(json));
	assert_string_equal(m.alternate, "1_desert.json");
	assert_false(m.accepts_object);
	assert_int_equal(format_teeworlds.stat(w.now, m.id, &entry, NULL), -EIO);
	m = class_of_file(&w, "images", "1_desert.json", json);
	assert_true(m.is_known && m.id == json && m.form == ENTRY_FORM && m.accepts_object);
	assert_string_equal(m.alternate, "1_desert.png");
	m = class_of_file(&w, "images", "1_new.png", ENTRY_ROOT);
	assert_true(!m.is_known && m.kind == NAME_OBJECT && !m.accepts_object);
	m = class_of_file(&w, "info", "author", ENTRY_ROOT);
	assert_true(m.is_known && m.kind == NAME_PART && !*m.alternate);
	world_close(&w);
}

static void without_changes_finalize_returns_the_same_snapshot(void **state)
{
	struct world w;

	(void)state;
	world_open(&w, "structure.map");
	world_finalize(&w);
	assert_ptr_equal(w.finalized, w.now);
	/* Move it away and back. */
	world_move(&w, id_of(w.now, "images/0_grass.png"), id_of(w.now, "images"), "0_grass.png");
	world_finalize(&w);
	assert_ptr_equal(w.finalized, w.now);
	assert_true(world_is_unchanged(&w));
	world_close(&w);
}

static void a_number_is_a_position_and_the_newest_object_comes_first(void **state)
{
	CLEANUP(bytes_unref) struct bytes *png = world_png(2, 1, 7);
	struct world w;

	(void)state;
	world_open(&w, "structure.map");
	world_copy(&w, "images", "1_first.png", png);
	world_copy(&w, "images", "0001_second.png", png);
	world_copy(&w, "images", "99999999999999999999_far.png", png);
	world_finalize(&w);
	assert_string_equal(world_list(&w, "images"),
		"0_grass.png 1_second.png 2_first.png 3_desert.json 4_moon.png 5_far.png ");
	for (int i = 0; i < 6; i++)
		assert_int_equal(tw_item_at(fixture_map(&w.after), TW_IMAGE, i)->id, i);
	world_close(&w);
}

static void an_object_without_a_number_is_last(void **state)
{
	CLEANUP(bytes_unref) struct bytes *png = world_png(2, 1, 7);
	struct world w;

	(void)state;
	world_open(&w, "structure.map");
	world_copy(&w, "images", "b.png", png);
	world_copy(&w, "images", "45.png", png);
	world_copy(&w, "images", "x45_y.png", png);
	world_copy(&w, "images", "9_.png", png);
	world_copy(&w, "images", "%2Fa%zz.png.png", png);
	world_finalize(&w);
	assert_string_equal(world_list(&w, "images"), "0_grass.png 1_desert.json 2_moon.png 3.png "
						      "4_b.png 5_45.png 6_x45_y.png "
						      "7_%2Fa%25zz.png.png ");
	world_close(&w);
}

static void a_rename_stores_the_name_and_a_new_number_only_moves(void **state)
{
	CLEANUP(bytes_unref) struct bytes *before = NULL, *after = NULL;
	struct world w;

	(void)state;
	world_open(&w, "structure.map");
	before = content_of(w.now, "images/2_moon.png");
	world_move(&w, id_of(w.now, "images/2_moon.png"), id_of(w.now, "images"), "0_moon.png");
	world_move(&w, id_of(w.now, "images/0_grass.png"), id_of(w.now, "images"), "1_gras%25.png");
	world_finalize(&w);
	assert_string_equal(world_list(&w, "images"), "0_moon.png 1_gras%25.png 2_desert.json ");
	after = content_of(w.after.s, "images/0_moon.png");
	assert_int_equal(before->size, after->size);
	assert_memory_equal(before->data, after->data, after->size);
	/* Layers 0 and 1 referred to grass and moon. */
	assert_int_equal(world_int(&w, TW_LAYER, 0, TILES_IMAGE), 1);
	assert_int_equal(world_int(&w, TW_LAYER, 1, LIST_SOURCE), 0);
	assert_int_equal(world_int(&w, TW_LAYER, 5, TILES_IMAGE), 77);
	world_close(&w);
}

static void swapping_numbers_only_swaps_positions(void **state)
{
	struct world w;

	(void)state;
	world_open(&w, "structure.map");
	world_move(&w, id_of(w.now, "sounds/0_wind.opus"), id_of(w.now, "sounds"), "1_wind.opus");
	world_move(&w, id_of(w.now, "sounds/1_rain.opus"), id_of(w.now, "sounds"), "0_rain.opus");
	world_finalize(&w);
	assert_string_equal(world_list(&w, "sounds"), "0_rain.opus 1_wind.opus ");
	assert_int_equal(world_int(&w, TW_LAYER, 4, LIST_SOURCE), 1);
	world_close(&w);
}

static void references_to_removed_objects_are_cleared_and_reported(void **state)
{
	struct world w;

	(void)state;
	world_open(&w, "structure.map");
	world_remove(&w, id_of(w.now, "images/0_grass.png"));
	world_remove(&w, id_of(w.now, "sounds/0_wind.opus"));
	world_finalize(&w);
	assert_string_equal(world_list(&w, "images"), "0_desert.json 1_moon.png ");
	assert_int_equal(world_int(&w, TW_LAYER, 0, TILES_IMAGE), -1);
	assert_int_equal(world_int(&w, TW_LAYER, 1, LIST_SOURCE), 1);
	assert_int_equal(world_int(&w, TW_LAYER, 4, LIST_SOURCE), -1);
	assert_true(world_said(
		&w, "groups/0_Back/layers/0_bg lost its image: images/0_grass.png was removed"));
	assert_true(world_said(&w, "groups/2/layers/0_snd lost its sound"));
	/* Their data is removed too: name and pixels, name and sound. */
	assert_int_equal(fixture_map(&w.after)->n_blobs, fixture_map(&w.f)->n_blobs - 4);
	world_close(&w);
}

/* structure.map has 3 images; a reference to number 77 must not become valid with 78 images. */
static void a_dangling_number_never_becomes_a_reference(void **state)
{
	CLEANUP(bytes_unref) struct bytes *png = world_png(1, 1, 7);
	struct world w;
	char name[32];

	(void)state;
	world_open(&w, "structure.map");
	for (int i = 0; i < 75; i++) {
		snprintf(name, sizeof(name), "new%d.png", i);
		world_copy(&w, "images", name, png);
		if (i == 73) {
			world_finalize(&w);
			assert_int_equal(world_int(&w, TW_LAYER, 5, TILES_IMAGE), 77);
		}
	}
	assert_content(w.now, "groups/2/layers/1_fg/layer.json",
		"{\n  \"type\": \"tiles\",\n  \"detail\": false,\n  \"version\": 3,\n  \"width\": "
		"2,\n"
		"  \"height\": 2,\n  \"kind\": \"design\",\n  \"color\": [255, 255, 255, 255],\n"
		"  \"color_envelope\": -2,\n  \"color_envelope_offset\": 0,\n  \"image\": 77,\n"
		"  \"automapper\": {\"version\": 1, \"config\": 3, \"seed\": 41, \"flags\": "
		"1}\n}\n");
	world_finalize(&w);
	assert_int_equal(world_int(&w, TW_LAYER, 5, TILES_IMAGE), -1);
	world_close(&w);
}

static void a_new_image_can_be_referred_to_immediately(void **state)
{
	CLEANUP(bytes_unref) struct bytes *png = world_png(1, 1, 7);
	struct error err = ERROR_INIT;
	struct world w;

	(void)state;
	world_open(&w, "structure.map");
	world_copy(&w, "images", "0_new.png", png);
	assert_int_equal(world_put_text(&w, id_of(w.now, "groups/2/layers/1_fg/layer.json"),
				 "{\"image\": \"0_new\"}", &err),
		1);
	assert_fails(world_put_text(&w, id_of(w.now, "groups/2/layers/1_fg/layer.json"),
			     "{\"image\": \"0_gone\"}", &err),
		EINVAL, "the map has no such image");
	world_finalize(&w);
	assert_int_equal(world_int(&w, TW_LAYER, 5, TILES_IMAGE), 0);
	assert_int_equal(world_int(&w, TW_LAYER, 0, TILES_IMAGE), 1);
	/* The image is removed before the save. */
	world_remove(&w, w.places[0].id);
	world_finalize(&w);
	assert_int_equal(world_int(&w, TW_LAYER, 5, TILES_IMAGE), -1);
	assert_true(world_said(&w, "lost its image: images/0_new.png was removed"));
	world_close(&w);
}

static void undone_changes_leave_no_trace(void **state)
{
	CLEANUP(bytes_unref) struct bytes *png = world_png(3, 3, 7);
	struct world w;

	(void)state;
	world_open(&w, "structure.map");
	world_remove(&w, world_copy(&w, "images", "0_new.png", png));
	world_remove(&w, world_add(&w, "groups", "0_g", true));
	world_remove(&w, world_add(&w, "groups/1_Game/layers", "0_l", true));
	world_finalize(&w);
	assert_true(world_is_unchanged(&w));
	assert_true(format_teeworlds.edit->same(w.f.s, w.finalized));
	world_close(&w);
}

static void a_png_beside_an_external_image_embeds_it(void **state)
{
	CLEANUP(bytes_unref) struct bytes *png = world_png(16, 16, 200);
	CLEANUP(bytes_unref) struct bytes *back = NULL;
	struct error err = ERROR_INIT;
	entry_id id;
	struct world w;

	(void)state;
	world_open(&w, "structure.map");
	id = class_of_file(&w, "images", "1_desert.png", ENTRY_ROOT).id;
	assert_int_equal(world_put(&w, id, png->data, png->size, &err), 1);
	world_finalize(&w);
	assert_string_equal(world_list(&w, "images"), "0_grass.png 1_desert.png 2_moon.png ");
	assert_int_equal(tw_item_at(fixture_map(&w.after), TW_IMAGE, 1)->ints->n, 6);
	assert_int_equal(world_int(&w, TW_IMAGE, 1, IMG_EXTERNAL), 0);
	back = content_of(w.after.s, "images/1_desert.png");
	assert_int_equal(back->size, png->size);
	assert_memory_equal(back->data, png->data, png->size);
	/* In the order of the reference writer: directly after its name. */
	assert_int_equal(
		world_int(&w, TW_IMAGE, 1, IMG_DATA), world_int(&w, TW_IMAGE, 1, IMG_NAME) + 1);
	/* Change back: the map is as before. */
	world_set(&w, id_of(w.now, "images/1_desert.json"),
		"{\"external\": 1, \"width\": 256, \"height\": 128}");
	world_finalize(&w);
	assert_true(world_is_unchanged(&w));
	world_close(&w);
}

static void a_json_beside_an_embedded_image_makes_it_external(void **state)
{
	struct error err = ERROR_INIT;
	entry_id id;
	struct world w;

	(void)state;
	world_open(&w, "structure.map");
	id = class_of_file(&w, "images", "0_grass.json", ENTRY_ROOT).id;
	assert_fails(world_put_text(&w, id, "{\"external\": 0}", &err), EINVAL, "must be true");
	assert_int_equal(world_put_text(&w, id, "{\"external\": 1, \"width\": 5}", &err), 1);
	world_finalize(&w);
	assert_string_equal(world_list(&w, "images"), "0_grass.json 1_desert.json 2_moon.png ");
	assert_content(w.after.s, "images/0_grass.json",
		"{\n  \"external\": true,\n  \"width\": 5,\n  \"height\": 16\n}\n");
	assert_int_equal(world_int(&w, TW_IMAGE, 0, IMG_DATA), -1);
	assert_int_equal(fixture_map(&w.after)->n_blobs, fixture_map(&w.f)->n_blobs - 1);
	world_close(&w);
}

/* In shared.map two images use one data item. */
static void making_one_image_external_keeps_data_shared_with_another(void **state)
{
	CLEANUP(bytes_unref) struct bytes *before = NULL, *after = NULL;
	entry_id id;
	struct world w;

	(void)state;
	world_open(&w, "shared.map");
	before = content_of(w.now, "images/1_same.png");
	id = class_of_file(&w, "images", "0_same.json", ENTRY_ROOT).id;
	world_set(&w, id, "{\"external\": 1}");
	world_finalize(&w);
	after = content_of(w.after.s, "images/1_same.png");
	assert_memory_equal(before->data, after->data, after->size);
	world_close(&w);
}

static void a_new_image_has_the_version_of_the_others(void **state)
{
	CLEANUP(bytes_unref) struct bytes *png = world_png(1, 1, 7);
	struct world w;

	(void)state;
	world_open(&w, "old_names.map");
	world_copy(&w, "images", "new.png", png);
	world_finalize(&w);
	assert_int_equal(world_int(&w, TW_IMAGE, 2, 0), 2);
	assert_int_equal(world_int(&w, TW_IMAGE, 2, 6), 1);
	world_close(&w);
	world_open(&w, "full.map");
	world_copy(&w, "images", "new.png", png);
	world_finalize(&w);
	assert_int_equal(tw_item_at(fixture_map(&w.after), TW_IMAGE, 3)->ints->n, 6);
	assert_int_equal(world_int(&w, TW_IMAGE, 3, 0), 1);
	world_close(&w);
}

static void a_new_sound_stores_its_size_and_an_external_one_stores_none(void **state)
{
	CLEANUP(bytes_unref) struct bytes *opus = NULL;
	struct error err = ERROR_INIT;
	entry_id id;
	struct world w;

	(void)state;
	world_open(&w, "structure.map");
	opus = content_of(w.now, "sounds/0_wind.opus");
	world_copy(&w, "sounds", "0_new.opus", opus);
	id = world_add(&w, "sounds", "away.json", false);
	assert_fails(world_put_text(&w, id, "{\"external\": 0}", &err), EINVAL, "must be true");
	world_set(&w, id, "{\"external\": 1}");
	world_finalize(&w);
	assert_string_equal(
		world_list(&w, "sounds"), "0_new.opus 1_wind.opus 2_rain.opus 3_away.json ");
	assert_int_equal(world_int(&w, TW_SOUND, 0, 4), (int)opus->size);
	assert_int_equal(world_int(&w, TW_LAYER, 4, LIST_SOURCE), 1);
	world_close(&w);
}

/* Files in raw/ show the base even if objects are created. */
static void raw_shows_nothing_of_new_objects(void **state)
{
	CLEANUP(bytes_unref) struct bytes *png = world_png(1, 1, 7);
	char name[NAME_MAX + 1];
	struct file_attr entry;
	uint64_t cookie = 0;
	unsigned n = 0, data = 0;
	struct world w;

	(void)state;
	world_open(&w, "structure.map");
	world_copy(&w, "images", "0_new.png", png);
	while (format_teeworlds.list(w.now, id_of(w.now, "raw/items/00002_image"), &cookie, name,
		       &entry, NULL) == 1)
		n++;
	assert_int_equal(n, 3);
	assert_int_equal(entry_find(w.now, "raw/items/00002_image/00003", &entry), -ENOENT);
	for (cookie = 0; format_teeworlds.list(w.now, id_of(w.now, "raw/data"), &cookie, name,
				 &entry, NULL) == 1;)
		data++;
	assert_int_equal(data, fixture_map(&w.f)->n_blobs);
	world_close(&w);
}

static void new_objects_left_out_of_the_map_are_marked_absent(void **state)
{
	CLEANUP(bytes_unref) struct bytes *png = world_png(1, 1, 7);
	struct world w;
	entry_id json;

	(void)state;
	world_open(&w, "structure.map");
	world_copy(&w, "images", "0_new.png", png);
	json = world_add_in(&w, world_add(&w, "groups/2/layers", "2_n", true), "layer.json", false);
	world_finalize(&w);
	assert_false(w.places[0].is_absent);
	assert_true(w.places[1].is_absent);
	world_set(&w, json, "{\"type\": 3}");
	world_finalize(&w);
	assert_false(w.places[1].is_absent);
	world_close(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_objects_parts_or_scratch),
		cmocka_unit_test(a_name_that_does_not_fit_its_field_is_refused),
		cmocka_unit_test(both_endings_name_the_same_image),
		cmocka_unit_test(without_changes_finalize_returns_the_same_snapshot),
		cmocka_unit_test(a_number_is_a_position_and_the_newest_object_comes_first),
		cmocka_unit_test(an_object_without_a_number_is_last),
		cmocka_unit_test(a_rename_stores_the_name_and_a_new_number_only_moves),
		cmocka_unit_test(swapping_numbers_only_swaps_positions),
		cmocka_unit_test(references_to_removed_objects_are_cleared_and_reported),
		cmocka_unit_test(a_dangling_number_never_becomes_a_reference),
		cmocka_unit_test(a_new_image_can_be_referred_to_immediately),
		cmocka_unit_test(undone_changes_leave_no_trace),
		cmocka_unit_test(a_png_beside_an_external_image_embeds_it),
		cmocka_unit_test(a_json_beside_an_embedded_image_makes_it_external),
		cmocka_unit_test(making_one_image_external_keeps_data_shared_with_another),
		cmocka_unit_test(a_new_image_has_the_version_of_the_others),
		cmocka_unit_test(a_new_sound_stores_its_size_and_an_external_one_stores_none),
		cmocka_unit_test(raw_shows_nothing_of_new_objects),
		cmocka_unit_test(new_objects_left_out_of_the_map_are_marked_absent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
