/* SPDX-License-Identifier: Zlib */
#include "support/util.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>

#include "base/threads/parallel.h"

enum { MANY = 1000 };

struct calls_seen {
	atomic_uint calls[MANY];
	atomic_uint together; /* number of items that wait for each other */
	bool unblocked;       /* a thread other than the first does not block signals */
	pthread_t first;
};

static int run_item(void *arg, size_t i, struct error *e)
{
	struct calls_seen *s = arg;
	sigset_t mask;

	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	if (!pthread_equal(pthread_self(), s->first) && !sigismember(&mask, SIGTERM))
		s->unblocked = true;
	(void)e;
	atomic_fetch_add(&s->calls[i], 1);
	return 0;
}

static void each_item_runs_once(void **state)
{
	static const size_t counts[] = {0, 1, 2, 7, MANY};

	(void)state;
	for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); c++) {
		struct calls_seen s = {.first = pthread_self()};

		assert_int_equal(parallel_each(counts[c], run_item, &s, NULL), 0);
		for (size_t i = 0; i < MANY; i++)
			assert_int_equal(s.calls[i], i < counts[c]);
		assert_false(s.unblocked);
	}
}

/* Return when the other item has arrived. */
static int wait_for_other_item(void *arg, size_t i, struct error *e)
{
	struct calls_seen *s = arg;

	atomic_fetch_add(&s->calls[i], 1);
	atomic_fetch_add(&s->together, 1);
	while (atomic_load(&s->together) < 2)
		nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
	(void)e;
	return 0;
}

static void two_items_run_at_once_on_two_processors(void **state)
{
	struct calls_seen s = {.first = pthread_self()};
	cpu_set_t set;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(set), &set), 0);
	if (CPU_COUNT(&set) < 2)
		skip();
	assert_int_equal(parallel_each(2, wait_for_other_item, &s, NULL), 0);
	assert_int_equal(s.together, 2);
}

/* Of two items that fail, the higher one fails first. */
static int fail_higher_item_first(void *arg, size_t i, struct error *e)
{
	struct calls_seen *s = arg;

	atomic_fetch_add(&s->calls[i], 1);
	if (i == 10)
		nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
	return i == 10 || i == 11 ? error_set(e, i == 10 ? -EIO : -ENOMEM, "%zu", i) : 0;
}

static void the_failure_of_the_lowest_item_is_reported_and_ends_the_run(void **state)
{
	struct calls_seen s = {0};
	struct error e = ERROR_INIT;
	unsigned calls = 0;

	(void)state;
	assert_int_equal(parallel_each(MANY, fail_higher_item_first, &s, &e), -EIO);
	assert_int_equal(e.code, -EIO);
	assert_string_equal(e.text, "10");
	for (size_t i = 0; i < MANY; i++)
		calls += s.calls[i];
	assert_true(calls >= 11 && calls < MANY);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_item_runs_once),
		cmocka_unit_test(the_failure_of_the_lowest_item_is_reported_and_ends_the_run),
		cmocka_unit_test(two_items_run_at_once_on_two_processors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
