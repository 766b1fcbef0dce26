/* SPDX-License-Identifier: Zlib */
/*
 * Data items that do not decode to the declared size (layout rules 3, 10, 24); twgen_faults.py
 * makes the maps.
 */
#include "support/world.h"

enum { IMAGE_DATA = 5, LISTS = 10 };

static const char *list_path(int i)
{
	static char path[64];

	snprintf(path, sizeof(path), "groups/0/layers/%d/%s.json", i,
		i < 5 || i == 9 ? "quads" : "sources");
	return path;
}

static void an_unreadable_list_gives_an_error_before_and_after_its_size_is_read(void **state)
{
	struct error err = ERROR_INIT;
	struct file_attr entry;
	struct fixture f;
	uint64_t size;
	uint8_t got;

	(void)state;
	must_open(&f, "damaged_lists.map", "ro");
	for (int i = 1; i < LISTS - 1; i++) {
		if (i == 4 || i == 8) /* these lists are sound */
			continue;
		assert_int_equal(entry_find(f.s, list_path(i), &entry), 0);
		assert_false(entry.has_size);
		assert_fails(f.s->format->get(f.s, entry.id, 0, &got, 1, &err), EIO, "");
		assert_fails(f.s->format->size(f.s, entry.id, &size, &err), EIO, "");
		/* The size is asked before the list is read. */
		assert_ok(f.s->format->stat(f.s, entry.id, &entry, &err));
		assert_true(entry.has_size && entry.is_writable);
		assert_int_equal(entry.size, 0);
		assert_fails(f.s->format->get(f.s, entry.id, 0, NULL, 0, &err), EIO, "damaged");
		assert_fails(f.s->format->get(f.s, entry.id, 0, &got, 1, &err), EIO, "damaged");
		assert_fails(f.s->format->size(f.s, entry.id, &size, &err), EIO, "");
	}
	fixture_close(&f);
}

/* Damage does not depend on other objects. */
static void damage_is_still_detected_after_an_envelope_is_created(void **state)
{
	struct error err = ERROR_INIT;
	struct world w;
	struct file_attr entry;
	uint64_t size;

	(void)state;
	world_open(&w, "damaged_lists.map");
	assert_int_equal(entry_find(w.now, list_path(1), &entry), 0);
	assert_fails(w.now->format->size(w.now, entry.id, &size, &err), EIO, "");
	world_set(&w, world_add(&w, "envelopes", "0_x.json", false), "{\"channels\": 3}");
	assert_ok(w.now->format->stat(w.now, entry.id, &entry, &err));
	assert_true(entry.has_size);
	world_close(&w);
}

static void sound_and_empty_lists_are_read(void **state)
{
	static const int sound[] = {4, 8, 9};
	struct error err = ERROR_INIT;
	struct file_attr entry;
	struct fixture f;
	uint64_t size;

	(void)state;
	must_open(&f, "damaged_lists.map", "ro");
	for (int i = 0; i < 3; i++) {
		CLEANUP(bytes_unref) struct bytes *b = content_of(f.s, list_path(sound[i]));

		assert_int_equal(entry_find(f.s, list_path(sound[i]), &entry), 0);
		assert_true(entry.has_size);
		assert_ok(entry_size(f.s, &entry, &size, &err));
		assert_int_equal(b->size, size);
		assert_true(b->size > 2);
		assert_ok(f.s->format->get(f.s, entry.id, 0, NULL, 0, &err));
	}
	fixture_close(&f);
}

static void a_damaged_list_can_be_replaced(void **state)
{
	struct error err = ERROR_INIT;
	struct file_attr entry;
	struct fixture f;
	uint64_t size;

	(void)state;
	must_open(&f, "damaged_lists.map", "ro");
	assert_int_equal(entry_find(f.s, list_path(1), &entry), 0);
	assert_fails(f.s->format->size(f.s, entry.id, &size, &err), EIO, "");
	assert_int_equal(put_text(&f.s, list_path(1), "[{}]", &err), 1);
	assert_int_equal(entry_find(f.s, list_path(1), &entry), 0);
	assert_ok(entry_size(f.s, &entry, &size, &err));
	assert_true(size > 100);
	assert_int_equal(put_text(&f.s, list_path(2), "[]", &err), 1);
	assert_content(f.s, list_path(2), "[]\n");
	fixture_close(&f);
}

