/* SPDX-License-Identifier: Zlib */
/*
 * Items whose type is a UUID: tangents, auto-mappers, extensions of groups; twgen_faults.py makes
 * the maps.
 */
#include "support/parts.h"
#include "support/world.h"

enum { UUID_TYPE = 0xfffe, ZOOM_TYPE = 0xfffd, POINT = 16 };

static const struct tw_ints *first_of(const struct snapshot *s, unsigned type)
{
	const struct tw_item *it = tw_item_at(tw_map_of(s), type, 0);

	return it ? it->ints : NULL;
}

/* ---- tangents */

static const char two_points[] =
	"{\"points\": [{\"time\": 0}, {\"time\": 5}]}"; /* all other points are unchanged */

static void assert_no_tangents(const struct snapshot *s)
{
	static const char *const paths[] = {"envelopes/0_a.json", "envelopes/1_b.json"};

	for (int i = 0; i < 2; i++) {
		CLEANUP(bytes_unref) struct bytes *b = content_of(s, paths[i]);

		assert_null(memmem(b->data, b->size, "tangent", strlen("tangent")));
	}
}

static void ignored_tangents_stay_ignored_when_points_change(void **state)
{
	static const char *const maps[] = {"bezier+1.map", "bezier-1.map"};
	static const char *const texts[] = {two_points, "{\"points\": []}"};
	struct error err = ERROR_INIT;
	struct fixture f;

	(void)state;
	for (int i = 0; i < 2; i++) {
		must_open(&f, maps[i], "ro");
		assert_no_tangents(f.s);
		assert_int_equal(put_text(&f.s, "envelopes/0_a.json", texts[i], &err), 1);
		assert_no_tangents(f.s);
		assert_null(first_of(f.s, UUID_TYPE));
		fixture_close(&f);
	}
}

static void ignored_tangents_are_not_changed(void **state)
{
	struct error err = ERROR_INIT;
	struct fixture f;

	(void)state;
	must_open(&f, "bezier+1.map", "ro");
	assert_int_equal(put_text(&f.s, "envelopes/0_a.json", "{\"points\": []}", &err), 1);
	assert_no_tangents(f.s);
	assert_int_equal(first_of(f.s, UUID_TYPE)->n, 3 * POINT);
	for (int i = 0; i < 3 * POINT; i++)
		assert_int_equal(first_of(f.s, UUID_TYPE)->v[i], i);
	fixture_close(&f);
}

static void ignored_tangents_stay_ignored_when_an_envelope_is_added_or_removed(void **state)
{
	struct world w;

	(void)state;
	world_open(&w, "bezier+1.map");
	world_set(&w, world_add(&w, "envelopes", "9_c.json", false),
		"{\"channels\": 3, \"points\": [{\"time\": 7}]}");
	world_finalize(&w);
	assert_no_tangents(w.after.s);
	assert_null(first_of(w.after.s, UUID_TYPE));
	assert_null(first_of(w.after.s, TW_UUID_INDEX));
	world_close(&w);
	world_open(&w, "bezier-1.map");
	world_remove(&w, id_of(w.now, "envelopes/0_a.json"));
	world_finalize(&w);
	assert_null(first_of(w.after.s, UUID_TYPE));
	world_close(&w);
}

/*
 * Points of 22 integers contain their tangents; only the count of the item beside them follows
 * (layout rule 19).
 */
static void tangents_beside_full_points_keep_their_integers(void **state)
{
	const struct tw_ints *v;
	struct error err = ERROR_INIT;
	struct fixture f;

	(void)state;
	must_open(&f, "bezier_beside.map", "ro");
	assert_int_equal(
		edit(&f.s, "envelopes/0_a.json", "[100, 101, 102, 103]", "[9, 9, 9, 9]", &err), 1);
	v = first_of(f.s, UUID_TYPE);
	for (int i = 0; i < 2 * POINT; i++)
		assert_int_equal(v->v[i], i);
	/* Add a point after the first, with its own tangents. */
	assert_int_equal(
		edit(&f.s, "envelopes/0_a.json", "}\n  ]",
			"},\n    {\"time\": 5, \"out_tangent_dy\": [6, 7, 8, 9]}\n  ]", &err),
		1);
	v = first_of(f.s, UUID_TYPE);
	assert_int_equal(v->n, 3 * POINT);
	for (int i = 0; i < POINT; i++) {
		assert_int_equal(v->v[i], i);
		assert_int_equal(v->v[POINT + i], i < 12 ? 0 : i - 6);
		assert_int_equal(v->v[2 * POINT + i], POINT + i);
	}
	assert_int_equal(put_text(&f.s, "envelopes/0_a.json", "{\"points\": []}", &err), 1);
	v = first_of(f.s, UUID_TYPE);
	assert_int_equal(v->n, POINT);
	assert_int_equal(v->v[0], POINT);
	fixture_close(&f);
}

