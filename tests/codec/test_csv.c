/* SPDX-License-Identifier: Zlib */
#include "support/codec_test.h"

#include <stdio.h>

#include "codec/text/csv.h"

static struct error err;

enum { GIVEN_STRIDE = 5 };

struct table {
	struct csv_shape shape;
	int32_t *cells;
	uint64_t n; /* number of cells that were given or taken */
};

static uint8_t given[CSV_RUN * GIVEN_STRIDE];

/* Gives the values as bytes if all of them fit. */
static int give_cells(void *arg, uint64_t first, size_t n, struct csv_values *ret, struct error *e)
{
	struct table *t = arg;

	(void)e;
	assert_true(n <= CSV_RUN && first + n <= (uint64_t)t->shape.width * t->shape.height);
	*ret = (struct csv_values){given, GIVEN_STRIDE, false};
	for (size_t i = 0; i < n; i++) {
		int32_t value = t->cells[first + i];

		given[i * GIVEN_STRIDE] = (uint8_t)value;
		given[i * GIVEN_STRIDE + 1] = (uint8_t)((uint32_t)value >> 8);
		ret->is_wide |= value != (uint8_t)value;
	}
	t->n += n;
	return 0;
}

static int take_cells(void *arg, uint64_t first, const int32_t *cells, size_t n, struct error *e)
{
	struct table *t = arg;

	(void)e;
	assert_int_equal(first, t->n);
	assert_true(first + n <= (uint64_t)t->shape.width * t->shape.height);
	memcpy(t->cells + first, cells, n * sizeof(*cells));
	t->n += n;
	return 0;
}

static void a_small_table_has_the_documented_form(void **state)
{
	int32_t bytes[] = {0, 7, 255, 10, 99, 100};
	int32_t words[] = {-32768, 32767, 0, -1};
	struct table t3 = {{3, 2, 3}, bytes, 0}, t6 = {{2, 2, 6}, words, 0};
	char got[64] = "";

	(void)state;
	assert_int_equal(csv_size(&t3.shape), 24);
	assert_ok(csv_read(&t3.shape, give_cells, &t3, 0, got, 24, &err));
	assert_string_equal(got, "  0,  7,255\n 10, 99,100\n");
	memset(got, 0, sizeof(got));
	assert_int_equal(csv_size(&t6.shape), 28);
	assert_ok(csv_read(&t6.shape, give_cells, &t6, 0, got, 28, &err));
	assert_string_equal(got, "-32768, 32767\n     0,    -1\n");
}

static void sizes_that_overflow_saturate(void **state)
{
	struct csv_shape large = {UINT32_MAX, UINT32_MAX, 3};
	struct csv_shape fits = {INT32_MAX, INT32_MAX, 3};

	(void)state;
	assert_true(csv_size(&large) == UINT64_MAX);
	assert_true(csv_size(&fits) == (uint64_t)INT32_MAX * INT32_MAX * 4);
}

/* The whole table as printf writes it. */
static char *print_table(const struct table *t, size_t *ret_n)
{
	char *text = malloc((size_t)csv_size(&t->shape) + 1), *p = text;
	const int32_t *cell = t->cells;

	for (uint32_t y = 0; y < t->shape.height; y++) {
		for (uint32_t x = 0; x < t->shape.width; x++)
			p += sprintf(p, "%*d%c", (int)t->shape.cell, *cell++,
				x + 1 == t->shape.width ? '\n' : ',');
	}
	*ret_n = (size_t)(p - text);
	return text;
}

static struct table random_table(uint32_t width, uint32_t height, uint32_t cell)
{
	struct table t = {{width, height, cell}, calloc((size_t)width * height, 4), 0};
	uint64_t seed = width + height + cell;

	for (size_t i = 0; i < (size_t)width * height; i++) {
		uint64_t v = next_random(&seed) >> 16;

		t.cells[i] = cell == 3     ? (int32_t)(v % 256)
			     : v >> 32 & 1 ? (int32_t)(v % 2048) - 1024
					   : (int32_t)(v % 65536) - 32768;
	}
	return t;
}

static const struct csv_shape shapes[] = {{1, 1, 3}, {1, 700, 6}, {700, 1, 3}, {100, 37, 3},
	{33, 65, 6}, {2049, 3, 3}, {9001, 5, 3}, {301, 101, 6}};

#define N_SHAPES (sizeof(shapes) / sizeof(*shapes))

