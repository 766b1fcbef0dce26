/* SPDX-License-Identifier: Zlib */
#include "support/codec_test.h"

#include "codec/text/json.h"

static struct error err;

/* The documented example of an envelope, with the tangents of one point. */
static const char envelope[] =
	"{\n"
	"  \"version\": 2,\n"
	"  \"channels\": 3,\n"
	"  \"synchronized\": 1,\n"
	"  \"points\": [\n"
	"    {\"time\": 0, \"curve_type\": 2, \"values\": [0, 0, 0, 0]},\n"
	"    {\"time\": 1000, \"curve_type\": 5, \"values\": [0, 0, 0, 1024], \"in_tangent_dx\": "
	"[0, 1, 2, 3]}\n"
	"  ]\n"
	"}\n";

static void key_ints(struct jsonw *w, const char *key, const int32_t *v, size_t n)
{
	jsonw_key(w, key);
	jsonw_ints(w, v, n);
}

static void write_envelope(struct jsonw *w)
{
	static const int32_t values[][4] = {{0, 0, 0, 0}, {0, 0, 0, 1024}, {0, 1, 2, 3}};

	jsonw_object(w);
	jsonw_key_int(w, "version", 2);
	jsonw_key_int(w, "channels", 3);
	jsonw_key_int(w, "synchronized", 1);
	jsonw_key(w, "points");
	jsonw_array(w);
	for (int i = 0; i < 2; i++) {
		jsonw_object(w);
		jsonw_key_int(w, "time", 1000 * i);
		jsonw_key_int(w, "curve_type", 2 + 3 * i);
		key_ints(w, "values", values[i], 4);
		if (i)
			key_ints(w, "in_tangent_dx", values[2], 4);
		jsonw_end(w);
	}
	jsonw_end(w);
	jsonw_end(w);
}

/* Parts of the documented layer.json and quads.json that use forms missing in the envelope. */
static const char layer[] = "{\n"
			    "  \"color\": [255, 255, 255, 255],\n"
			    "  \"color_envelope\": null,\n"
			    "  \"image\": \"03_grass_main\",\n"
			    "  \"automapper\": {\"version\": 1, \"config\": 3}\n"
			    "}\n";

static void write_layer(struct jsonw *w)
{
	static const int32_t color[] = {255, 255, 255, 255};

	jsonw_object(w);
	key_ints(w, "color", color, 4);
	jsonw_key(w, "color_envelope");
	jsonw_null(w);
	jsonw_key_string(w, "image", "03_grass_main");
	jsonw_key(w, "automapper");
	jsonw_object(w);
	jsonw_key_int(w, "version", 1);
	jsonw_key_int(w, "config", 3);
	jsonw_end(w);
	jsonw_end(w);
}

static const char quads[] = "[\n"
			    "  {\"positions\": [[-70, 49], [99, 49]], \"points\": [1, 2]},\n"
			    "  {}\n"
			    "]\n";

static void write_quads(struct jsonw *w)
{
	static const int32_t p[] = {-70, 49, 99, 49, 1, 2};

	jsonw_array(w);
	jsonw_object(w);
	jsonw_key(w, "positions");
	jsonw_array(w);
	jsonw_ints(w, p, 2);
	jsonw_ints(w, p + 2, 2);
	jsonw_end(w);
	/* The list is not outermost, so it is printed like any other. */
	key_ints(w, "points", p + 4, 2);
	jsonw_end(w);
	jsonw_object(w);
	jsonw_end(w);
	jsonw_end(w);
}

static void write_empty_array(struct jsonw *w)
{
	jsonw_array(w);
	jsonw_end(w);
}

static void write_empty_points(struct jsonw *w)
{
	jsonw_object(w);
	jsonw_key(w, "points");
	jsonw_array(w);
	jsonw_end(w);
	jsonw_key(w, "x");
	jsonw_object(w);
	jsonw_end(w);
	jsonw_end(w);
}

static const struct {
	void (*write)(struct jsonw *w);
	const char *want;
} files[] = {
	{write_envelope, envelope},
	{write_layer, layer},
	{write_quads, quads},
	{write_empty_array, "[]\n"},
	{write_empty_points, "{\n  \"points\": [],\n  \"x\": {}\n}\n"},
};

