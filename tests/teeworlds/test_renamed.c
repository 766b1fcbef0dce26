/* SPDX-License-Identifier: Zlib */
/* References by the names that objects have since the mount: of what was moved (layout rule 20),
 * and in what a journal keeps for a mount of the saved map. */
#include "world.h"

enum { TILES_IMAGE = 13, LIST_DATA = 5, QUAD_INTS = 38, POSITION = 34 };

#define FG    "groups/2/layers/1_fg/layer.json"
#define QUADS "groups/0_Back/layers/1_quads/quads.json"

static void move(struct world *w, const char *path, const char *dir, const char *name)
{
	world_move(w, id_of(w->now, path), id_of(w->now, dir), name);
}

static int put_now(struct world *w, const char *path, const char *text, struct error *e)
{
	return world_put_text(w, id_of(w->now, path), text, e);
}

static void assert_image(const struct world *w, const char *image)
{
	CLEANUP(bytes_unref) struct bytes *b = content_of(w->now, FG);
	char text[NAME_MAX + 20];

	snprintf(text, sizeof(text), "\"image\": %s,", image);
	if (!memmem(b->data, b->size, text, strlen(text)))
		fail_msg("not %s: %.*s", text, (int)b->size, (const char *)b->data);
}

static void what_was_moved_is_found_by_its_new_name_in_a_file_that_was_there(void **state)
{
	struct error err = ERROR_INIT;
	struct world w;

	(void)state;
	world_open(&w, "structure.map");
	assert_fails(put_now(&w, FG, "{\"image\": \"7_straw\"}", &err), EINVAL,
		"the map has no such image");
	move(&w, "images/0_grass.png", "images", "7_straw.png");
	move(&w, "envelopes/0_pos.json", "envelopes", "9_x.json");
	assert_int_equal(put_now(&w, FG, "{\"image\": \"7_straw\"}", &err), 1);
	/* Files go on showing the names of the mount, and those go on meaning the same. */
	assert_image(&w, "\"0_grass\"");
	assert_int_equal(put_now(&w, FG, "{\"image\": \"0_grass\"}", &err), 0);
	assert_int_equal(put_now(&w, QUADS, "[{\"color_envelope\": \"9_x\"}, {}, {}]", &err), 1);
	assert_int_equal(put_now(&w, QUADS, "[{\"color_envelope\": \"0_pos\"}, {}, {}]", &err), 0);
	assert_int_equal(put_now(&w, FG, "{\"image\": \"straw\"}", &err), 0);
	assert_int_equal(put_now(&w, FG, "{\"image\": \"8_straw\"}", &err), 0);
	assert_fails(put_now(&w, FG, "{\"image\": \"grass\"}", &err), EINVAL,
		"the map has no such image");
	world_finalize(&w);
	assert_string_equal(world_list(&w, "images"), "0_desert.json 1_moon.png 2_straw.png ");
	assert_int_equal(world_int(&w, TW_LAYER, 5, TILES_IMAGE), 2);
	assert_int_equal(world_ints(&w, TW_LAYER, 1, LIST_DATA)[POSITION + 2], 2);
	world_close(&w);
}

static void a_file_that_is_judged_alone_knows_the_names_of_the_mount(void **state)
{
	struct error err = ERROR_INIT;
	struct world w;

	(void)state;
	world_open(&w, "structure.map");
	move(&w, "images/0_grass.png", "images", "7_straw.png");
	assert_int_equal(put(&w.now, FG, "{\"image\": \"2_moon\"}", &err), 1);
	assert_int_equal(put(&w.now, FG, "{\"image\": \"0_grass\"}", &err), 1);
	assert_fails(put(&w.now, FG, "{\"image\": \"7_straw\"}", &err), EINVAL,
		"the map has no such image");
	/* How many have it is for others to say. */
	assert_fails(put(&w.now, FG, "{\"image\": \"moon\"}", &err), EINVAL,
		"the map has no such image");
	assert_true(err.is_unresolved);
	world_close(&w);
}

static void a_name_without_its_number_is_taken_where_one_object_has_it(void **state)
{
	CLEANUP(bytes_unref) struct bytes *png = world_png(1, 1, 7);
	struct error err = ERROR_INIT;
	struct world w;

	(void)state;
	world_open(&w, "structure.map");
	assert_int_equal(put_now(&w, FG, "{\"image\": \"moon\"}", &err), 1);
	assert_image(&w, "\"2_moon\"");
	assert_int_equal(put_now(&w, FG, "{\"image\": \"5_grass\"}", &err), 1);
	assert_image(&w, "\"0_grass\"");
	world_copy(&w, "images", "5_grass.png", png);
	assert_int_equal(put_now(&w, FG, "{\"image\": \"5_grass\"}", &err), 1);
	assert_fails(put_now(&w, FG, "{\"image\": \"grass\"}", &err), EINVAL,
		"image is \"grass\" (several images have this name: 0_grass, 5_grass)");
	world_close(&w);
}

