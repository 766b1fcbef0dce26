/* SPDX-License-Identifier: Zlib */
#include "base/hash.h"

#include <stdio.h>

#include "support/util.h"

enum { THINGS = 10000 };

struct thing {
	unsigned number;
	struct hash_link link; /* not first */
};

static struct thing *find_thing(const struct hash *h, unsigned number)
{
	struct hash_link *l = hash_find(h, hash_number(number));

	while (l && container_of(l, struct thing, link)->number != number)
		l = hash_find_next(l);
	return l ? container_of(l, struct thing, link) : NULL;
}

static void added_elements_are_found(void **state)
{
	static struct thing things[THINGS];
	struct hash h = {0};

	(void)state;
	assert_null(find_thing(&h, 0));
	for (unsigned i = 0; i < THINGS; i++) {
		things[i].number = i;
		assert_true(hash_reserve(&h));
		hash_add(&h, &things[i].link, hash_number(i));
	}
	for (unsigned i = 0; i < THINGS; i += 3)
		hash_remove(&h, &things[i].link);
	for (unsigned i = 0; i < THINGS; i++)
		assert_ptr_equal(find_thing(&h, i), i % 3 ? &things[i] : NULL);
	assert_int_equal(h.n, THINGS - (THINGS + 2) / 3);
	hash_finish(&h);
}

static void a_walk_visits_each_element_once_and_allows_removal(void **state)
{
	static struct thing things[THINGS];
	struct hash h = {0};
	unsigned n = 0;

	(void)state;
	assert_null(hash_next(&h, NULL));
	for (unsigned i = 0; i < THINGS; i++) {
		assert_true(hash_reserve(&h));
		hash_add(&h, &things[i].link, hash_number(i));
	}
	for (struct hash_link *l = hash_next(&h, NULL), *next; l; l = next) {
		struct thing *t = container_of(l, struct thing, link);

		next = hash_next(&h, l);
		assert_int_equal(t->number++, 0);
		n++;
		hash_remove(&h, l);
	}
	assert_int_equal(n, THINGS);
	assert_int_equal(h.n, 0);
	assert_null(hash_next(&h, NULL));
	hash_finish(&h);
}

/*
 * Many similar numbers and names do not share a chain; otherwise, work on all of them takes
 * quadratic time.
 */
static void chains_stay_short(void **state)
{
	static struct thing things[THINGS];
	struct hash h = {0};
	char name[32];

	(void)state;
	for (int text = 0; text < 2; text++) {
		unsigned longest = 0;

		for (unsigned i = 0; i < THINGS; i++) {
			snprintf(name, sizeof(name), "FILE%05u.TXT", i);
			assert_true(hash_reserve(&h));
			hash_add(&h, &things[i].link,
				text ? hash_text(7, name) : hash_number((uint64_t)i << 20));
		}
		for (size_t i = 0; i < h.n_heads; i++) {
			unsigned n = 0;

			for (const struct hash_link *l = h.heads[i]; l; l = l->next)
				n++;
			longest = n > longest ? n : longest;
		}
		assert_in_range(longest, 1, 16);
		hash_finish(&h);
	}
}

static void hashes_of_names_ignore_case(void **state)
{
	(void)state;
	assert_true(hash_text(1, "Foo.Dat") == hash_text(1, "FOO.DAT"));
	assert_true(hash_text(1, "FOO.DAT") != hash_text(2, "FOO.DAT"));
	assert_true(hash_text(1, "FOO.DAT") != hash_text(1, "FOO.DAU"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(added_elements_are_found),
		cmocka_unit_test(a_walk_visits_each_element_once_and_allows_removal),
		cmocka_unit_test(chains_stay_short),
		cmocka_unit_test(hashes_of_names_ignore_case),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