#define N_FILES (sizeof(files) / sizeof(*files))

static void files_have_the_documented_form(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_FILES; i++) {
		CLEANUP_BUFFER struct buffer b = BUFFER_INIT;
		struct jsonw w;

		jsonw_to_buffer(&w, &b);
		files[i].write(&w);
		buffer_byte(&b, 0);
		assert_string_equal((char *)b.data, files[i].want);
		assert_int_equal(w.size, strlen(files[i].want));
		jsonw_to_nowhere(&w);
		files[i].write(&w);
		assert_int_equal(w.size, strlen(files[i].want));
	}
}

static void a_range_read_equals_that_part_of_the_file(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_FILES; i++) {
		size_t size = strlen(files[i].want);

		for (size_t off = 0; off <= size; off++) {
			for (size_t n = 0; n <= size - off; n++) {
				char got[512];
				struct jsonw w;

				memset(got, '!', sizeof(got));
				jsonw_to_range(&w, off, got + 1, n);
				files[i].write(&w);
				assert_memory_equal(got + 1, files[i].want + off, n);
				assert_int_equal(got[0], '!');
				assert_int_equal(got[n + 1], '!');
				assert_true(jsonw_done(&w));
			}
		}
	}
}

static void only_characters_that_json_requires_are_escaped(void **state)
{
	static const char s[] = "a\"\\/\b\f\n\r\t\x01\x1f\x7f\0\xc3\xa4\xf0\x9f\x98\x80\xff";
	static const char want[] = "[\n  \"a\\\"\\\\/\\b\\f\\n\\r\\t\\u0001\\u001f\x7f\\u0000"
				   "\xc3\xa4\xf0\x9f\x98\x80\xef\xbf\xbd\"\n]\n";
	CLEANUP_BUFFER struct buffer b = BUFFER_INIT;
	struct jsonw w;

	(void)state;
	jsonw_to_buffer(&w, &b);
	jsonw_array(&w);
	jsonw_string(&w, s, sizeof(s) - 1);
	jsonw_end(&w);
	assert_int_equal(b.size, sizeof(want) - 1);
	assert_memory_equal(b.data, want, b.size);
}

static int load(const char *text, size_t n, struct json_doc *d)
{
	CLEANUP_EXTENT struct extent x = extent_of(text, n);

	return json_doc_load(&x, 10000, d, &err);
}

#define LOAD(text, d) load(text, sizeof(text) - 1, d)

static void text_other_than_strict_json_is_refused_with_its_place(void **state)
{
	struct json_doc d = {0};
	char deep[6000];

	(void)state;
	assert_fails(LOAD("", &d), EINVAL, "line 1, column 1: ");
	assert_fails(LOAD("{\n\"a\": 1,\n}", &d), EINVAL, "line 3, column 1: ");
	assert_fails(LOAD("{\"a\": 1,\n\"b\": 2,\n\"a\": 3}", &d), EINVAL,
		"line 3, column 3: duplicate");
	assert_fails(LOAD("[1] [2]", &d), EINVAL, "line 1, column ");
	assert_fails(LOAD("[01]", &d), EINVAL, "line 1, column ");
	assert_fails(LOAD("['a']", &d), EINVAL, "line 1, column ");
	assert_fails(
		LOAD("[\"\xff\"]", &d), EINVAL, "line 1, column 2: unable to decode byte 0xff");
	assert_fails(LOAD("[\"a\nb\"]", &d), EINVAL, "line 1, column ");
	assert_fails(LOAD("[\"\\u0000\"]", &d), EINVAL, "line 1, column ");
	assert_fails(LOAD("[\"\\ud800\"]", &d), EINVAL, "line 1, column ");
	assert_fails(LOAD("[\n\n9223372036854775808]", &d), EINVAL,
		"line 3, column 19: too big integer");
	assert_fails(LOAD("[1]\0", &d), EINVAL, "line 1, column ");
	memset(deep, '[', sizeof(deep));
	assert_fails(load(deep, sizeof(deep), &d), EINVAL, "depth");
	CLEANUP_EXTENT struct extent x = extent_of("[1, 2, 3]", 9);
	assert_fails(json_doc_load(&x, 8, &d, &err), EINVAL, "at most 8");
	assert_null(d.root);
}

