/* SPDX-License-Identifier: Zlib */
/*
 * Tiles as tables: which content is accepted, and how width, height and version change the tiles.
 */
#include "support/parts.h"

static void a_plane_changes_only_its_field(void **state)
{
	struct error err = ERROR_INIT;
	struct fixture f;
	uint8_t want[52];

	(void)state;
	must_open(&f, "parts.map", "rw");
	assert_content(
		f.s, LAYERS "00/id.csv", "  0,  1,  2,  3\n  4,  5,  6,  7\n  8,  9, 10, 11\n");
	assert_content(
		f.s, LAYERS "00/flags.csv", "  8,  8,  8,  8\n  8,  8,  8,  8\n  8,  8,  8,  8\n");
	for (int i = 0; i < 12; i++)
		memcpy(want + 4 * i,
			(uint8_t[]){(uint8_t)i, 8, (uint8_t)(100 + i), (uint8_t)(200 + i)}, 4);
	memcpy(want + 48, "tail", 4);
	assert_data(f.s, 0, DATA, want, 52);
	/* In the form of a spreadsheet: other blanks, quotes, CRLF, no line feed at the end. */
	assert_int_equal(
		put_text(&f.s, LAYERS "00/id.csv", "0,1,2,\"3\"\r\n4, 5,6 ,7\r\n8,9,10,255", &err),
		1);
	/* Garbage bytes become 0 in tiles that are written again. */
	for (int i = 0; i < 12; i++)
		want[4 * i + 2] = want[4 * i + 3] = 0;
	want[44] = 255;
	assert_data(f.s, 0, DATA, want, 52);
	assert_content(
		f.s, LAYERS "00/id.csv", "  0,  1,  2,  3\n  4,  5,  6,  7\n  8,  9, 10,255\n");
	fixture_close(&f);
}

static void a_plane_refuses_another_shape_and_large_values(void **state)
{
	struct error err = ERROR_INIT;
	struct fixture f;

	(void)state;
	must_open(&f, "parts.map", "rw");
	assert_fails(put_text(&f.s, LAYERS "00/id.csv", "1,2,3\n4,5,6,7\n7,8,9\n", &err), EINVAL,
		"line 2, column 4: it has 4 columns (must be 3), unlike line 1");
	assert_fails(put_text(&f.s, LAYERS "00/id.csv", "1,2,3,4\n", &err), EINVAL,
		"the table has 1 lines of 4 columns (at least 2)");
	assert_refused(&f, LAYERS "00/id.csv", " 11", "256", "line 3, column 4: 256 is not 0..255");
	assert_refused(&f, LAYERS "06_Speedup/angle.csv", "  -330", "-32769",
		"line 3, column 4: -32769 is not -32768..32767");
	fixture_close(&f);
}

static void physics_planes_show_the_layers_own_field(void **state)
{
	struct error err = ERROR_INIT;
	static const uint8_t zeros[48];
	struct fixture f;
	uint8_t want[24];

	(void)state;
	must_open(&f, "parts.map", "rw");
	assert_content(f.s, LAYERS "05_Tele/number.csv",
		"  0,  2,  4,  6\n  8, 10, 12, 14\n 16, 18, 20, 22\n");
	assert_content(f.s, LAYERS "05_Tele/id.csv",
		"  1,  3,  5,  7\n  9, 11, 13, 15\n 17, 19, 21, 23\n");
	assert_content(f.s, LAYERS "06_Speedup/max_speed.csv",
		"  0,  2,  4,  6\n  8, 10, 12, 14\n 16, 18, 20, 22\n");
	assert_content(f.s, LAYERS "06_Speedup/angle.csv",
		"     0,   -30,   -60,   -90\n  -120,  -150,  -180,  -210\n"
		"  -240,  -270,  -300,  -330\n");
	assert_content(
		f.s, LAYERS "07/delay.csv", "  3,  7, 11, 15\n 19, 23, 27, 31\n 35, 39, 43, 47\n");
	assert_int_equal(edit(&f.s, LAYERS "05_Tele/number.csv", " 22", "199", &err), 1);
	for (uint8_t i = 0; i < 24; i++)
		want[i] = i;
	want[22] = 199;
	assert_data(f.s, 5, OWN, want, 24);
	assert_data(f.s, 5, DATA, zeros, 48);
	fixture_close(&f);
}

