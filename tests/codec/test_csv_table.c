/* SPDX-License-Identifier: Zlib */
#include "support/codec_test.h"

#include "codec/text/csv_table.h"

#include <stdio.h>

static struct error err;
static const char *const header[] = {"x", "type", NULL};

/* Append "line:column=value" for each cell; values are from -5 to 300. */
static int gather(void *arg, const struct csv_cell *cell, struct error *e)
{
	char *all = arg;
	int64_t v;
	int r = csv_as_int(cell, -5, 300, &v, e);

	if (r == 0)
		sprintf(all + strlen(all), "%d:%u=%d ", (int)cell->line, cell->column, (int)v);
	return r;
}

static int gather_float(void *arg, const struct csv_cell *cell, struct error *e)
{
	char *all = arg;
	float f;
	int r = csv_as_float(cell, &f, e);

	if (r == 0)
		sprintf(all + strlen(all), "%g ", (double)f);
	return r;
}

static int read_table(const char *text, size_t n, csv_cell_fn take, char *all)
{
	CLEANUP_EXTENT struct extent x = extent_of(text, n);

	all[0] = '\0';
	return csv_table_read(&x, 2000, header, take, all, &err);
}

#define READ(text, all)        read_table(text, sizeof(text) - 1, gather, all)
#define READ_FLOATS(text, all) read_table(text, sizeof(text) - 1, gather_float, all)

static void cells_are_given_in_rows_with_their_place(void **state)
{
	char all[1000];

	(void)state;
	assert_ok(READ("x,type\n1,2\n-5,300\n", all));
	assert_string_equal(all, "2:0=1 2:1=2 3:0=-5 3:1=300 ");
	assert_ok(READ("x,type\n", all));
	assert_string_equal(all, "");
}

static void common_forms_of_tables_are_read(void **state)
{
	static const char *const forms[] = {"x,type\r\n1,2\r\n", "x,type\n1,2",
		" x ,\ttype\n 1,2\t", "\"x\",\"type\"\n\"1\",\" 2 \"\n",
		"x,type\n\n1,2\n \t\n\r\n"};
	char all[1000];

	(void)state;
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		assert_ok(read_table(forms[i], strlen(forms[i]), gather, all));
		assert_non_null(strstr(all, ":0=1 "));
		assert_non_null(strstr(all, ":1=2 "));
	}
	assert_ok(READ("", all));
	assert_string_equal(all, "");
}

static void refusals_name_line_column_and_cell(void **state)
{
	char all[1000], long_cell[200], big[3000];

	(void)state;
	assert_fails(READ("x,typ\n", all), EINVAL,
		"line 1, column 2: typ is not the name of this column (must be type)");
	assert_fails(READ("x\n", all), EINVAL, "line 1, column 2: missing cell");
	assert_fails(READ("\nx,type\n", all), EINVAL, "line 1, column 1: ");
	assert_fails(READ("x,type\n1\n", all), EINVAL, "line 2, column 2: missing cell");
	assert_fails(READ("x,type\n\n1,2,3\n", all), EINVAL, "line 3, column 3: too many cells");
	assert_fails(READ("x,type\n1,2,\n", all), EINVAL, "line 2, column 3: too many cells");
	assert_fails(READ("x,type\n1,301\n", all), EINVAL, "line 2, column 2: 301 is not -5..300");
	assert_fails(READ("x,type\n-6,1\n", all), EINVAL, "line 2, column 1: -6 is not -5..300");
	assert_fails(READ("x,type\n99999999999999999999,1\n", all), EINVAL, "column 1: 999999999");
	assert_fails(READ("x,type\n1,\n", all), EINVAL, "line 2, column 2: missing number");
	assert_fails(READ("x,type\n1;2\n", all), EINVAL, "line 2, column 1: 1;2 is not an integer");
	assert_fails(READ("x,type\n1,+2\n", all), EINVAL, "column 2: +2 is not an integer");
	assert_fails(READ("x,type\n1,0x2\n", all), EINVAL, "column 2: 0x2 is not an integer");
	assert_fails(READ("x,type\n1,2.0\n", all), EINVAL, "column 2: 2.0 is not an integer");
	assert_fails(READ("x,type\n1,-\n", all), EINVAL, "column 2: - is not an integer");
	assert_fails(READ("x,type\n1,\"2\n", all), EINVAL, "column 2: \"2 is not an integer");
	assert_fails(READ("x,type\n1,2\0\n", all), EINVAL, "column 2: 2? is not an integer");
	assert_fails(READ("x,type\n1\r2,2\n", all), EINVAL, "column 1: 1?2 is not an integer");
	sprintf(long_cell, "x,type\n1,%0100d", 2);
	assert_fails(read_table(long_cell, strlen(long_cell), gather, all), EINVAL,
		"000... is not an integer");
	memset(big, ' ', sizeof(big));
	assert_fails(read_table(big, sizeof(big), gather, all), EFBIG, "at most 2000");
}

static void floats_are_decimal_and_finite(void **state)
{
	char all[1000];

	(void)state;
	assert_ok(READ_FLOATS("x,type\n1.5,-2e3\n+7,.25\n", all));
	assert_string_equal(all, "1.5 -2000 7 0.25 ");
	assert_fails(READ_FLOATS("x,type\n1,nan\n", all), EINVAL, "column 2: nan is not a number");
	assert_fails(READ_FLOATS("x,type\n1,0x1p3\n", all), EINVAL, "0x1p3 is not a number");
	assert_fails(READ_FLOATS("x,type\n1,e\n", all), EINVAL, "column 2: e is not a number");
	assert_fails(READ_FLOATS("x,type\n1e39,1\n", all), EINVAL,
		"line 2, column 1: 1e39 does not fit a 32-bit float");
	assert_fails(READ_FLOATS("x,type\n1, \n", all), EINVAL, "column 2: missing number");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cells_are_given_in_rows_with_their_place),
		cmocka_unit_test(common_forms_of_tables_are_read),
		cmocka_unit_test(refusals_name_line_column_and_cell),
		cmocka_unit_test(floats_are_decimal_and_finite),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