static const char sample[] = "{\n"
			     "  \"width\": 5, \"s\": \"a, \\\"}[\\\\\",\n"
			     "  \"color\": [1,\n"
			     "    2, 1.5, 2147483648],\n"
			     "  \"automapper\": {\"x\": {}, \"seed\":\n"
			     "     -2147483649, \"flags\": 1e2},\n"
			     "  \"none\": null, \"long\": "
			     "\"0123456789012345678901234567890123456789012345\",\n"
			     "  \"nested\": [[], [{\"a\": [true]}]]\n"
			     "}\n";

static void refusals_name_place_path_and_value(void **state)
{
	static const char *const known[] = {
		"width", "s", "color", "automapper", "none", "long", NULL};
	static const char *const more[] = {"x", "flags", NULL};
	CLEANUP_JSON struct json_doc d = {0};
	struct json_at root, color, third, fourth, mapper, a, b, c, width;
	int32_t v, four[4] = {9, 9, 9, 9};
	const char *text;

	(void)state;
	assert_ok(LOAD(sample, &d));
	root = json_root(&d);
	assert_fails(json_expect_object(&root, known, &err), EINVAL,
		"line 8, column 13: nested is not a known key");
	assert_ok(json_need(&root, "color", &color, &err));
	third = json_element(&color, 2);
	fourth = json_element(&color, 3);
	assert_fails(json_as_int(&third, &v, &err), EINVAL,
		"line 4, column 8: color[2] is 1.5 (must be an integer)");
	assert_fails(json_as_int(&fourth, &v, &err), EINVAL,
		"line 4, column 13: color[3] is 2147483648 (must be -2147483648 to 2147483647)");
	assert_fails(json_as_ints(&color, four, 4, &err), EINVAL, "color[2] is 1.5");
	assert_int_equal(four[0], 9);
	assert_fails(json_as_ints(&color, four, 3, &err), EINVAL,
		"line 3, column 12: color is an array of 4 (must be an array of 3)");
	assert_ok(json_need(&root, "width", &width, &err));
	assert_fails(json_as_ints(&width, four, 4, &err), EINVAL,
		"line 2, column 12: width is 5 (must be an array of 4)");
	assert_true(json_get(&root, "automapper", &mapper));
	assert_fails(json_get_int(&mapper, "seed", &v, NULL, &err), EINVAL,
		"line 6, column 6: automapper.seed is -2147483649 (must be");
	assert_fails(json_get_int(&mapper, "flags", &v, NULL, &err), EINVAL,
		"line 6, column 28: automapper.flags is 1e2 (must be an integer)");
	assert_fails(json_need(&mapper, "config", &a, &err), EINVAL,
		"line 5, column 17: automapper.config is missing");
	assert_fails(
		json_expect_object(&mapper, more, &err), EINVAL, "automapper.seed is not a known");
	assert_fails(json_as_string(&mapper, &text, NULL, &err), EINVAL,
		"line 5, column 17: automapper is an object (must be a string)");
	assert_true(json_get(&root, "s", &a));
	assert_fails(json_refuse(&a, &err, "at most %d", 255), EINVAL,
		"line 2, column 20: s is \"a, \\\"}[\\\\\" (at most 255)");
	assert_true(json_get(&root, "long", &a));
	assert_fails(json_as_int(&a, &v, &err), EINVAL,
		"line 7, column 25: long is \"012345678901234567890123456789012345678... (must");
	assert_true(json_get(&root, "nested", &a));
	b = json_element(&a, 1);
	c = json_element(&b, 0);
	struct json_at deepest;

	assert_true(json_get(&c, "a", &deepest));
	c = json_element(&b, 0);
	struct json_at yes = json_element(&deepest, 0);

	assert_fails(json_as_int(&yes, &v, &err), EINVAL,
		"line 8, column 26: nested[1][0].a[0] is true (must be an integer)");
	size_t n;

	assert_fails(json_expect_array(&root, &n, &err), EINVAL,
		"line 1, column 1: the file is an object (must be an array)");
}