/* DESIGN rule 5. */
static void what_stands_in_the_tree_comes_before_what_stood_at_the_mount(void **state)
{
	struct error err = ERROR_INIT;
	struct world w;

	(void)state;
	world_open(&w, "structure.map");
	move(&w, "images/0_grass.png", "images", "7_straw.png");
	move(&w, "images/2_moon.png", "images", "0_grass.png");
	assert_int_equal(put_now(&w, FG, "{\"image\": \"0_grass\"}", &err), 1);
	assert_image(&w, "\"2_moon\"");
	assert_int_equal(put_now(&w, FG, "{\"image\": \"7_straw\"}", &err), 1);
	assert_image(&w, "\"0_grass\"");
	/* Nothing stands there any more. */
	assert_int_equal(put_now(&w, FG, "{\"image\": \"2_moon\"}", &err), 1);
	world_remove(&w, id_of(w.now, "images/2_moon.png"));
	assert_int_equal(put_now(&w, FG, "{\"image\": \"2_moon\"}", &err), 0);
	world_finalize(&w);
	assert_true(world_said(&w, "lost its image: images/2_moon.png was removed"));
	assert_int_equal(world_int(&w, TW_LAYER, 5, TILES_IMAGE), -1);
	world_close(&w);
}

static void an_older_name_means_nothing_once_it_is_told_anew(void **state)
{
	struct error err = ERROR_INIT;
	struct world w;

	(void)state;
	world_open(&w, "structure.map");
	move(&w, "images/0_grass.png", "images", "7_straw.png");
	move(&w, "images/0_grass.png", "images", "8_hay.png");
	assert_fails(put_now(&w, FG, "{\"image\": \"7_straw\"}", &err), EINVAL,
		"the map has no such image");
	assert_int_equal(put_now(&w, FG, "{\"image\": \"8_hay\"}", &err), 1);
	world_close(&w);
}

static void new_files_wait_for_what_is_not_there(void **state)
{
	CLEANUP(bytes_unref) struct bytes *png = world_png(1, 1, 7);
	struct error err = ERROR_INIT;
	struct world w;
	entry_id json;

	(void)state;
	world_open(&w, "structure.map");
	json = world_add_in(&w, world_add(&w, "groups/2/layers", "2_n", true), "layer.json", false);
	move(&w, "images/0_grass.png", "images", "7_straw.png");
	assert_fails(world_put_text(&w, json, "{\"type\": 3, \"image\": \"9_new\"}", &err), EINVAL,
		"the map has no such image");
	assert_true(err.is_unresolved);
	world_copy(&w, "images", "9_new.png", png);
	assert_int_equal(world_put_text(&w, json, "{\"type\": 3, \"image\": \"9_new\"}", &err), 1);
	assert_int_equal(
		world_put_text(&w, json, "{\"type\": 3, \"image\": \"8_straw\"}", &err), 1);
	assert_int_equal(
		world_put_text(&w, json, "{\"type\": 3, \"image\": \"7_straw\"}", &err), 0);
	world_close(&w);
}

/* A copy names what its original names, by the stems that are shown: those of the mount. */
static void names_of_the_mount_hold_for_copies(void **state)
{
	CLEANUP(bytes_unref) struct bytes *quads = NULL;
	struct error err = ERROR_INIT;
	entry_id dir, json, list;
	struct world w;

	(void)state;
	world_open(&w, "structure.map");
	quads = content_of(w.now, QUADS);
	move(&w, "envelopes/0_pos.json", "envelopes", "7_x.json");
	dir = world_add(&w, "groups/2/layers", "9_n", true);
	list = world_add_in(&w, dir, "quads.json", false);
	json = world_add_in(&w, dir, "layer.json", false);
	assert_int_equal(world_put(&w, list, quads->data, quads->size, &err), -EAGAIN);
	world_set(&w, json, "{\"type\": 3, \"image\": \"9_moon\"}");
	assert_int_equal(world_put(&w, list, quads->data, quads->size, &err), 1);
	world_finalize(&w);
	assert_int_equal(world_ints(&w, TW_LAYER, 6, LIST_DATA)[POSITION], 2);
	assert_int_equal(world_ints(&w, TW_LAYER, 6, LIST_DATA)[2 * QUAD_INTS + POSITION], 1);
	world_close(&w);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_moved_is_found_by_its_new_name_in_a_file_that_was_there),
		cmocka_unit_test(a_name_without_its_number_is_taken_where_one_object_has_it),
		cmocka_unit_test(a_file_that_is_judged_alone_knows_the_names_of_the_mount),
		cmocka_unit_test(what_stands_in_the_tree_comes_before_what_stood_at_the_mount),
		cmocka_unit_test(an_older_name_means_nothing_once_it_is_told_anew),
		cmocka_unit_test(new_files_wait_for_what_is_not_there),
		cmocka_unit_test(names_of_the_mount_hold_for_copies),
	};

	return cmocka_run_group_tests_name("renamed", tests, NULL, NULL);
}