static void a_range_read_equals_that_part_of_the_table(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_SHAPES; i++) {
		struct table t = random_table(shapes[i].width, shapes[i].height, shapes[i].cell);
		size_t size;
		char *want = print_table(&t, &size), *got = malloc(size);
		uint64_t seed = 5;

		assert_int_equal(csv_size(&t.shape), size);
		assert_ok(csv_read(&t.shape, give_cells, &t, 0, got, size, &err));
		assert_memory_equal(got, want, size);
		for (int k = 0; k < 500; k++) {
			size_t off = (size_t)(next_random(&seed) % (size + 1));
			size_t n = (size_t)(next_random(&seed) % (size - off + 1));

			if (k % 2 && n > 20)
				n = 20;
			t.n = 0;
			assert_ok(csv_read(&t.shape, give_cells, &t, off, got, n, &err));
			assert_memory_equal(got, want + off, n);
			/* Only cells that the range touches are asked for. */
			assert_true(t.n <= n / (t.shape.cell + 1) + 2);
		}
		free(want);
		free(got);
		free(t.cells);
	}
}

static void reading_past_the_end_and_values_too_wide_are_errors(void **state)
{
	int32_t cell = 1000;
	struct table t = {{1, 1, 3}, &cell, 0};
	char got[8];

	(void)state;
	assert_fails(csv_read(&t.shape, give_cells, &t, 0, got, 5, &err), EINVAL, "past the end");
	assert_fails(csv_read(&t.shape, give_cells, &t, 5, got, 0, &err), EINVAL, "past the end");
	assert_fails(csv_read(&t.shape, give_cells, &t, 0, got, 4, &err), EIO, "1000 does not fit");
	cell = -100;
	assert_fails(csv_read(&t.shape, give_cells, &t, 0, got, 4, &err), EIO, "-100");
	cell = -99;
	assert_ok(csv_read(&t.shape, give_cells, &t, 0, got, 4, &err));
	assert_memory_equal(got, "-99\n", 4);
}

static int parse(const char *text, size_t n, struct table *t, int32_t min, int32_t max)
{
	CLEANUP_EXTENT struct extent x = extent_of(text, n);

	t->n = 0;
	return csv_parse(&x, &t->shape, min, max, take_cells, t, &err);
}

static void written_tables_parse_to_the_same_values(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_SHAPES; i++) {
		struct table t = random_table(shapes[i].width, shapes[i].height, shapes[i].cell);
		size_t size, cells = (size_t)t.shape.width * t.shape.height;
		struct table got = {t.shape, calloc(cells, 4), 0};
		char *text = print_table(&t, &size);

		assert_ok(parse(text, size, &got, -32768, 32767));
		assert_int_equal(got.n, cells);
		assert_memory_equal(got.cells, t.cells, cells * 4);
		assert_ok(parse(text, size - 1, &got, -32768, 32767));
		free(text);
		free(got.cells);
		free(t.cells);
	}
}

#define PARSE(text) parse(text, sizeof(text) - 1, &t, -5, 255)

static void blanks_quotes_crlf_and_a_missing_end_are_accepted(void **state)
{
	int32_t cells[4];
	struct table t = {{2, 2, 3}, cells, 0};
	static const char *const texts[] = {
		"1,2\n3,4\n",
		"1,2\n3,4",
		"1,2\r\n3,4\r\n",
		"1,2\r\n3,4\r",
		" 1 ,\t2 \n3,4  ",
		"\"1\",\"2\"\n\"3\",\"4\"",
		"\" 1 \", \"2\" \n001,0002\n",
		"  1,  2\n  3,  4\n  ",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		memset(cells, 0x55, sizeof(cells));
		assert_ok(parse(texts[i], strlen(texts[i]), &t, -5, 255));
		assert_int_equal(cells[0], 1);
		assert_int_equal(cells[1], 2);
		if (i != 6)
			assert_int_equal(cells[3], 4);
	}
	assert_ok(PARSE("-5,-0\n255,0"));
	assert_int_equal(cells[0], -5);
	assert_int_equal(cells[1], 0);
}