static void values_and_absent_keys_are_distinguished(void **state)
{
	CLEANUP_JSON struct json_doc d = {0};
	int32_t v = 77, two[2] = {7, 7};
	struct json_at root, at;
	bool present = true;
	const char *text;
	size_t n = 0;
	int64_t wide;

	(void)state;
	assert_ok(LOAD("{\"min\": -2147483648, \"max\": 2147483647, \"zero\": -0, \"a\": [1, 2], "
		       "\"none\": null, \"s\": \"\\u00e4\", \"big\": 4294967295}",
		&d));
	root = json_root(&d);
	assert_ok(json_get_int(&root, "absent", &v, &present, &err));
	assert_false(present);
	assert_int_equal(v, 77);
	assert_ok(json_get_int(&root, "min", &v, &present, &err));
	assert_true(present);
	assert_int_equal(v, INT32_MIN);
	assert_ok(json_get_int(&root, "max", &v, NULL, &err));
	assert_int_equal(v, INT32_MAX);
	assert_ok(json_get_int(&root, "zero", &v, NULL, &err));
	assert_int_equal(v, 0);
	assert_ok(json_need(&root, "a", &at, &err));
	assert_ok(json_as_ints(&at, two, 2, &err));
	assert_int_equal(two[1], 2);
	assert_ok(json_need(&root, "none", &at, &err));
	assert_true(json_holds_null(&at));
	assert_false(json_holds_int(&at));
	assert_ok(json_need(&root, "s", &at, &err));
	assert_ok(json_as_string(&at, &text, &n, &err));
	assert_int_equal(n, 2);
	assert_string_equal(text, "\xc3\xa4");
	assert_ok(json_need(&root, "big", &at, &err));
	assert_ok(json_as_int_within(&at, 0, UINT32_MAX, &wide, &err));
	assert_true(wide == UINT32_MAX);
}

static void a_value_behind_an_escaped_key_is_refused_at_its_object(void **state)
{
	CLEANUP_JSON struct json_doc d = {0};
	struct json_at root;
	int32_t v;

	(void)state;
	assert_ok(LOAD("\n{\"\\u0061\": \"x\"}", &d));
	root = json_root(&d);
	assert_fails(json_get_int(&root, "a", &v, NULL, &err), EINVAL, "line 2, column 1: a is ");
}

static void a_column_counts_characters(void **state)
{
	CLEANUP_JSON struct json_doc d = {0};
	struct json_at root;
	int32_t v;

	(void)state;
	assert_ok(LOAD("\xef\xbb\xbf{}", &d)); /* a byte order mark is skipped */
	json_doc_finish(&d);
	assert_ok(LOAD("{\"\xc3\xbc\": 1, \"b\": \"x\"}", &d));
	root = json_root(&d);
	assert_fails(json_get_int(&root, "b", &v, NULL, &err), EINVAL, "line 1, column 15: b is ");
}

static void messages_stay_one_line_whatever_the_keys_are(void **state)
{
	static const char *const known[] = {NULL};
	CLEANUP_JSON struct json_doc d = {0};
	struct json_at root;

	(void)state;
	assert_ok(LOAD("{\"a\\n\\u0007\": 1}", &d));
	root = json_root(&d);
	assert_fails(json_expect_object(&root, known, &err), EINVAL,
		"line 1, column 1: a?? is not a known key");
}

/* The elements given to the callback and their number; the callback refuses the value 13. */
struct taken_elements {
	int32_t v[64];
	size_t n;
	struct error *e;
};

static int take_element(void *arg, const struct json_at *at, struct error *e)
{
	struct taken_elements *t = arg;
	struct json_at value = *at;
	int32_t v = 0;
	int r = 0;

	assert_int_equal(at->index, t->n);
	(void)(json_holds_int(at) || json_get(at, "v", &value));
	r = json_as_int(&value, &v, e);
	if (r == 0 && v == 13)
		r = json_refuse(&value, e, "an unlucky one");
	if (t->n < 64)
		t->v[t->n] = v;
	t->n++;
	return r;
}