static void tangents_beside_full_points_follow_their_envelopes(void **state)
{
	const struct tw_ints *v;
	struct world w;

	(void)state;
	world_open(&w, "bezier_beside.map");
	world_move(&w, id_of(w.now, "envelopes/1_b.json"), id_of(w.now, "envelopes"), "0_b.json");
	world_finalize(&w);
	v = first_of(w.after.s, UUID_TYPE);
	assert_int_equal(v->n, 2 * POINT);
	for (int i = 0; i < POINT; i++) {
		assert_int_equal(v->v[i], POINT + i);
		assert_int_equal(v->v[POINT + i], i);
	}
	world_close(&w);
}

/* When the points lose their tangents, those of the item are shown, so they must be equal. */
static void tangents_of_points_that_become_plain_are_moved_to_the_item(void **state)
{
	CLEANUP(bytes_unref) struct bytes *b = NULL;
	struct error err = ERROR_INIT;
	struct fixture f;

	(void)state;
	must_open(&f, "bezier_beside.map", "ro");
	assert_int_equal(put_text(&f.s, "envelopes/0_a.json", "{\"version\": 2}", &err), 1);
	assert_int_equal(put_text(&f.s, "envelopes/1_b.json", "{\"version\": 2}", &err), 1);
	b = content_of(f.s, "envelopes/1_b.json");
	assert_non_null(memmem(b->data, b->size, "[200, 201, 202, 203]", 20));
	assert_int_equal(first_of(f.s, UUID_TYPE)->v[POINT], 200);
	fixture_close(&f);
}

/* ---- auto-mappers */

#define DESIGN "groups/0/layers/1/layer.json"

static bool has_automapper(const struct snapshot *s, const char *path)
{
	CLEANUP(bytes_unref) struct bytes *b = content_of(s, path);

	return !memmem(b->data, b->size, "\"automapper\": null", strlen("\"automapper\": null"));
}

static void a_null_automapper_removes_all_items_of_the_layer(void **state)
{
	struct world w;

	(void)state;
	world_open(&w, "automappers.map");
	world_set(&w, id_of(w.now, DESIGN), "{\"automapper\": null}");
	assert_false(has_automapper(w.now, DESIGN));
	assert_int_equal(put_text(&w.now, DESIGN, "{\"automapper\": null}", NULL), 0);
	world_finalize(&w);
	assert_false(has_automapper(w.after.s, DESIGN));
	/* Items of other layers stay, and ids are consecutive. */
	assert_int_equal(tw_count(tw_map_of(w.after.s), UUID_TYPE), 2);
	for (int i = 0; i < 2; i++)
		assert_int_equal(tw_item_at(tw_map_of(w.after.s), UUID_TYPE, i)->id, i);
	ITEM(&w, UUID_TYPE, 0, 1, 0, 0, 3);
	ITEM(&w, UUID_TYPE, 1, 1, 9, 9, 4);
	world_close(&w);
}

static void an_automapper_gets_an_id_if_the_highest_is_taken(void **state)
{
	struct world w;

	(void)state;
	world_open(&w, "automapper_ids.map");
	world_set(&w, id_of(w.now, DESIGN), "{\"automapper\": {\"config\": 7}}");
	world_finalize(&w);
	assert_int_equal(tw_count(tw_map_of(w.after.s), UUID_TYPE), 3);
	assert_int_equal(tw_item_at(tw_map_of(w.after.s), UUID_TYPE, 0)->id, 0);
	assert_int_equal(tw_item_at(tw_map_of(w.after.s), UUID_TYPE, 1)->id, 65535);
	assert_int_equal(tw_item_at(tw_map_of(w.after.s), UUID_TYPE, 2)->id, 1);
	ITEM(&w, UUID_TYPE, 2, 1, 0, 1, 7);
	world_close(&w);
}

