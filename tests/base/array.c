/* SPDX-License-Identifier: Zlib */
#include "base/array.h"

#include "base/refs.h"
#include "support/util.h"

static void elements_stay_when_the_array_grows(void **state)
{
	CLEANUP(free) uint32_t *items = NULL;
	uint32_t n = 0, room = 0;

	(void)state;
	while (n < 100000) {
		assert_true(array_reserve(items, n, room));
		assert_true(n < room);
		items[n] = n;
		n++;
	}
	for (uint32_t i = 0; i < n; i++)
		assert_int_equal(items[i], i);
}

static void an_uncountable_size_is_refused(void **state)
{
	CLEANUP(free) char *items = NULL;
	uint8_t n = 0, room = 0;

	(void)state;
	while (array_reserve(items, n, room))
		n++;
	assert_int_equal(n, 128); /* does not fit a byte when doubled */
	assert_int_equal(room, 128);
	assert_non_null(items);
}

static void failed_growth_changes_nothing(void **state)
{
	struct {
		char bytes[1024];
	} *items = NULL, *before;
	volatile size_t absurd = SIZE_MAX / 1024 - 1; /* The compiler must not know the value. */
	size_t n, room = 0;

	(void)state;
	assert_true(array_reserve(items, 0, room));
	before = items;

	n = room = absurd;
	assert_false(array_reserve(items, n, room));
	assert_ptr_equal(items, before);
	assert_int_equal(room, absurd);
	free(items);
}

static void drop_reports_the_last_reference(void **state)
{
	atomic_uint refs;

	(void)state;
	atomic_init(&refs, 1);
	refs_take(&refs);
	assert_false(refs_drop(&refs));
	assert_true(refs_drop(&refs));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(elements_stay_when_the_array_grows),
		cmocka_unit_test(an_uncountable_size_is_refused),
		cmocka_unit_test(failed_growth_changes_nothing),
		cmocka_unit_test(drop_reports_the_last_reference),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