static int read_list(const char *text, size_t size, const char *key, struct taken_elements *t,
	struct json_doc *d)
{
	CLEANUP_EXTENT struct extent x = extent_of(text, size);

	*t = (struct taken_elements){0};
	return json_list_read(&x, 1 << 20, key, take_element, t, d, &err);
}

static void assert_listed(const char *text, const char *key, size_t n)
{
	CLEANUP_JSON struct json_doc d = {0};
	struct taken_elements t;

	assert_ok(read_list(text, strlen(text), key, &t, &d));
	assert_int_equal(t.n, n);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(t.v[i], i + 1);
}

static void a_list_is_read_element_by_element(void **state)
{
	(void)state;
	assert_listed("[]", NULL, 0);
	assert_listed(" [ ] \n", NULL, 0);
	assert_listed("[1,2 , 3]", NULL, 3);
	assert_listed("\xef\xbb\xbf[1, {\"x\": \"]}\\\"[\", \"v\": 2}\n]", NULL, 2);
	assert_listed("{\"a\": [7], \"l\": [1, 2], \"b\": {\"l\": [5]}}", "l", 2);
	assert_listed("{\"b\": {\"l\": [5]}, \"s\": \"l\", \"l\": [{\"v\": 1}]}", "l", 1);
	assert_listed("{\"\\u006c\": [1, 2]}", "l", 2);
	assert_listed("{\"a\": 1}", "l", 0);
	assert_listed("{}", "l", 0);
}

static void the_rest_is_the_file_without_the_list(void **state)
{
	static const char text[] = "{\"a\": 5,\n\"l\": [1,\n2], \"b\":\n \"x\", \"c\": \"y\"}";
	CLEANUP_JSON struct json_doc d = {0};
	struct json_at root, l;
	struct taken_elements t;
	int32_t v;
	size_t n;

	(void)state;
	assert_ok(read_list(text, sizeof(text) - 1, "l", &t, &d));
	root = json_root(&d);
	assert_true(json_get(&root, "l", &l));
	assert_ok(json_expect_array(&l, &n, &err));
	assert_int_equal(n, 0);
	assert_ok(json_get_int(&root, "a", &v, NULL, &err));
	assert_int_equal(v, 5);
	assert_fails(json_refuse(&l, &err, "why"), EINVAL, "line 2, column 6: l is an array");
	assert_fails(json_get_int(&root, "b", &v, NULL, &err), EINVAL,
		"line 4, column 2: b is \"x\" (must be an integer)");
	assert_fails(json_get_int(&root, "c", &v, NULL, &err), EINVAL, "line 4, column 12: c is");
}

#define LIST_FAILS(json, key, why)                                                                 \
	do {                                                                                       \
		struct json_doc d_ = {0};                                                          \
		struct taken_elements t_;                                                          \
		assert_fails(read_list(json, sizeof(json) - 1, key, &t_, &d_), EINVAL, why);       \
		assert_null(d_.root);                                                              \
		assert_null(d_.text);                                                              \
	} while (0)

