/* SPDX-License-Identifier: Zlib */
/*
 * Groups and layers as directories: parts created in any order, also across saves that cannot
 * include them yet; their content before a save; names that they refuse.
 */
#include "support/box.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "support/structure_map.h"

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

/* Check the cells of the new layer in a mount of the written map. */
static void check_cells(const char *want)
{
	assert_int_equal(box_end(&box, NULL), OUTCOME_DONE);
	assert_int_equal(box_mount(&box, NULL), 0);
	assert_true(box_shows(&box, LAYERS_DIR "/5_new/id.csv", want));
}

static void a_table_written_before_its_layer_json_is_validated_with_it(void **state)
{
	(void)state;
	assert_int_equal(box_mkdir(&box, NEW_LAYER), 0);
	assert_int_equal(box_put(&box, NEW_LAYER "/id.csv", "7,8,9\n4,5,6\n"), 0);
	layer_json(2, "null");
	assert_true(box_is_draft(&box, NEW_LAYER "/id.csv"));
	layer_json(3, "null");
	assert_false(box_is_draft(&box, NEW_LAYER "/id.csv"));
	check_cells("  7,  8,  9\n  4,  5,  6\n");
}

static void a_table_that_a_save_refused_is_tried_again(void **state)
{
	(void)state;
	assert_int_equal(box_mkdir(&box, NEW_LAYER), 0);
	assert_int_equal(box_put(&box, NEW_LAYER "/id.csv", "7,8,9\n4,5,6\n"), 0);
	(void)box_sync_root(&box);
	assert_true(box_is_draft(&box, NEW_LAYER "/id.csv"));
	layer_json(3, "null");
	assert_false(box_is_draft(&box, NEW_LAYER "/id.csv"));
	check_cells("  7,  8,  9\n  4,  5,  6\n");
}

static void the_image_of_a_layer_may_be_created_after_a_save(void **state)
{
	const struct bytes *png = content_bytes(content_png(16, 5, true));
	struct report report;

	(void)state;
	assert_int_equal(box_mkdir(&box, NEW_LAYER), 0);
	layer_json(3, "\"late\"");
	assert_int_equal(box_put(&box, NEW_LAYER "/id.csv", "7,8,9\n4,5,6\n"), 0);
	assert_int_equal(box_put(&box, "info/author", "eve\n"), 0);
	/* All other changes are saved. */
	assert_int_equal(box_save(&box, &report), OUTCOME_DONE);
	assert_true(report_contains(&report, "info/author"));
	report_finish(&report);
	assert_true(box_is_draft(&box, NEW_LAYER "/layer.json"));
	assert_int_equal(box_put_bytes(&box, "images/late.png", png->data, png->size), 0);
	check_cells("  7,  8,  9\n  4,  5,  6\n");
}

/* A refused new object gets a placement while contents are applied, and the list of placements may
 * move then. Only a sanitizer sees that the layers after it use the old one. */
static void a_refused_new_object_beside_any_number_of_new_ones(void **state)
{
	const struct bytes *png = content_bytes(content_png(16, 5, true));
	char path[64], status[4096];

	(void)state;
	assert_int_equal(box_mkdir(&box, NEW_LAYER), 0);
	assert_int_equal(box_put(&box, NEW_LAYER "/id.csv", "7,8,9\n4,5,6\n"), 0);
	assert_int_equal(box_put(&box, "envelopes/9_bad.json", "no JSON\n"), -EINVAL);
	layer_json(3, "\"10_image\"");
	for (int i = 10; i < 50; i++) {
		snprintf(path, sizeof(path), "images/%d_image.png", i);
		assert_int_equal(box_put_bytes(&box, path, png->data, png->size), 0);
		assert_int_equal(
			box_getxattr(&box, "", "user.mapfs.status", status, sizeof(status)), 0);
		assert_non_null(strstr(status, "refused envelopes/9_bad.json"));
		assert_null(strstr(status, "refused " NEW_LAYER));
	}
}

static void an_unresolved_file_stays_unresolved_after_a_kill(void **state)
{
	(void)state;
	assert_int_equal(box_mkdir(&box, NEW_LAYER), 0);
	assert_int_equal(box_put(&box, NEW_LAYER "/id.csv", "7,8,9\n4,5,6\n"), 0);
	(void)box_sync_root(&box);
	box_remount(&box);
	layer_json(3, "null");
	check_cells("  7,  8,  9\n  4,  5,  6\n");
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

static void a_listing_of_a_new_layer_has_sizes_that_need_decoding(void **state)
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

static void directories_of_the_map_refuse_names_without_a_meaning(void **state)
{
	(void)state;
	assert_int_equal(box_rename(&box, LAYERS_DIR "/1_deco", LAYERS_DIR "/.x"), -EPERM);
	assert_int_equal(box_rename(&box, "groups/0_g", "groups/.hidden"), -EPERM);
	assert_int_equal(box_rename(&box, "groups/0_g", "elsewhere"), -EPERM);
	assert_int_equal(box_end(&box, NULL), OUTCOME_DONE);
	assert_int_equal(box_count_names(&box, MAP_NAME, NULL), 1);
}

static void a_table_removed_from_a_new_layer_has_zeros(void **state)
{
	(void)state;
	assert_int_equal(box_mkdir(&box, NEW_LAYER), 0);
	layer_json(2, "null");
	assert_int_equal(box_put(&box, NEW_LAYER "/id.csv", "7,8\n4,5\n"), 0);
	assert_int_equal(box_unlink(&box, NEW_LAYER "/id.csv"), 0);
	check_cells("  0,  0\n  0,  0\n");
}

static void a_table_removed_from_a_new_layer_has_zeros_after_a_kill(void **state)
{
	(void)state;
	assert_int_equal(box_mkdir(&box, NEW_LAYER), 0);
	layer_json(2, "null");
	assert_int_equal(box_put(&box, NEW_LAYER "/id.csv", "7,8\n4,5\n"), 0);
	box_remount(&box);
	assert_int_equal(box_unlink(&box, NEW_LAYER "/id.csv"), 0);
	box_remount(&box);
	check_cells("  0,  0\n  0,  0\n");
}

static void a_table_written_again_in_a_new_layer_has_its_content(void **state)
{
	(void)state;
	assert_int_equal(box_mkdir(&box, NEW_LAYER), 0);
	layer_json(2, "null");
	assert_int_equal(box_put(&box, NEW_LAYER "/id.csv", "7,8\n4,5\n"), 0);
	assert_int_equal(box_unlink(&box, NEW_LAYER "/id.csv"), 0);
	assert_int_equal(box_put(&box, NEW_LAYER "/id.csv", "7,8\n4,6\n"), 0);
	box_remount(&box);
	check_cells("  7,  8\n  4,  6\n");
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
		TEST(a_table_written_before_its_layer_json_is_validated_with_it),
		TEST(a_table_that_a_save_refused_is_tried_again),
		TEST(the_image_of_a_layer_may_be_created_after_a_save),
		TEST(a_refused_new_object_beside_any_number_of_new_ones),
		TEST(an_unresolved_file_stays_unresolved_after_a_kill),
		TEST(a_listing_of_a_new_layer_has_sizes_that_need_decoding),
		TEST(a_table_removed_from_a_new_layer_has_zeros),
		TEST(a_table_removed_from_a_new_layer_has_zeros_after_a_kill),
		TEST(a_table_written_again_in_a_new_layer_has_its_content),
		TEST(directories_of_the_map_refuse_names_without_a_meaning),
	};

	return cmocka_run_group_tests_name("vfs: parts", tests, NULL, NULL);
}