static void other_forms_are_refused_with_their_place(void **state)
{
	int32_t cells[4];
	struct table t = {{2, 2, 3}, cells, 0};

	(void)state;
	assert_fails(PARSE("1,2\n3,256\n"), EINVAL, "line 2, column 2: 256 is not -5..255");
	assert_fails(PARSE("1,2\n-6,2\n"), EINVAL, "line 2, column 1: -6 is not -5..255");
	assert_fails(PARSE("1,2\n3,99999999999999999999\n"), EINVAL, "too large");
	assert_fails(PARSE("1\n3,4\n"), EINVAL, "line 1 has 1 columns (must be 2)");
	assert_fails(
		PARSE("1,2,3\n3,4\n"), EINVAL, "line 1, column 3: it has 3 columns (must be 2)");
	assert_fails(PARSE("1,2\n3,4,5,6,7\n"), EINVAL,
		"line 2, column 3: it has 5 columns (must be 2)");
	assert_fails(PARSE("1,2,\n3,4\n"), EINVAL, "line 1, column 3");
	assert_fails(PARSE("1,2\n"), EINVAL, "has 1 lines (must be 2)");
	assert_fails(PARSE(""), EINVAL, "has 0 lines (must be 2)");
	assert_fails(PARSE("1,2\n3,4\n5,6\n"), EINVAL, "line 3, column 1: the table has 2 lines");
	assert_fails(PARSE("1,2\n3,4\n\n"), EINVAL, "line 3, column 1: the table has 2 lines");
	assert_fails(PARSE("1,2\n\n3,4\n"), EINVAL, "line 2, column 1: missing number");
	assert_fails(PARSE("1,\n3,4\n"), EINVAL, "line 1, column 2: missing number");
	assert_fails(PARSE(",2\n3,4\n"), EINVAL, "line 1, column 1: missing number");
	assert_fails(PARSE("1;2\n3,4\n"), EINVAL, "line 2, column 1: ',' is not part");
	assert_fails(PARSE("1,2\n3;4\n"), EINVAL, "line 2, column 1: ';' is not part");
	assert_fails(PARSE("\xef\xbb\xbf\xef\xbb\xbf"
			   "1,2\n3,4\n"),
		EINVAL, "byte ef");
	assert_fails(PARSE("1.5,2\n3,4\n"), EINVAL, "'.'");
	assert_fails(PARSE("+1,2\n3,4\n"), EINVAL, "'+'");
	assert_fails(PARSE("1,a\n3,4\n"), EINVAL, "line 1, column 2: 'a'");
	assert_fails(PARSE("1,\0\n3,4\n"), EINVAL, "byte 00");
	assert_fails(PARSE("1,\xff\n3,4\n"), EINVAL, "byte ff");
	assert_fails(PARSE("1 2,2\n3,4\n"), EINVAL, "missing comma");
	assert_fails(PARSE("- 1,2\n3,4\n"), EINVAL, "missing number after the minus");
	assert_fails(PARSE("-,2\n3,4\n"), EINVAL, "missing number");
	assert_fails(PARSE("--1,2\n3,4\n"), EINVAL, "'-'");
	assert_fails(PARSE("1-,2\n3,4\n"), EINVAL, "'-'");
	assert_fails(PARSE("\"1,2\n3,4\n"), EINVAL, "unclosed quote");
	assert_fails(PARSE("1\",2\n3,4\n"), EINVAL, "quote");
	assert_fails(PARSE("\"\",2\n3,4\n"), EINVAL, "quote");
	assert_fails(PARSE("\"1\"\",2\n3,4\n"), EINVAL, "quote");
	assert_fails(PARSE("\"1\"2,2\n3,4\n"), EINVAL, "missing comma");
	assert_fails(PARSE("1\r,2\n3,4\n"), EINVAL, "carriage return");
	assert_fails(PARSE("1,2\r\r\n3,4\n"), EINVAL, "carriage return");
}

static int refuse_cells(void *arg, uint64_t first, const int32_t *cells, size_t n, struct error *e)
{
	(void)arg;
	(void)first;
	(void)cells;
	(void)n;
	return error_set(e, -ENOSPC, "no room for cells");
}

static void a_refusal_by_the_callback_is_returned(void **state)
{
	CLEANUP_EXTENT struct extent x = extent_of("1,2\n", 4);
	struct csv_shape shape = {2, 1, 3};

	(void)state;
	assert_fails(csv_parse(&x, &shape, 0, 9, refuse_cells, NULL, &err), ENOSPC, "no room");
}

/* Forms written by spreadsheets of other countries and by other programs. */
/* Add a blank before each separator: the same table without any plain cell. */
static size_t add_blanks(const char *text, size_t n, char *to)
{
	size_t k = 0;

	for (size_t i = 0; i < n; i++) {
		if (strchr(",;\n", text[i]))
			to[k++] = ' ';
		to[k++] = text[i];
	}
	return k;
}

