/* SPDX-License-Identifier: Zlib */
#include "support/util.h"

#include "base/cursor.h"

static void reads_little_endian_fields(void **state)
{
	static const uint8_t raw[] = {0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0xfe, 0xff, 0xff,
		0xff, 1, 2, 3, 4, 5, 6, 7, 0x80, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
	struct cursor c = cursor_init(raw, sizeof(raw));

	(void)state;
	assert_int_equal(cursor_u8(&c), 1);
	assert_int_equal(cursor_u16(&c), 0x0302);
	assert_int_equal(cursor_u32(&c), 0x07060504);
	assert_int_equal(cursor_i32(&c), -2);
	assert_true(cursor_u64(&c) == 0x8007060504030201);
	assert_true(cursor_i64(&c) == -1);
	assert_int_equal(cursor_left(&c), 0);
	assert_false(c.is_bad);
}

static void reads_past_the_end_give_zero_and_an_error_that_stays(void **state)
{
	static const uint8_t raw[] = {1, 2, 3, 4, 5};
	struct cursor c = cursor_init(raw, sizeof(raw));

	(void)state;
	assert_int_equal(cursor_u32(&c), 0x04030201);
	assert_int_equal(cursor_u32(&c), 0);
	assert_true(c.is_bad);
	/* One byte is left, but the cursor stays bad after the first short read. */
	assert_int_equal(cursor_u8(&c), 0);
	assert_int_equal(cursor_left(&c), 0);
	assert_null(cursor_take(&c, 0));
}

static void take_stays_within_the_bytes(void **state)
{
	static const uint8_t raw[3] = {1, 2, 3};
	struct cursor c = cursor_init(raw, 3);
	struct cursor empty = cursor_init(NULL, 0);

	(void)state;
	assert_ptr_equal(cursor_take(&c, 3), raw);
	assert_non_null(cursor_take(&c, 0));
	assert_non_null(cursor_take(&empty, 0));
	c = cursor_init(raw, 3);
	assert_int_equal(cursor_u16(&c), 0x0201);
	assert_null(cursor_take(&c, SIZE_MAX));
	assert_true(c.is_bad);
}

static void single_values_round_trip(void **state)
{
	uint8_t raw[4];

	(void)state;
	store_u32(raw, 0xfedcba98);
	assert_int_equal(raw[0], 0x98);
	assert_int_equal(raw[3], 0xfe);
	assert_int_equal(load_u32(raw), 0xfedcba98);
	assert_int_equal(load_i32(raw), -0x01234568);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_little_endian_fields),
		cmocka_unit_test(reads_past_the_end_give_zero_and_an_error_that_stays),
		cmocka_unit_test(take_stays_within_the_bytes),
		cmocka_unit_test(single_values_round_trip),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
