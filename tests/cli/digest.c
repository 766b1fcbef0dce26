/* SPDX-License-Identifier: Zlib */
/* Short values that represent contents. */
#include "../base/support/util.h"

#include <string.h>

#include "tools/compare/digest.h"

/* The expected values are the polynomial of digest.c, computed with integers of any size. */
static void the_value_is_the_same_on_every_machine(void **state)
{
	static const struct {
		const char *content;
		size_t n;
		uint64_t value;
	} cases[] = {
		{"", 0, 0},
		{"a", 1, UINT64_C(0x123456789abce50)},
		{"1234567", 7, UINT64_C(0x82e1c09f7e5d3ba)},
		{"12345678", 8, UINT64_C(0x18c4c1c6c2a45b15)},
		{"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 14,
			UINT64_C(0x892e3bf6a283ee)},
	};
	uint8_t bytes[3 * 256];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_true(digest_hash(cases[i].content, cases[i].n) == cases[i].value);
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)i;
	assert_true(digest_hash(bytes, sizeof(bytes)) == UINT64_C(0x1e52f7e4571f7d94));
}

static void different_contents_and_pieces_have_different_values(void **state)
{
	static const char *const contents[] = {
		"", "a", "b", "ab", "1234567", "12345678", "7654321"};
	const size_t n = sizeof(contents) / sizeof(contents[0]);
	struct digest pieces = {0}, whole;

	(void)state;
	assert_int_equal(digest_init(), 0);
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < n; k++) {
			struct digest x = digest_of(contents[i], strlen(contents[i]));
			struct digest y = digest_of(contents[k], strlen(contents[k]));

			assert_int_equal(digest_same(&x, &y), i == k);
		}
	}
	digest_add(&pieces, "1234567", 7);
	digest_add(&pieces, "8", 1);
	whole = digest_of("12345678", 8);
	assert_false(digest_same(&pieces, &whole));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_value_is_the_same_on_every_machine),
		cmocka_unit_test(different_contents_and_pieces_have_different_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