static void a_refusal_in_a_list_names_its_place_in_the_file(void **state)
{
	char deep[6000];
	struct json_doc d = {0};
	struct taken_elements t;

	(void)state;
	LIST_FAILS("[1,\n 13]", NULL, "line 2, column 2: [1] is 13 (an unlucky one)");
	LIST_FAILS("{\"a\": 1, \"l\": [1,\n 2, {\"v\":\n  1.5}]}", "l",
		"line 3, column 3: l[2].v is 1.5 (must be an integer)");
	LIST_FAILS("[1,\n {\"v\": 2,}]", NULL, "line 2, column 10: ");
	LIST_FAILS("[1,\n {\"v\": 2,\n \"v\": 3}]", NULL, "line 3, column 4: duplicate");
	LIST_FAILS("[1, 2", NULL, "line 1, column 6: ',' or ']' expected");
	LIST_FAILS("[1, 2}", NULL, "line 1, column 6: ',' or ']' expected");
	LIST_FAILS("[1, ]", NULL, "line 1, column 5: ");
	LIST_FAILS("[1,, 2]", NULL, "line 1, column 4: ");
	LIST_FAILS("[,]", NULL, "line 1, column 2: ");
	LIST_FAILS("[1 2]", NULL, "line 1, column ");
	LIST_FAILS("[1]\n [2]", NULL, "line 2, column 2: end of file expected");
	LIST_FAILS("[\"\xff\"]", NULL, "line 1, column 2: unable to decode");
	LIST_FAILS("", NULL, "line 1, column 1: ");
	LIST_FAILS("{\"v\": 1}", NULL, "line 1, column 1: the file is an object (must be an array");
	LIST_FAILS("{\"l\": [1],\n \"l\": [2]}", "l", "line 2, column 4: duplicate");
	LIST_FAILS("{\"l\": [1,\n\n2], a}", "l", "line 3, column 5: ");
	LIST_FAILS("{\"a\": 1\n \"l\": [1]}", "l", "line 2, column ");
	LIST_FAILS("{\n \"l\": 5}", "l", "line 2, column 7: l is 5 (must be an array)");
	memset(deep, '[', sizeof(deep));
	assert_fails(read_list(deep, sizeof(deep), NULL, &t, &d), EINVAL, "depth");
}

/* Only one element is kept at a time: the longest one is distinguished from one byte more. */
static void an_element_is_bounded_and_a_list_is_not(void **state)
{
	size_t n = JSON_TEXT_MAX;
	char *text = malloc(4 * n);
	struct json_doc d = {0};
	struct taken_elements t;

	(void)state;
	memset(text, ' ', 4 * n);
	text[0] = '[';
	text[1] = '1';
	text[1 + n] = ']';
	assert_ok(read_list(text, n + 2, NULL, &t, &d));
	json_doc_finish(&d);
	text[1 + n] = ' ';
	text[2 + n] = ']';
	assert_fails(read_list(text, n + 3, NULL, &t, &d), EINVAL, "one value is too long");
	for (size_t i = 0; i < n; i++)
		memcpy(text + 1 + 2 * i, "1,", 2);
	text[2 * n] = ']';
	assert_ok(read_list(text, 2 * n + 1, NULL, &t, &d));
	assert_int_equal(t.n, n);
	json_doc_finish(&d);
	{
		/* The array counts as a value, too. */
		CLEANUP_EXTENT struct extent more = extent_of(text, 2 * n + 1);

		assert_fails(json_doc_load(&more, 4 * n, &d, &err), EINVAL, "more than 65536");
		assert_fails(json_list_read(&more, n, NULL, take_element, &t, &d, &err), EINVAL,
			"(at most 65536)");
	}
	text[2 * n - 2] = ']';
	{
		CLEANUP_EXTENT struct extent most = extent_of(text, 2 * n - 1);

		assert_ok(json_doc_load(&most, 4 * n, &d, &err));
		json_doc_finish(&d);
	}
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_have_the_documented_form),
		cmocka_unit_test(a_range_read_equals_that_part_of_the_file),
		cmocka_unit_test(only_characters_that_json_requires_are_escaped),
		cmocka_unit_test(text_other_than_strict_json_is_refused_with_its_place),
		cmocka_unit_test(refusals_name_place_path_and_value),
		cmocka_unit_test(values_and_absent_keys_are_distinguished),
		cmocka_unit_test(a_value_behind_an_escaped_key_is_refused_at_its_object),
		cmocka_unit_test(a_column_counts_characters),
		cmocka_unit_test(messages_stay_one_line_whatever_the_keys_are),
		cmocka_unit_test(a_list_is_read_element_by_element),
		cmocka_unit_test(the_rest_is_the_file_without_the_list),
		cmocka_unit_test(a_refusal_in_a_list_names_its_place_in_the_file),
		cmocka_unit_test(an_element_is_bounded_and_a_list_is_not),
	};

	return cmocka_run_group_tests_name("json", tests, NULL, NULL);
}
