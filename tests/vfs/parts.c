/* SPDX-License-Identifier: Zlib */
/*
 * Groups and layers as directories: parts that arrive in any order, also across saves that cannot
 * take them yet; what they show before a save; names that they cannot take.
 */
#include "box.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "structure_map.h"

#define LAYERS_DIR "groups/0_g/layers"
#define NEW_LAYER  LAYERS_DIR "/9_new"

static struct box box;

static void layer_json(unsigned width, const char *image)
{
	char text[256];

	snprintf(text, sizeof(text),
		"{\"type\": 2, \"kind\": 0, \"version\": 3, \"width\": %u, \"height\": 2, "
		"\"image\": %s}",
		width, image);
	assert_int_equal(box_put(&box, NEW_LAYER "/layer.json", text), 0);
}

/* The new layer's cells in a mount of the map that was written. */
static void cells_are(const char *want)
{
	assert_int_equal(box_end(&box, NULL), OUTCOME_DONE);
	assert_int_equal(box_mount(&box, NULL), 0);
	assert_true(box_shows(&box, LAYERS_DIR "/5_new/id.csv", want));
}

static void a_table_before_its_layer_is_judged_with_it(void **state)
{
	(void)state;
	assert_int_equal(box_mkdir(&box, NEW_LAYER), 0);
	assert_int_equal(box_put(&box, NEW_LAYER "/id.csv", "7,8,9\n4,5,6\n"), 0);
	layer_json(2, "null");
	assert_true(box_is_draft(&box, NEW_LAYER "/id.csv"));
	layer_json(3, "null");
	assert_false(box_is_draft(&box, NEW_LAYER "/id.csv"));
	cells_are("  7,  8,  9\n  4,  5,  6\n");
}

static void a_table_that_a_save_could_not_take_is_tried_again(void **state)
{
	(void)state;
	assert_int_equal(box_mkdir(&box, NEW_LAYER), 0);
	assert_int_equal(box_put(&box, NEW_LAYER "/id.csv", "7,8,9\n4,5,6\n"), 0);
	(void)box_sync_root(&box);
	assert_true(box_is_draft(&box, NEW_LAYER "/id.csv"));
	layer_json(3, "null");
	assert_false(box_is_draft(&box, NEW_LAYER "/id.csv"));
	cells_are("  7,  8,  9\n  4,  5,  6\n");
}

static void what_it_names_may_come_after_a_save_that_missed_it(void **state)
{
	const struct bytes *png = content_bytes(content_png(16, 5, true));
	struct report report;

	(void)state;
	assert_int_equal(box_mkdir(&box, NEW_LAYER), 0);
	layer_json(3, "\"late\"");
	assert_int_equal(box_put(&box, NEW_LAYER "/id.csv", "7,8,9\n4,5,6\n"), 0);
	assert_int_equal(box_put(&box, "info/author", "eve\n"), 0);
	/* The rest is saved. */
	assert_int_equal(box_save(&box, &report), OUTCOME_DONE);
	assert_true(report_says(&report, "info/author"));
	report_finish(&report);
	assert_true(box_is_draft(&box, NEW_LAYER "/layer.json"));
	assert_int_equal(box_put_bytes(&box, "images/late.png", png->data, png->size), 0);
	cells_are("  7,  8,  9\n  4,  5,  6\n");
}

static void what_waits_goes_on_waiting_after_a_kill(void **state)
{
	(void)state;
	assert_int_equal(box_mkdir(&box, NEW_LAYER), 0);
	assert_int_equal(box_put(&box, NEW_LAYER "/id.csv", "7,8,9\n4,5,6\n"), 0);
	(void)box_sync_root(&box);
	box_remount(&box);
	layer_json(3, "null");
	cells_are("  7,  8,  9\n  4,  5,  6\n");
}

struct listing {
	struct pending p; /* first */
	uint64_t size;
	bool named;
};

static bool emit(struct call *c, const char *name, const struct stat *a, uint64_t next)
{
	struct listing *l = (struct listing *)c;

	(void)next;
	if (strcmp(name, "quads.json") == 0) {
		l->named = true;
		l->size = a->st_nlink ? (uint64_t)a->st_size : 0;
	}
	return true;
}

