/* SPDX-License-Identifier: Zlib */
/* Envelopes and their points. */
#include "support/parts.h"

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

static void new_points_move_those_of_later_envelopes(void **state)
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
	/* An envelope without points gets some in its place, before the following ones. */
	assert_int_equal(edit(&f.s, "envelopes/02.json", "[]", "[{\"time\": 9}]", &err), 1);
	assert_int_equal(start_of(f.s, 2), 4);
	assert_int_equal(start_of(f.s, 17), 5);
	fixture_close(&f);
}

static void envelopes_without_points_keep_their_position(void **state)
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

static void shared_points_stay_with_the_other_envelopes(void **state)
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

/* An envelope without points may start between two points of another. */
static void an_envelope_between_points_of_another_does_not_split_them(void **state)
{
	CLEANUP(bytes_unref) struct bytes *first = NULL, *now = NULL;
	struct error err = ERROR_INIT;
	struct fixture f;

	(void)state;
	must_open(&f, "overlapping.map", "rw");
	first = content_of(f.s, "envelopes/0.json");
	assert_int_equal(
		edit(&f.s, "raw/items/00003_envelope/00001", "4\n1\n1\n", "4\n1\n0\n", &err), 1);
	assert_int_equal(start_of(f.s, 1), 1);
	assert_int_equal(edit(&f.s, "envelopes/1.json", "[]", "[{\"time\": 5}]", &err), 1);
	now = content_of(f.s, "envelopes/0.json");
	assert_int_equal(first->size, now->size);
	assert_memory_equal(first->data, now->data, now->size);
	fixture_close(&f);
}

static void the_item_of_tangents_follows_the_points(void **state)
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
	/* From version 3 on, tangents are in the points of all envelopes. */
	assert_int_equal(
		edit(&f.s, "envelopes/1.json", "\"version\": 2", "\"version\": 3", &err), 1);
	m = tw_map_of(f.s);
	assert_int_equal(tw_item_at(m, TW_POINTS, 0)->ints->n, 3 * 22);
	assert_int_equal(tw_item_at(m, TW_POINTS, 0)->ints->v[21], 99);
	fixture_close(&f);
}

static void tangents_removed_from_the_points_get_an_item(void **state)
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

/* A file of an envelope and its change: `from` is replaced by `to`. */
struct edit {
	const char *path, *from, *to;
};

static void apply(
	const struct snapshot *base, struct snapshot **s, const char *path, const char *text)
{
	const struct format_edit *edit = base->format->edit;
	CLEANUP(bytes_unref) struct bytes *b = bytes_copy(text, strlen(text));
	CLEANUP_EXTENT struct extent in = extent_of_bytes(bytes_ref(b));
	CLEANUP(content_unref) struct content *c = content_new(&in);
	CLEANUP(parsed_unref) struct parsed *p = NULL;
	struct error err = ERROR_INIT;
	bool changed;

	assert_ok(edit->parse(base, id_of(base, path), c, &p, &err));
	assert_ok(edit->apply(s, id_of(base, path), p, NULL, NULL, &changed, &err));
	assert_true(changed);
}

static struct tw_ints *points_of(const struct snapshot *s)
{
	return tw_item_at(tw_map_of(s), TW_POINTS, 0)->ints;
}

static void assert_same_items(const struct snapshot *a, const struct snapshot *b)
{
	const struct tw_map *m = tw_map_of(a), *n = tw_map_of(b);

	assert_int_equal(m->n_items, n->n_items);
	for (size_t i = 0; i < m->n_items; i++)
		if (!tw_ints_same(m->items[i].ints, n->items[i].ints))
			fail_msg("item %zu of type %u differs", i, m->items[i].type);
	assert_true(m->index->has_tangents == n->index->has_tangents);
}

/* Apply the edits of a map together, and put them one by one. */
static void change_together(const char *map, const struct edit *v, size_t n, bool back)
{
	CLEANUP(snapshot_unref) struct snapshot *base = NULL, *applied = NULL, *once = NULL;
	struct error err = ERROR_INIT;
	struct fixture f;

	must_open(&f, map, "rw");
	base = snapshot_ref(f.s);
	applied = snapshot_ref(f.s);
	for (size_t i = 0; i < n; i++) {
		const struct edit *d = &v[back ? n - 1 - i : i];
		CLEANUP(free) char *text = edited(f.s, d->path, d->from, d->to);

		apply(base, &applied, d->path, text);
		assert_int_equal(put_text(&f.s, d->path, text, &err), 1);
	}
	assert_ptr_equal(points_of(applied), points_of(base));
	assert_ok(f.s->format->tree->finalize(
		applied, NULL, FORMAT_UNPLACED, &once, NULL, NULL, &err));
	assert_same_items(once, f.s);
	fixture_close(&f);
}

#define BEGIN "\"points\": ["
#define MORE  BEGIN "{\"time\": 0}, "

/*
 * The points are written once, when all edits are applied. The map equals the one after single puts
 * in any order.
 */
static void envelopes_that_change_together_cost_one_pass(void **state)
{
	static const struct edit parts[] = {
		{"envelopes/01.json", "[1, 2, 3, 4]}", "[1, 2, 3, 4]}, {\"time\": 6}"},
		{"envelopes/02.json", "[]", "[{\"time\": 9}, {\"time\": 10}]"},
		{"envelopes/00.json", BEGIN, MORE},
		{"envelopes/17.json", BEGIN, MORE},
	};
	static const struct edit empties[] = {
		{"envelopes/3.json", "[]", "[{\"time\": 9}]"},
		{"envelopes/0.json", "[]", "[{\"time\": 7}, {\"time\": 8}]"},
		{"envelopes/2.json", "[]", "[{\"time\": 5}]"},
		{"envelopes/4.json", BEGIN, MORE},
	};
	static const struct edit overlapping[] = {
		{"envelopes/0.json", "\"time\": 9", "\"time\": 10"},
		{"envelopes/1.json", BEGIN, MORE},
		{"envelopes/2.json", BEGIN, MORE},
	};
	static const struct edit tangents[] = {
		{"envelopes/0.json", BEGIN, MORE},
		{"envelopes/1.json", "\"version\": 2", "\"version\": 3"},
	};
	static const struct edit plain[] = {
		{"envelopes/0.json", "\"version\": 3", "\"version\": 2"},
		{"envelopes/1.json", BEGIN, MORE},
	};

	(void)state;
	for (int back = 0; back < 2; back++) {
		change_together("parts.map", parts, 4, back);
		change_together("empties.map", empties, 4, back);
		change_together("overlapping.map", overlapping, 3, back);
		change_together("bezier_item.map", tangents, 2, back);
		change_together("bezier_points.map", plain, 2, back);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(tangents_are_shown_from_the_points_and_from_the_item),
		cmocka_unit_test(new_points_move_those_of_later_envelopes),
		cmocka_unit_test(envelopes_without_points_keep_their_position),
		cmocka_unit_test(envelopes_that_change_together_cost_one_pass),
		cmocka_unit_test(shared_points_stay_with_the_other_envelopes),
		cmocka_unit_test(the_item_of_tangents_follows_the_points),
		cmocka_unit_test(an_envelope_between_points_of_another_does_not_split_them),
		cmocka_unit_test(tangents_removed_from_the_points_get_an_item),
	};

	return cmocka_run_group_tests_name("points", tests, NULL, NULL);
}