static void only_changed_packed_tiles_are_packed_again(void **state)
{
	static const uint8_t packed[] = {5, 2, 255, 9, 5, 2, 43, 9};
	static const uint8_t changed[] = {5, 2, 255, 9, 5, 2, 42, 9, 6, 2, 0, 9};
	CLEANUP(bytes_unref) struct bytes *id = NULL;
	struct error err = ERROR_INIT;
	struct fixture f;

	(void)state;
	must_open(&f, "parts.map", "rw");
	id = content_of(f.s, LAYERS "08/id.csv");
	assert_int_equal(id->size, 15 * 20 * 4);
	assert_int_equal(
		entry_put(&f.s, id_of(f.s, LAYERS "08/id.csv"), id->data, id->size, &err), 0);
	assert_data(f.s, 8, DATA, packed, sizeof(packed));
	memcpy((char *)(uintptr_t)id->data + id->size - 4, "  6", 3);
	assert_int_equal(
		entry_put(&f.s, id_of(f.s, LAYERS "08/id.csv"), id->data, id->size, &err), 1);
	assert_data(f.s, 8, DATA, changed, sizeof(changed));
	fixture_close(&f);
}

static void packed_tiles_with_another_count_cannot_be_read(void **state)
{
	CLEANUP(bytes_unref) struct bytes *b = NULL;
	struct error err = ERROR_INIT;
	struct file_attr entry;
	struct fixture f;

	(void)state;
	must_open(&f, "sizes.map", "rw");
	assert_int_equal(entry_find(f.s, LAYERS "2/id.csv", &entry), 0);
	assert_int_equal(entry.size, 15 * 20 * 4);
	assert_fails(entry_get(f.s, &entry, &b, &err), EIO, "299 tiles (must be 20 x 15)");
	fixture_close(&f);
}

static void a_shared_blob_is_copied_before_it_is_written(void **state)
{
	struct error err = ERROR_INIT;
	static const uint8_t zeros[48];
	uint8_t want[48] = {0};
	struct fixture f;

	(void)state;
	must_open(&f, "parts.map", "rw");
	assert_int_equal(layer(f.s, 9)->ints->v[DATA], layer(f.s, 10)->ints->v[DATA]);
	assert_int_equal(edit(&f.s, LAYERS "10/flags.csv", "0\n", "4\n", &err), 1);
	want[4 * 3 + 1] = 4;
	assert_data(f.s, 10, DATA, want, 48);
	assert_data(f.s, 9, DATA, zeros, 48);
	fixture_close(&f);
}

static void width_and_height_crop_and_extend_all_tiles_of_the_layer(void **state)
{
	/* The unused bytes of tiles become 0 when they are written again. */
	static const uint8_t design[] = {
		0, 8, 0, 0, 1, 8, 0, 0, 2, 8, 0, 0, 4, 8, 0, 0, 5, 8, 0, 0, 6, 8, 0, 0};
	static const uint8_t tele[40] = {0, 1, 2, 3, 4, 5, 6, 7, 0, 0, 8, 9, 10, 11, 12, 13, 14, 15,
		0, 0, 16, 17, 18, 19, 20, 21, 22, 23};
	static const uint8_t zeros[80];
	struct error err = ERROR_INIT;
	struct fixture f;

	(void)state;
	must_open(&f, "parts.map", "rw");
	assert_int_equal(edit(&f.s, LAYERS "00/layer.json", "\"width\": 4,\n  \"height\": 3",
				 "\"width\": 3,\n  \"height\": 2", &err),
		1);
	assert_data(f.s, 0, DATA, design, sizeof(design));
	assert_content(f.s, LAYERS "00/id.csv", "  0,  1,  2\n  4,  5,  6\n");
	assert_int_equal(edit(&f.s, LAYERS "05_Tele/layer.json", "\"width\": 4,\n  \"height\": 3",
				 "\"width\": 5,\n  \"height\": 4", &err),
		1);
	assert_data(f.s, 5, OWN, tele, sizeof(tele));
	assert_data(f.s, 5, DATA, zeros, 80);
	/* Wider than the buffer of the copy. */
	assert_int_equal(
		edit(&f.s, LAYERS "06_Speedup/layer.json", "\"width\": 4", "\"width\": 3000", &err),
		1);
	CLEANUP(bytes_unref) struct bytes *wide = data_of(f.s, 6, OWN + 1);
	assert_int_equal(wide->size, 3 * 3000 * 6);
	for (size_t i = 0; i < wide->size; i++)
		if (i % (3000 * 6) >= 4 * 6)
			assert_int_equal(wide->data[i], 0);
	assert_memory_equal(wide->data + 3000 * 6, "\4\10\34\0\210\377", 6);
	assert_refused(&f, LAYERS "00/layer.json", "\"width\": 3", "\"width\": 1", "at least 2");
	assert_refused(&f, LAYERS "00/layer.json", "\"width\": 3", "\"width\": 2000000000",
		"are too many");
	fixture_close(&f);
}