static void a_listing_of_a_new_layer_tells_sizes_that_take_decoding(void **state)
{
	struct pending p = {.call = {.ino = VFS_ROOT_INO}};
	struct listing l = {0};
	struct bytes *quads = box_get(&box, LAYERS_DIR "/2_q1/quads.json");
	const char *path[] = {"groups", "0_g", "layers", "9_new"};

	(void)state;
	assert_int_equal(box_mkdir(&box, NEW_LAYER), 0);
	assert_int_equal(
		box_put(&box, NEW_LAYER "/layer.json", "{\"type\": 3, \"version\": 2}"), 0);
	assert_int_equal(box_put_bytes(&box, NEW_LAYER "/quads.json", quads->data, quads->size), 0);
	for (int i = 0; i < 4; i++) {
		uint64_t ino = i ? p.call.attr.st_ino : VFS_ROOT_INO;

		p = (struct pending){.call = {.ino = ino, .name = path[i]}};
		box_submit(&box, &p, vfs_lookup);
		assert_int_equal(box_wait(&p), 0);
	}
	l.p.call = (struct call){.ino = p.call.attr.st_ino, .with_attributes = true, .emit = emit};
	box_submit(&box, &l.p, vfs_readdir);
	assert_int_equal(box_wait(&l.p), 0);
	assert_true(l.named);
	assert_int_equal(l.size, quads->size);
	bytes_unref(quads);
}

static void directories_of_the_map_take_no_names_that_mean_nothing(void **state)
{
	(void)state;
	assert_int_equal(box_rename(&box, LAYERS_DIR "/1_deco", LAYERS_DIR "/.x"), -EPERM);
	assert_int_equal(box_rename(&box, "groups/0_g", "groups/.hidden"), -EPERM);
	assert_int_equal(box_rename(&box, "groups/0_g", "elsewhere"), -EPERM);
	assert_int_equal(box_end(&box, NULL), OUTCOME_DONE);
	assert_int_equal(box_beside(&box, MAP_NAME, NULL), 1);
}

static void a_table_that_is_removed_from_a_new_layer_is_zeros(void **state)
{
	(void)state;
	assert_int_equal(box_mkdir(&box, NEW_LAYER), 0);
	layer_json(2, "null");
	assert_int_equal(box_put(&box, NEW_LAYER "/id.csv", "7,8\n4,5\n"), 0);
	assert_int_equal(box_unlink(&box, NEW_LAYER "/id.csv"), 0);
	cells_are("  0,  0\n  0,  0\n");
}

static void a_table_that_is_removed_from_a_new_layer_and_killed_is_zeros(void **state)
{
	(void)state;
	assert_int_equal(box_mkdir(&box, NEW_LAYER), 0);
	layer_json(2, "null");
	assert_int_equal(box_put(&box, NEW_LAYER "/id.csv", "7,8\n4,5\n"), 0);
	box_remount(&box);
	assert_int_equal(box_unlink(&box, NEW_LAYER "/id.csv"), 0);
	box_remount(&box);
	cells_are("  0,  0\n  0,  0\n");
}

static void a_table_that_is_written_again_in_a_new_layer_is_not(void **state)
{
	(void)state;
	assert_int_equal(box_mkdir(&box, NEW_LAYER), 0);
	layer_json(2, "null");
	assert_int_equal(box_put(&box, NEW_LAYER "/id.csv", "7,8\n4,5\n"), 0);
	assert_int_equal(box_unlink(&box, NEW_LAYER "/id.csv"), 0);
	assert_int_equal(box_put(&box, NEW_LAYER "/id.csv", "7,8\n4,6\n"), 0);
	box_remount(&box);
	cells_are("  7,  8\n  4,  6\n");
}

static int setup(void **state)
{
	(void)state;
	return box_mount_map(&box, structure_map());
}

static int teardown(void **state)
{
	(void)state;
	box_remove(&box);
	return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_table_before_its_layer_is_judged_with_it),
		TEST(a_table_that_a_save_could_not_take_is_tried_again),
		TEST(what_it_names_may_come_after_a_save_that_missed_it),
		TEST(what_waits_goes_on_waiting_after_a_kill),
		TEST(a_listing_of_a_new_layer_tells_sizes_that_take_decoding),
		TEST(a_table_that_is_removed_from_a_new_layer_is_zeros),
		TEST(a_table_that_is_removed_from_a_new_layer_and_killed_is_zeros),
		TEST(a_table_that_is_written_again_in_a_new_layer_is_not),
		TEST(directories_of_the_map_take_no_names_that_mean_nothing),
	};

	return cmocka_run_group_tests_name("vfs: parts", tests, NULL, NULL);
}
