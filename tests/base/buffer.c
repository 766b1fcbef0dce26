/* SPDX-License-Identifier: Zlib */
#include "support/util.h"

#include <errno.h>
#include <string.h>

#include "base/buffer.h"

static void finish_returns_all_appended_bytes(void **state)
{
	static const uint8_t want[] = "ab-007\x01\x02\x01\x04\x03\x02\x01"
				      "\x08\x07\x06\x05\x04\x03\x02\x01z";
	CLEANUP_BUFFER struct buffer b = BUFFER_INIT;
	CLEANUP(bytes_unref) struct bytes *got = NULL;
	uint8_t *room;

	(void)state;
	buffer_text(&b, "ab");
	buffer_printf(&b, "-%03d", 7);
	buffer_byte(&b, 1);
	buffer_u16(&b, 0x0102);
	buffer_u32(&b, 0x01020304);
	buffer_u64(&b, 0x0102030405060708);
	room = buffer_reserve(&b, 1000);
	assert_non_null(room);
	room[0] = 'z';
	b.size++;
	assert_int_equal(buffer_finish(&b, &got), 0);
	assert_true(bytes_equal_data(got, want, sizeof(want) - 1));
	assert_null(b.data);
	assert_int_equal(b.size, 0);
}

static void growth_keeps_the_content(void **state)
{
	CLEANUP_BUFFER struct buffer b = BUFFER_INIT;
	CLEANUP(bytes_unref) struct bytes *got = NULL;
	uint8_t want[100000];

	(void)state;
	fill_bytes(want, sizeof(want), 1);
	for (size_t i = 0, n = 1; i < sizeof(want); i += n, n = i % 777 + 1) {
		if (n > sizeof(want) - i)
			n = sizeof(want) - i;
		buffer_append(&b, want + i, n);
		if (i + n == sizeof(want))
			break;
	}
	assert_int_equal(buffer_finish(&b, &got), 0);
	assert_true(bytes_equal_data(got, want, sizeof(want)));
}

static void an_error_stays_until_finish(void **state)
{
	CLEANUP_BUFFER struct buffer b = BUFFER_INIT;
	struct bytes *got = NULL;

	(void)state;
	buffer_text(&b, "abc");
	assert_null(buffer_reserve(&b, SIZE_MAX / 2));
	buffer_text(&b, "def");
	assert_int_equal(b.size, 3);
	assert_int_equal(buffer_finish(&b, &got), -ENOMEM);
	assert_null(got);
	/* finish clears the error. */
	buffer_text(&b, "x");
	assert_int_equal(buffer_finish(&b, &got), 0);
	assert_true(bytes_equal_data(got, "x", 1));
	bytes_unref(got);
}

static void an_empty_buffer_gives_empty_bytes(void **state)
{
	CLEANUP_BUFFER struct buffer b = BUFFER_INIT;
	CLEANUP(bytes_unref) struct bytes *got = NULL;

	(void)state;
	buffer_append(&b, NULL, 0);
	assert_int_equal(buffer_finish(&b, &got), 0);
	assert_int_equal(got->size, 0);
	assert_non_null(got->data);
}

static void a_size_beyond_memory_is_refused(void **state)
{
	static const uint64_t sizes[] = {
		UINT64_MAX,
		SIZE_MAX,
		SIZE_MAX - 8,
#if SIZE_MAX < UINT64_MAX
		(UINT64_C(1) << 32) + 1, /* 1 if it is converted to a 32-bit size_t */
#endif
	};

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		assert_null(bytes_new(sizes[i], NULL));
		assert_null(bytes_resize(NULL, sizes[i], NULL));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finish_returns_all_appended_bytes),
		cmocka_unit_test(growth_keeps_the_content),
		cmocka_unit_test(an_error_stays_until_finish),
		cmocka_unit_test(an_empty_buffer_gives_empty_bytes),
		cmocka_unit_test(a_size_beyond_memory_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
