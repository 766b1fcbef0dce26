/* SPDX-License-Identifier: Zlib */
#include "support/util.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "base/budget.h"

struct object {
	struct budget_slot slot;
	uint8_t mark;
	size_t size;
	int fail;
	atomic_int loads;
	atomic_int loading;
	atomic_bool twice; /* two loads of this object ran at once */
};

static int load(void *arg, struct bytes **ret, struct error *e)
{
	struct object *o = arg;
	uint8_t *to;

	atomic_fetch_add(&o->loads, 1);
	if (atomic_fetch_add(&o->loading, 1) != 0)
		atomic_store(&o->twice, true);
	if (!o->fail) {
		*ret = bytes_new(o->size, &to);
		memset(to, o->mark, o->size);
	}
	atomic_fetch_sub(&o->loading, 1);
	return o->fail ? error_set(e, o->fail, "object %d", o->mark) : 0;
}

static struct bytes *get(struct budget *b, struct object *o)
{
	struct bytes *v = NULL;

	assert_int_equal(budget_get(b, &o->slot, load, o, &v, NULL), 0);
	assert_int_equal(v->size, o->size);
	assert_int_equal(v->data[0], o->mark);
	return v;
}

static void drops_the_least_recently_used(void **state)
{
	CLEANUP(budget_destroy) struct budget *b = budget_create(30);
	struct object o[4] = {{.size = 10, .mark = 1}, {.size = 10, .mark = 2},
		{.size = 10, .mark = 3}, {.size = 10, .mark = 4}};

	(void)state;
	for (int i = 0; i < 3; i++)
		bytes_unref(get(b, &o[i]));
	assert_int_equal(budget_used(b), 30);
	bytes_unref(get(b, &o[0]));
	bytes_unref(get(b, &o[3]));
	assert_int_equal(budget_used(b), 30);
	/* The second object was the oldest, so the others are not loaded again. */
	bytes_unref(get(b, &o[0]));
	bytes_unref(get(b, &o[2]));
	assert_int_equal(o[0].loads, 1);
	assert_int_equal(o[2].loads, 1);
	bytes_unref(get(b, &o[1]));
	assert_int_equal(o[1].loads, 2);
	for (int i = 0; i < 4; i++)
		budget_drop(b, &o[i].slot);
	assert_int_equal(budget_used(b), 0);
}

static void held_values_stay_and_count(void **state)
{
	CLEANUP(budget_destroy) struct budget *b = budget_create(15);
	struct object o[3] = {
		{.size = 10, .mark = 1}, {.size = 10, .mark = 2}, {.size = 10, .mark = 3}};
	struct bytes *held[3];

	(void)state;
	for (int i = 0; i < 3; i++)
		held[i] = get(b, &o[i]);
	assert_int_equal(budget_used(b), 30);
	bytes_unref(get(b, &o[0]));
	assert_int_equal(o[0].loads, 1);
	for (int i = 0; i < 3; i++)
		bytes_unref(held[i]);
	assert_int_equal(budget_used(b), 10);
	for (int i = 0; i < 3; i++)
		budget_drop(b, &o[i].slot);
}

static struct bytes *get_kept(struct budget *b, struct object *o)
{
	struct bytes *v = NULL;

	assert_int_equal(budget_get_kept(b, &o->slot, load, o, &v, NULL), 0);
	return v;
}

static void recently_used_parts_are_kept_outside_the_limit(void **state)
{
	enum { N = BUDGET_KEPT + 2, LARGE = BUDGET_KEPT_SIZE / 4 };
	CLEANUP(budget_destroy) struct budget *b = budget_create(5);
	struct object parts[N] = {0}, whole = {.size = 5, .mark = 1};
	struct object large[5] = {0};

	(void)state;
	for (int i = 0; i < N; i++) {
		parts[i].size = 10;
		bytes_unref(get_kept(b, &parts[i]));
	}
	assert_int_equal(budget_used(b), BUDGET_KEPT * 10);
	bytes_unref(get(b, &whole));
	bytes_unref(get(b, &whole));
	assert_int_equal(whole.loads, 1);
	/* Part 2 was just used, so part 3 is dropped instead. */
	bytes_unref(get_kept(b, &parts[2]));
	bytes_unref(get_kept(b, &parts[0]));
	assert_int_equal(parts[0].loads, 2);
	bytes_unref(get_kept(b, &parts[2]));
	assert_int_equal(parts[2].loads, 1);
	bytes_unref(get_kept(b, &parts[3]));
	assert_int_equal(parts[3].loads, 2);
	for (int i = 0; i < N; i++)
		budget_drop(b, &parts[i].slot);
	for (int i = 0; i < 5; i++) {
		large[i].size = LARGE;
		bytes_unref(get_kept(b, &large[i]));
	}
	bytes_unref(get(b, &whole));
	assert_int_equal(budget_used(b), 5 + 4 * (size_t)LARGE);
	for (int i = 0; i < 5; i++)
		budget_drop(b, &large[i].slot);
	budget_drop(b, &whole.slot);
}