/* ---- index items */

static void assert_only_the_other_index(const struct world *w)
{
	const struct tw_map *m = tw_map_of(w->after.s);

	assert_int_equal(tw_uuid_type(m, TW_AUTOMAPPER), -1);
	assert_null(tw_type(m, UUID_TYPE));
	/* A type that had no items before keeps its index. */
	assert_int_equal(tw_count(m, TW_UUID_INDEX), 1);
	assert_int_equal(tw_item_at(m, TW_UUID_INDEX, 0)->id, 0x9000);
}

static void removing_the_last_item_removes_the_index_of_its_type(void **state)
{
	struct world w;

	(void)state;
	world_open(&w, "automapper.map");
	world_set(&w, id_of(w.now, DESIGN), "{\"automapper\": null}");
	world_finalize(&w);
	assert_only_the_other_index(&w);
	world_close(&w);
	world_open(&w, "automapper.map");
	world_remove(&w, id_of(w.now, "groups/0/layers/1"));
	world_finalize(&w);
	assert_only_the_other_index(&w);
	world_close(&w);
}

static void an_item_added_again_has_its_previous_type(void **state)
{
	struct world w;

	(void)state;
	world_open(&w, "automapper.map");
	world_set(&w, id_of(w.now, DESIGN), "{\"automapper\": null}");
	world_set(&w, id_of(w.now, DESIGN),
		"{\"automapper\": {\"version\": 1, \"config\": 1, \"seed\": 0, \"flags\": 0}}");
	world_finalize(&w);
	assert_true(world_is_unchanged(&w));
	world_close(&w);
}

/* ---- extensions of groups */

static void extensions_without_a_group_stay_after_those_of_the_groups(void **state)
{
	static const int swapped[] = {10, 0, 20, 30}, grown[] = {0, 10, 44, 20, 30},
			 shrunk[] = {10, 20, 30};
	static const struct {
		const int *zooms;
		uint32_t n;
	} wanted[] = {{swapped, 4}, {grown, 5}, {shrunk, 3}};

	(void)state;
	for (int i = 0; i < 3; i++) {
		const struct tw_map *m;
		struct world w;

		world_open(&w, "zooms.map");
		if (i == 0)
			world_move(&w, id_of(w.now, "groups/1_b"), id_of(w.now, "groups"), "0_b");
		else if (i == 1)
			world_set(&w,
				world_add_in(&w, world_add(&w, "groups", "9_c", true), "group.json",
					false),
				"{\"parallax_zoom\": 44}");
		else
			world_remove(&w, id_of(w.now, "groups/0_a"));
		world_finalize(&w);
		m = tw_map_of(w.after.s);
		assert_int_equal(tw_count(m, ZOOM_TYPE), wanted[i].n);
		for (uint32_t k = 0; k < wanted[i].n; k++) {
			assert_int_equal(
				tw_item_at(m, ZOOM_TYPE, k)->ints->v[1], wanted[i].zooms[k]);
			assert_int_equal(tw_item_at(m, ZOOM_TYPE, k)->id, k);
		}
		world_close(&w);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(ignored_tangents_stay_ignored_when_points_change),
		cmocka_unit_test(ignored_tangents_are_not_changed),
		cmocka_unit_test(
			ignored_tangents_stay_ignored_when_an_envelope_is_added_or_removed),
		cmocka_unit_test(tangents_beside_full_points_keep_their_integers),
		cmocka_unit_test(tangents_beside_full_points_follow_their_envelopes),
		cmocka_unit_test(tangents_of_points_that_become_plain_are_moved_to_the_item),
		cmocka_unit_test(a_null_automapper_removes_all_items_of_the_layer),
		cmocka_unit_test(an_automapper_gets_an_id_if_the_highest_is_taken),
		cmocka_unit_test(removing_the_last_item_removes_the_index_of_its_type),
		cmocka_unit_test(an_item_added_again_has_its_previous_type),
		cmocka_unit_test(extensions_without_a_group_stay_after_those_of_the_groups),
	};

	return cmocka_run_group_tests_name("uuid", tests, NULL, NULL);
}