static void a_version_changes_the_form_of_tiles_and_fields(void **state)
{
	static const uint8_t packed[] = {1, 8, 10, 0, 2, 8, 0, 0};
	struct error err = ERROR_INIT;
	struct fixture f;
	uint8_t own[48];

	(void)state;
	must_open(&f, "parts.map", "rw");
	for (uint8_t i = 0; i < 48; i++)
		own[i] = i;
	/* From version 3 on, the switch layer's own field follows a name. */
	assert_data(f.s, 7, OLD_OWN + 3, own, 48);
	assert_int_equal(
		edit(&f.s, LAYERS "07/layer.json", "\"version\": 2", "\"version\": 3", &err), 1);
	assert_data(f.s, 7, OWN + 3, own, 48);
	assert_int_equal(layer(f.s, 7)->ints->n, 23);
	assert_int_equal(layer(f.s, 7)->ints->v[15], (int32_t)0x80808080u);
	assert_int_equal(layer(f.s, 7)->ints->v[17], (int32_t)0x80808000u);
	assert_int_equal(
		edit(&f.s, LAYERS "07/layer.json", "\"version\": 3", "\"version\": 2", &err), 1);
	assert_data(f.s, 7, OLD_OWN + 3, own, 48);
	assert_int_equal(layer(f.s, 7)->ints->n, 20);
	/* From version 4 on, tiles are packed. */
	assert_int_equal(
		edit(&f.s, LAYERS "08/layer.json", "\"version\": 4", "\"version\": 3", &err), 1);
	CLEANUP(bytes_unref) struct bytes *plain = data_of(f.s, 8, DATA);
	assert_int_equal(plain->size, 1200);
	for (size_t i = 0; i < 1200; i += 4)
		assert_memory_equal(plain->data + i, "\5\2\0\0", 4);
	assert_int_equal(
		put_text(&f.s, LAYERS "00/id.csv", "1,1,1,1\n1,1,1,1\n1,1,1,2\n", &err), 1);
	assert_int_equal(
		edit(&f.s, LAYERS "00/layer.json", "\"version\": 3", "\"version\": 4", &err), 1);
	CLEANUP(bytes_unref) struct bytes *runs = data_of(f.s, 0, DATA);
	assert_int_equal(runs->size, sizeof(packed));
	assert_memory_equal(runs->data, packed, sizeof(packed));
	assert_content(
		f.s, LAYERS "00/id.csv", "  1,  1,  1,  1\n  1,  1,  1,  1\n  1,  1,  1,  2\n");
	assert_refused(
		&f, LAYERS "00/layer.json", "\"version\": 4", "\"version\": 5", "must be 2 to 4");
	fixture_close(&f);
}

#define IDS   LAYERS "00/id.csv"
#define FLAGS LAYERS "00/flags.csv"
#define JSON  LAYERS "00/layer.json"

enum { TABLES = 2, FILES = 3 };

/* The written files of a layer, or NULL; tables first, then layer.json. */
struct layer_files {
	const char *texts[FILES];
	bool refused; /* an earlier save refused the tables */
};

/* Put one of them together with the others. */
static int put_beside(struct fixture *f, const struct layer_files *b, int which, struct error *e)
{
	static const char *const paths[FILES] = {IDS, FLAGS, JSON};
	struct parsed *parsed[FILES] = {NULL};
	struct written_file written[FILES];
	struct build_context others = {.files = written};
	bool changed = false;
	int r = 0;

	for (int i = 0; i < FILES; i++) {
		entry_id id = id_of(f->s, paths[i]);
		struct extent in;
		struct content *c;

		if (!b->texts[i])
			continue;
		in = extent_of_bytes(bytes_copy(b->texts[i], strlen(b->texts[i])));
		c = content_new(&in);
		assert_int_equal(content_parse(f->s, id, id, c, &parsed[i], e), 0);
		content_unref(c);
		extent_finish(&in);
		written[others.n_files++] =
			(struct written_file){id, parsed[i], i < TABLES && b->refused};
	}
	if (parsed[which]->refusal_errno)
		r = error_set(e, parsed[which]->refusal_errno, "%s", parsed[which]->refusal);
	else
		r = f->s->format->edit->apply(&f->s, id_of(f->s, paths[which]), parsed[which],
			&others, NULL, &changed, e);
	if (r == 0 && changed)
		r = 1;
	for (int i = 0; i < FILES; i++)
		parsed_unref(parsed[i]);
	return r;
}