static void plain_and_other_cells_give_the_same_faults(void **state)
{
	static const char marks[] = "0123456789 ,;\n-\"x\t";
	struct table t = random_table(5, 4, 6);
	size_t size, refused = 0;
	uint64_t seed = 11;
	char *text;

	(void)state;
	for (size_t i = 0; i < 20; i++)
		t.cells[i] %= 10000;
	text = print_table(&t, &size);
	for (int i = 0; i < 20000; i++) {
		int32_t a[20] = {0}, b[20] = {0};
		struct table plain = {t.shape, a, 0}, other = {t.shape, b, 0};
		char changed[200], spread[400], why[sizeof(err.text)];
		int r;

		memcpy(changed, text, size);
		for (int k = 0; k < 1 + i % 3; k++)
			changed[next_random(&seed) % size] =
				marks[next_random(&seed) % (sizeof(marks) - 1)];
		err = (struct error)ERROR_INIT;
		r = parse(changed, size, &plain, -9999, 32767);
		strcpy(why, err.text);
		err = (struct error)ERROR_INIT;
		assert_int_equal(
			r, parse(spread, add_blanks(changed, size, spread), &other, -9999, 32767));
		/* A lone minus has another message; the place is the same. */
		assert_int_equal(strncmp(why, err.text, strcspn(why, ":")), 0);
		if (r == 0)
			assert_memory_equal(a, b, sizeof(a));
		refused += r < 0;
	}
	assert_in_range(refused, 1000, 19000);
	free(text);
	free(t.cells);
}

static void other_separators_and_a_byte_order_mark_are_accepted(void **state)
{
	static const char *const texts[] = {"1;2\r\n3;4\r\n", "1\t2\n3\t4\n", "1,\t2\n3\t,4\n",
		"\"1\"\t\"2\"\n\"3\"\t-4\n", " 1 \t 2\n3\t4", "\xef\xbb\xbf\"1\";2\n3;4\n"};
	int32_t cells[4];
	struct table t = {{2, 2, 3}, cells, 0};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		assert_ok(parse(texts[i], strlen(texts[i]), &t, -5, 255));
		assert_int_equal(t.n, 4);
		assert_int_equal(cells[0] + 10 * cells[1] + 100 * cells[2], 321);
		assert_int_equal(abs(cells[3]), 4);
	}
}

static int measure(const char *text, struct csv_shape *ret)
{
	CLEANUP_EXTENT struct extent x = extent_of(text, strlen(text));

	return csv_measure(&x, -5, 255, ret, &err);
}

static void the_size_of_a_table_is_measured(void **state)
{
	struct csv_shape shape;

	(void)state;
	assert_ok(measure("1,2,3\n4,5,6", &shape));
	assert_int_equal(shape.width, 3);
	assert_int_equal(shape.height, 2);
	assert_ok(measure("7", &shape));
	assert_int_equal(shape.width, 1);
	assert_int_equal(shape.height, 1);
	assert_fails(measure("", &shape), EINVAL, "no lines");
	assert_fails(measure("1,2\n3\n", &shape), EINVAL, "line 2 has 1 columns (must be 2)");
	assert_fails(measure("1,2\n3,4,5,6\n", &shape), EINVAL,
		"line 2, column 3: it has 4 columns (must be 2), unlike line 1");
	assert_fails(measure("1,2\n3,256\n", &shape), EINVAL, "256 is not -5..255");
	assert_fails(measure("1,2\n\n", &shape), EINVAL, "missing number");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_small_table_has_the_documented_form),
		cmocka_unit_test(sizes_that_overflow_saturate),
		cmocka_unit_test(a_range_read_equals_that_part_of_the_table),
		cmocka_unit_test(reading_past_the_end_and_values_too_wide_are_errors),
		cmocka_unit_test(written_tables_parse_to_the_same_values),
		cmocka_unit_test(blanks_quotes_crlf_and_a_missing_end_are_accepted),
		cmocka_unit_test(other_forms_are_refused_with_their_place),
		cmocka_unit_test(a_refusal_by_the_callback_is_returned),
		cmocka_unit_test(plain_and_other_cells_give_the_same_faults),
		cmocka_unit_test(other_separators_and_a_byte_order_mark_are_accepted),
		cmocka_unit_test(the_size_of_a_table_is_measured),
	};

	return cmocka_run_group_tests_name("csv", tests, NULL, NULL);
}