/* A load that announces how much it will take. */
struct announced {
	struct object o; /* first */
	struct budget *b;
	size_t used;          /* size of the cache during the load */
	atomic_size_t *taken; /* sum over all loads that run now */
	atomic_bool *beyond;  /* the sum exceeded the limit at some time */
};

static int load_announced(void *arg, struct bytes **ret, struct error *e)
{
	const struct timespec a_moment = {.tv_nsec = 20 * 1000 * 1000};
	struct announced *a = arg;

	budget_make_room(a->b, &a->o.slot, a->o.size);
	a->used = budget_used(a->b);
	if (a->taken) {
		if (atomic_fetch_add(a->taken, a->o.size) + a->o.size > budget_limit(a->b))
			atomic_store(a->beyond, true);
		nanosleep(&a_moment, NULL);
		atomic_fetch_sub(a->taken, a->o.size);
	}
	return load(&a->o, ret, e);
}

static void space_is_freed_before_a_load(void **state)
{
	CLEANUP(budget_destroy) struct budget *b = budget_create(30);
	struct object o[3] = {
		{.size = 10, .mark = 1}, {.size = 10, .mark = 2}, {.size = 10, .mark = 3}};
	struct announced a = {.o = {.size = 20, .mark = 4}, .b = b};
	struct bytes *v = NULL;

	(void)state;
	for (int i = 0; i < 3; i++)
		bytes_unref(get(b, &o[i]));
	assert_int_equal(budget_get(b, &a.o.slot, load_announced, &a, &v, NULL), 0);
	bytes_unref(v);
	assert_int_equal(a.used, 10);
	assert_int_equal(budget_used(b), 30);
	/* The loads took no more than is cached now. */
	bytes_unref(get(b, &o[0]));
	assert_int_equal(budget_used(b), 30);
	for (int i = 0; i < 3; i++)
		budget_drop(b, &o[i].slot);
	budget_drop(b, &a.o.slot);
	/* A failed load takes nothing. */
	a.o.fail = -EIO;
	assert_int_equal(budget_get(b, &a.o.slot, load_announced, &a, &v, NULL), -EIO);
	for (int i = 0; i < 3; i++)
		bytes_unref(get(b, &o[i]));
	assert_int_equal(budget_used(b), 30);
	for (int i = 0; i < 3; i++)
		budget_drop(b, &o[i].slot);
}

static void *get_announced(void *arg)
{
	struct announced *a = arg;
	struct bytes *v = NULL;

	if (budget_get(a->b, &a->o.slot, load_announced, a, &v, NULL) == 0)
		bytes_unref(v);
	return NULL;
}

