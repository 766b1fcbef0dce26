/* SPDX-License-Identifier: Zlib */
/*
 * References by current names of objects: to moved objects (layout rule 20), and in content that a
 * journal keeps for a mount of the saved map.
 */
#include "support/world.h"

enum { TILES_IMAGE = 13, LIST_DATA = 5, QUAD_INTS = 38, POSITION = 34 };

#define FG    "groups/2/layers/1_fg/layer.json"
#define QUADS "groups/0_Back/layers/1_quads/quads.json"

static void move_path(struct world *w, const char *path, const char *dir, const char *name)
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

static void an_existing_file_can_name_a_moved_object_by_its_new_name(void **state)
{
	struct error err = ERROR_INIT;
	struct world w;

	(void)state;
	world_open(&w, "structure.map");
	assert_fails(put_now(&w, FG, "{\"image\": \"7_straw\"}", &err), EINVAL,
		"the map has no such image");
	move_path(&w, "images/0_grass.png", "images", "7_straw.png");
	move_path(&w, "envelopes/0_pos.json", "envelopes", "9_x.json");
	assert_int_equal(put_now(&w, FG, "{\"image\": \"7_straw\"}", &err), 1);
	/* Files still show the names of the mount, and these keep their meaning. */
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

static void a_file_validated_alone_uses_the_names_of_the_mount(void **state)
{
	struct error err = ERROR_INIT;
	struct world w;

	(void)state;
	world_open(&w, "structure.map");
	move_path(&w, "images/0_grass.png", "images", "7_straw.png");
	assert_int_equal(put_text(&w.now, FG, "{\"image\": \"2_moon\"}", &err), 1);
	assert_int_equal(put_text(&w.now, FG, "{\"image\": \"0_grass\"}", &err), 1);
	assert_fails(put_text(&w.now, FG, "{\"image\": \"7_straw\"}", &err), EINVAL,
		"the map has no such image");
	/* The number of objects with this name is checked elsewhere. */
	assert_fails(put_text(&w.now, FG, "{\"image\": \"moon\"}", &err), EINVAL,
		"the map has no such image");
	assert_true(err.is_unresolved);
	world_close(&w);
}

static void a_name_without_its_number_is_accepted_if_it_is_unique(void **state)
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
static void current_names_take_precedence_over_names_of_the_mount(void **state)
{
	struct error err = ERROR_INIT;
	struct world w;

	(void)state;
	world_open(&w, "structure.map");
	move_path(&w, "images/0_grass.png", "images", "7_straw.png");
	move_path(&w, "images/2_moon.png", "images", "0_grass.png");
	assert_int_equal(put_now(&w, FG, "{\"image\": \"0_grass\"}", &err), 1);
	assert_image(&w, "\"2_moon\"");
	assert_int_equal(put_now(&w, FG, "{\"image\": \"7_straw\"}", &err), 1);
	assert_image(&w, "\"0_grass\"");
	/* No object has this name any more. */
	assert_int_equal(put_now(&w, FG, "{\"image\": \"2_moon\"}", &err), 1);
	world_remove(&w, id_of(w.now, "images/2_moon.png"));
	assert_int_equal(put_now(&w, FG, "{\"image\": \"2_moon\"}", &err), 0);
	world_finalize(&w);
	assert_true(world_said(&w, "lost its image: images/2_moon.png was removed"));
	assert_int_equal(world_int(&w, TW_LAYER, 5, TILES_IMAGE), -1);
	world_close(&w);
}

static void an_intermediate_name_of_an_object_is_forgotten(void **state)
{
	struct error err = ERROR_INIT;
	struct world w;

	(void)state;
	world_open(&w, "structure.map");
	move_path(&w, "images/0_grass.png", "images", "7_straw.png");
	move_path(&w, "images/0_grass.png", "images", "8_hay.png");
	assert_fails(put_now(&w, FG, "{\"image\": \"7_straw\"}", &err), EINVAL,
		"the map has no such image");
	assert_int_equal(put_now(&w, FG, "{\"image\": \"8_hay\"}", &err), 1);
	world_close(&w);
}

static void a_new_file_is_unresolved_until_its_target_exists(void **state)
{
	CLEANUP(bytes_unref) struct bytes *png = world_png(1, 1, 7);
	struct error err = ERROR_INIT;
	struct world w;
	entry_id json;

	(void)state;
	world_open(&w, "structure.map");
	json = world_add_in(&w, world_add(&w, "groups/2/layers", "2_n", true), "layer.json", false);
	move_path(&w, "images/0_grass.png", "images", "7_straw.png");
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

/* A copy has the references of its original, by the names at the mount. */
static void names_of_the_mount_are_valid_in_copies(void **state)
{
	CLEANUP(bytes_unref) struct bytes *quads = NULL;
	struct error err = ERROR_INIT;
	entry_id dir, json, list;
	struct world w;

	(void)state;
	world_open(&w, "structure.map");
	quads = content_of(w.now, QUADS);
	move_path(&w, "envelopes/0_pos.json", "envelopes", "7_x.json");
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
		cmocka_unit_test(an_existing_file_can_name_a_moved_object_by_its_new_name),
		cmocka_unit_test(a_name_without_its_number_is_accepted_if_it_is_unique),
		cmocka_unit_test(a_file_validated_alone_uses_the_names_of_the_mount),
		cmocka_unit_test(current_names_take_precedence_over_names_of_the_mount),
		cmocka_unit_test(an_intermediate_name_of_an_object_is_forgotten),
		cmocka_unit_test(a_new_file_is_unresolved_until_its_target_exists),
		cmocka_unit_test(names_of_the_mount_are_valid_in_copies),
	};

	return cmocka_run_group_tests_name("renamed", tests, NULL, NULL);
}