static void a_name_with_damage_at_the_end_of_its_data_is_empty(void **state)
{
	struct file_attr entry;
	struct fixture f;
	char path[NAME_MAX + 1];

	(void)state;
	must_open(&f, "damaged_names.map", "ro");
	for (int i = 0; i < 18; i += 2) {
		snprintf(path, sizeof(path), "images/%02d.json", i + 1);
		if (entry_find(f.s, path, &entry) < 0)
			fail_msg("there is no %s", path);
		/* The sound name of the same length is shown. */
		snprintf(path, sizeof(path), "images/%02d.json", i);
		assert_int_equal(entry_find(f.s, path, &entry), -ENOENT);
	}
	assert_int_equal(entry_find(f.s, "sounds/0_wind.opus", &entry), 0);
	assert_int_equal(entry_find(f.s, "sounds/1.opus", &entry), 0);
	assert_int_equal(entry_find(f.s, "sounds/2.opus", &entry), 0);
	fixture_close(&f);
}

static void a_declared_size_far_beyond_the_true_one_is_refused(void **state)
{
	static const char *const paths[] = {"images/0_a.png", "groups/0/layers/0/id.csv",
		"groups/0/layers/1/flags.csv", "groups/0/layers/2/id.csv", "raw/data/00001"};
	struct error err = ERROR_INIT;
	struct file_attr entry;
	struct fixture f;
	uint8_t got[70];

	(void)state;
	must_open(&f, "huge.map", "ro");
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		size_t n;

		assert_int_equal(entry_find(f.s, paths[i], &entry), 0);
		n = entry.size < sizeof(got) ? (size_t)entry.size : sizeof(got);
		assert_fails(f.s->format->get(f.s, entry.id, 0, got, n, &err), EIO, "");
	}
	fixture_close(&f);
}

static int32_t data_of_image(const struct snapshot *s, int i)
{
	return tw_item_at(tw_map_of(s), TW_IMAGE, i)->ints->v[IMAGE_DATA];
}

/* Change the image to its other form. */
static void put_pixels(struct fixture *f, const char *json)
{
	CLEANUP(bytes_unref) struct bytes *pixels = world_png(4, 4, 7);
	entry_id id = entry_object(id_of(f->s, json));
	struct error err = ERROR_INIT;

	assert_int_equal(entry_put(&f->s, id, pixels->data, pixels->size, &err), 1);
}

static void new_pixels_replace_unreadable_ones(void **state)
{
	struct fixture f;
	size_t n_blobs;

	(void)state;
	must_open(&f, "unshown.map", "ro");
	n_blobs = tw_map_of(f.s)->n_blobs;
	put_pixels(&f, "images/0_rgb.json");
	assert_int_equal(data_of_image(f.s, 0), 2);
	assert_int_equal(tw_map_of(f.s)->n_blobs, n_blobs);
	assert_int_equal(tw_map_of(f.s)->blobs[2]->size, 64);
	/* Data that another image uses stays with that image. */
	put_pixels(&f, "images/1_few.json");
	assert_int_equal(data_of_image(f.s, 1), n_blobs);
	assert_int_equal(data_of_image(f.s, 2), 0);
	assert_int_equal(tw_map_of(f.s)->blobs[0]->size, 60);
	/* The number in an external image does not refer to data. */
	put_pixels(&f, "images/3_away.json");
	assert_int_equal(data_of_image(f.s, 3), n_blobs + 1);
	assert_int_equal(tw_map_of(f.s)->blobs[1]->size, 4);
	fixture_close(&f);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			an_unreadable_list_gives_an_error_before_and_after_its_size_is_read),
		cmocka_unit_test(damage_is_still_detected_after_an_envelope_is_created),
		cmocka_unit_test(sound_and_empty_lists_are_read),
		cmocka_unit_test(a_damaged_list_can_be_replaced),
		cmocka_unit_test(a_name_with_damage_at_the_end_of_its_data_is_empty),
		cmocka_unit_test(a_declared_size_far_beyond_the_true_one_is_refused),
		cmocka_unit_test(new_pixels_replace_unreadable_ones),
	};

	return cmocka_run_group_tests_name("faults", tests, NULL, NULL);
}