static void concurrent_loads_share_the_limit(void **state)
{
	enum { THREADS = 4 };
	CLEANUP(budget_destroy) struct budget *b = budget_create(30);
	struct announced all[THREADS];
	atomic_size_t taken = 0;
	atomic_bool beyond = false;
	pthread_t threads[THREADS];

	(void)state;
	for (int i = 0; i < THREADS; i++) {
		all[i] = (struct announced){.o = {.size = 14, .mark = (uint8_t)i},
			.b = b,
			.taken = &taken,
			.beyond = &beyond};
		assert_int_equal(pthread_create(&threads[i], NULL, get_announced, &all[i]), 0);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	assert_false(beyond);
	for (int i = 0; i < THREADS; i++) {
		assert_int_equal(all[i].o.loads, 1);
		budget_drop(b, &all[i].o.slot);
	}
}

static void a_dropped_value_lives_as_long_as_its_holder(void **state)
{
	CLEANUP(budget_destroy) struct budget *b = budget_create(100);
	struct object o = {.size = 10, .mark = 7};
	struct bytes *v;

	(void)state;
	v = get(b, &o);
	budget_drop(b, &o.slot);
	assert_int_equal(budget_used(b), 0);
	assert_int_equal(v->data[9], 7);
	bytes_unref(v);
	budget_drop(b, &o.slot);
}

static void failures_are_reported_and_not_cached(void **state)
{
	CLEANUP(budget_destroy) struct budget *b = budget_create(100);
	struct object o = {.size = 10, .mark = 9, .fail = -EIO};
	struct error e = ERROR_INIT;
	struct bytes *v = NULL;

	(void)state;
	assert_int_equal(budget_get(b, &o.slot, load, &o, &v, &e), -EIO);
	assert_string_equal(error_text(&e), "object 9");
	assert_null(v);
	o.fail = 0;
	bytes_unref(get(b, &o));
	assert_int_equal(o.loads, 2);
	budget_drop(b, &o.slot);
}

enum { OBJECTS = 8, SIZE = 1000, THREADS = 4, ROUNDS = 3000 };

struct crowd {
	struct budget *budget;
	struct object objects[OBJECTS];
	pthread_barrier_t start;
	atomic_bool wrong;
};

static void *member(void *arg)
{
	struct crowd *c = arg;
	uint8_t picks[ROUNDS];

	fill_bytes(picks, sizeof(picks), (uint32_t)(uintptr_t)&picks);
	pthread_barrier_wait(&c->start);
	for (int i = 0; i < ROUNDS; i++) {
		struct object *o = &c->objects[picks[i] % OBJECTS];
		struct bytes *v;

		if (budget_get(c->budget, &o->slot, load, o, &v, NULL) < 0 ||
			v->data[SIZE - 1] != o->mark)
			atomic_store(&c->wrong, true);
		/* At most the limit and one value held by each thread. */
		if (budget_used(c->budget) > (3 + THREADS) * SIZE)
			atomic_store(&c->wrong, true);
		bytes_unref(v);
		if (picks[i] > 250)
			budget_drop(c->budget, &o->slot);
	}
	return NULL;
}

static void threads_stay_within_the_limit(void **state)
{
	struct crowd c = {.budget = budget_create(3 * SIZE)};
	pthread_t threads[THREADS];

	(void)state;
	pthread_barrier_init(&c.start, NULL, THREADS);
	for (int i = 0; i < OBJECTS; i++) {
		c.objects[i].size = SIZE;
		c.objects[i].mark = (uint8_t)(i + 1);
	}
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, member, &c), 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	assert_false(c.wrong);
	assert_true(budget_used(c.budget) <= 3 * SIZE);
	for (int i = 0; i < OBJECTS; i++) {
		assert_false(c.objects[i].twice);
		budget_drop(c.budget, &c.objects[i].slot);
	}
	assert_int_equal(budget_used(c.budget), 0);
	budget_destroy(c.budget);
	pthread_barrier_destroy(&c.start);
}

struct slow {
	struct budget *budget;
	struct budget_slot slot;
	atomic_int loads;
	atomic_int asking;
};

static int slow_load(void *arg, struct bytes **ret, struct error *e)
{
	struct slow *s = arg;

	(void)e;
	atomic_fetch_add(&s->loads, 1);
	/* Wait for all threads, so that the others meet a load that is running. */
	while (atomic_load(&s->asking) < THREADS)
		sched_yield();
	*ret = bytes_copy("slow", 4);
	return 0;
}

static void *ask_slow(void *arg)
{
	struct slow *s = arg;
	struct bytes *v = NULL;

	atomic_fetch_add(&s->asking, 1);
	if (budget_get(s->budget, &s->slot, slow_load, s, &v, NULL) < 0)
		return NULL;
	return v;
}

static void concurrent_requests_share_one_load(void **state)
{
	struct slow s = {.budget = budget_create(100)};
	pthread_t threads[THREADS];
	void *got[THREADS];

	(void)state;
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, ask_slow, &s), 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], &got[i]);
	assert_int_equal(s.loads, 1);
	for (int i = 0; i < THREADS; i++) {
		assert_ptr_equal(got[i], got[0]);
		bytes_unref(got[i]);
	}
	budget_drop(s.budget, &s.slot);
	budget_destroy(s.budget);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(drops_the_least_recently_used),
		cmocka_unit_test(held_values_stay_and_count),
		cmocka_unit_test(recently_used_parts_are_kept_outside_the_limit),
		cmocka_unit_test(space_is_freed_before_a_load),
		cmocka_unit_test(concurrent_loads_share_the_limit),
		cmocka_unit_test(a_dropped_value_lives_as_long_as_its_holder),
		cmocka_unit_test(failures_are_reported_and_not_cached),
		cmocka_unit_test(threads_stay_within_the_limit),
		cmocka_unit_test(concurrent_requests_share_one_load),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