/*
 * Put all files, and retry the refused ones until nothing changes. Returns how many are still
 * refused.
 */
static unsigned put_all_beside(struct fixture *f, const struct layer_files *b)
{
	struct error err = ERROR_INIT;
	unsigned waiting = 0;

	for (int round = 0; round < FILES; round++) {
		waiting = 0;
		for (int i = 0; i < FILES; i++)
			if (b->texts[i] && put_beside(f, b, i, &err) < 0)
				waiting++;
	}
	return waiting;
}

/* Layout rule 14. The layer is 4 x 3. */
static void tables_of_another_size_are_unresolved(void **state)
{
	struct error err = ERROR_INIT;
	struct fixture f;

	(void)state;
	must_open(&f, "parts.map", "rw");
	assert_fails(put_text(&f.s, IDS, "1,2\n3,4\n", &err), EAGAIN,
		"the table has 2 lines of 2 columns (the layer has height 3, width 4)");
	assert_int_equal(put_text(&f.s, FLAGS, "0,1\n2,3\n", &err), -EAGAIN);
	/* layer.json decides, in any order. */
	assert_int_equal(put_text(&f.s, JSON, "{\"width\": 2, \"height\": 2}", &err), 1);
	assert_int_equal(put_text(&f.s, IDS, "1,2\n3,4\n", &err), 1);
	assert_int_equal(put_text(&f.s, FLAGS, "0,1\n2,3\n", &err), 1);
	assert_content(f.s, IDS, "  1,  2\n  3,  4\n");
	fixture_close(&f);
}

static void a_written_layer_json_decides_the_size(void **state)
{
	static const struct layer_files same = {
		{"1,2\n3,4\n", "0,1\n2,3\n", "{\"width\": 4}"}, false};
	static const struct layer_files other = {
		{"1,2\n3,4\n", "0,1\n2,3\n", "{\"width\": 2, \"height\": 2}"}, false};
	static const struct layer_files cut = {
		{"1,2,3,4\n5,6,7,8\n9,9,9,9\n", NULL, "{\"width\": 2, \"height\": 2}"}, false};
	struct error err = ERROR_INIT;
	struct fixture f;

	(void)state;
	/* layer.json with the present size decides too, and the tables do not. */
	must_open(&f, "parts.map", "rw");
	assert_int_equal(put_all_beside(&f, &same), TABLES);
	fixture_close(&f);
	must_open(&f, "parts.map", "rw");
	assert_int_equal(put_all_beside(&f, &other), 0);
	assert_content(f.s, IDS, "  1,  2\n  3,  4\n");
	assert_content(f.s, FLAGS, "  0,  1\n  2,  3\n");
	fixture_close(&f);
	/* Tables of the previous size come first. */
	must_open(&f, "parts.map", "rw");
	assert_fails(
		put_beside(&f, &cut, 2, &err), EAGAIN, "the tables of the layer are applied first");
	assert_int_equal(put_beside(&f, &cut, 0, &err), 1);
	assert_int_equal(put_beside(&f, &cut, 2, &err), 1);
	assert_content(f.s, IDS, "  1,  2\n  5,  6\n");
	fixture_close(&f);
}

static void a_layer_takes_the_common_size_of_its_tables(void **state)
{
	struct layer_files b = {{"1,2\n3,4\n5,6\n", "0,1\n2,3\n1,0\n", NULL}, false};
	struct error err = ERROR_INIT;
	struct fixture f;

	(void)state;
	must_open(&f, "parts.map", "rw");
	/* The first table gives the layer its size, and then all fit. */
	assert_int_equal(put_beside(&f, &b, 0, &err), -EAGAIN);
	assert_int_equal(put_beside(&f, &b, 1, &err), 1);
	assert_int_equal(put_beside(&f, &b, 0, &err), 1);
	assert_content(f.s, IDS, "  1,  2\n  3,  4\n  5,  6\n");
	assert_content(f.s, FLAGS, "  0,  1\n  2,  3\n  1,  0\n");
	/* One table alone decides nothing. */
	b = (struct layer_files){{"1,2\n3,4\n", NULL, NULL}, false};
	assert_int_equal(put_all_beside(&f, &b), 1);
	fixture_close(&f);
}

static void tables_of_two_sizes_do_not_change_the_size(void **state)
{
	static const struct layer_files cases[] = {
		{{"1,2\n3,4\n5,6\n", "0,1\n2,3\n", NULL}, false},
		{{"1,2\n3,4\n", "no table", NULL}, false},
		/* Tables that were all refused before do not decide either. */
		{{"1,2\n3,4\n", "0,1\n2,3\n", NULL}, true},
	};
	CLEANUP(bytes_unref) struct bytes *whole = NULL;
	CLEANUP(free) char *flags = NULL;
	struct layer_files back = {{"1,2\n3,4\n", NULL, NULL}, false};
	struct error err = ERROR_INIT;
	struct fixture f;

	(void)state;
	must_open(&f, "parts.map", "rw");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(put_all_beside(&f, &cases[i]), TABLES);
	whole = content_of(f.s, FLAGS);
	flags = calloc(1, whole->size + 1);
	assert_non_null(flags);
	memcpy(flags, whole->data, whole->size);
	back.texts[1] = flags;
	assert_int_equal(put_all_beside(&f, &back), 1);
	assert_int_equal(put_beside(&f, &back, 1, &err), 0);
	fixture_close(&f);
}

struct reasons {
	unsigned n;
	bool warned; /* the last warning */
	char last[200];
};

static void store_warning(void *arg, const struct format_fault *f)
{
	struct reasons *r = arg;

	r->n++;
	r->warned = f->is_warning;
	snprintf(r->last, sizeof(r->last), "%s", f->line);
}

static void sizes_that_must_agree_are_checked_at_the_save(void **state)
{
	struct snapshot *before;
	struct error err = ERROR_INIT;
	struct reasons why = {0};
	struct fixture f;

	(void)state;
	must_open(&f, "sizes.map", "rw");
	before = snapshot_ref(f.s);
	/* The front layer differed before; a larger difference is a new fault. */
	assert_ok(f.s->format->edit->check(before, f.s, store_warning, &why, &err));
	assert_int_equal(
		edit(&f.s, LAYERS "1/layer.json", "\"width\": 6", "\"width\": 2", &err), 1);
	assert_fails(f.s->format->edit->check(before, f.s, store_warning, &why, &err), EINVAL,
		"a game would");
	assert_string_equal(
		why.last, LAYERS "1: is 2 x 2 tiles (4 x 3 like the game layer " LAYERS "0)");
	assert_int_equal(why.n, 1);
	assert_false(why.warned);
	assert_int_equal(
		edit(&f.s, LAYERS "0/layer.json", "\"width\": 4", "\"width\": 2", &err), 1);
	assert_int_equal(
		edit(&f.s, LAYERS "1/layer.json", "\"height\": 2", "\"height\": 4", &err), 1);
	assert_ok(f.s->format->edit->check(before, f.s, store_warning, &why, &err));
	snapshot_unref(before);
	fixture_close(&f);
	must_open(&f, "parts.map", "rw");
	before = snapshot_ref(f.s);
	assert_int_equal(
		edit(&f.s, LAYERS "05_Tele/layer.json", "\"height\": 3", "\"height\": 4", &err), 1);
	assert_ok(f.s->format->edit->check(before, f.s, store_warning, &why, &err));
	assert_true(why.warned);
	assert_string_equal(why.last,
		LAYERS "05_Tele: is 4 x 4 tiles (4 x 3 like the game layer " LAYERS
		       "04_Game): the other rows are not used");
	snapshot_unref(before);
	fixture_close(&f);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_of_another_size_are_unresolved),
		cmocka_unit_test(a_written_layer_json_decides_the_size),
		cmocka_unit_test(tables_of_two_sizes_do_not_change_the_size),
		cmocka_unit_test(a_layer_takes_the_common_size_of_its_tables),
		cmocka_unit_test(a_plane_changes_only_its_field),
		cmocka_unit_test(a_plane_refuses_another_shape_and_large_values),
		cmocka_unit_test(physics_planes_show_the_layers_own_field),
		cmocka_unit_test(only_changed_packed_tiles_are_packed_again),
		cmocka_unit_test(packed_tiles_with_another_count_cannot_be_read),
		cmocka_unit_test(a_shared_blob_is_copied_before_it_is_written),
		cmocka_unit_test(width_and_height_crop_and_extend_all_tiles_of_the_layer),
		cmocka_unit_test(a_version_changes_the_form_of_tiles_and_fields),
		cmocka_unit_test(sizes_that_must_agree_are_checked_at_the_save),
	};

	return cmocka_run_group_tests_name("planes", tests, NULL, NULL);
}
