/* SPDX-License-Identifier: Zlib */
#include "support/util.h"

#include <dirent.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#include "base/threads/pool.h"

enum { JOBS = 200, PATIENCE_MS = 60000 };

struct trace {
	struct pool *pool;
	pthread_t owner;
	int order[JOBS];
	int n_done;
	atomic_int n_run;
	bool wrong_thread;
	atomic_bool signals_open;
};

struct task {
	struct job job;
	struct trace *trace;
	int number;
	int again; /* number of times that the task submits itself again */
};

static void run_task(struct job *j)
{
	struct task *t = (struct task *)j;
	sigset_t mask;

	pthread_sigmask(SIG_BLOCK, NULL, &mask);
	if (pthread_equal(pthread_self(), t->trace->owner))
		t->trace->wrong_thread = true;
	if (!sigismember(&mask, SIGTERM) || !sigismember(&mask, SIGCHLD))
		atomic_store(&t->trace->signals_open, true);
	atomic_fetch_add(&t->trace->n_run, 1);
}

static void finish_task(struct job *j)
{
	struct task *t = (struct task *)j;
	struct trace *trace = t->trace;

	if (!pthread_equal(pthread_self(), trace->owner))
		trace->wrong_thread = true;
	trace->order[trace->n_done++] = t->number;
	if (t->again) {
		t->again--;
		pool_submit(trace->pool, j);
	}
}

static void run_and_free(struct job *j)
{
	run_task(j);
	free(j);
}

static void wait_readable(const struct pool *p)
{
	struct pollfd fd = {.fd = pool_fd(p), .events = POLLIN};

	assert_int_equal(poll(&fd, 1, -1), 1);
}

static bool readable(const struct pool *p)
{
	struct pollfd fd = {.fd = pool_fd(p), .events = POLLIN};

	return poll(&fd, 1, 0) == 1;
}

static void done_callbacks_run_on_the_owner(void **state)
{
	struct trace trace = {.owner = pthread_self()};
	struct task tasks[JOBS];
	CLEANUP(pool_destroy) struct pool *p = pool_create(3);

	(void)state;
	trace.pool = p;
	assert_false(readable(p));
	for (int i = 0; i < JOBS; i++) {
		tasks[i] = (struct task){
			.job = {run_task, finish_task, NULL}, .trace = &trace, .number = i};
		pool_submit(p, &tasks[i].job);
	}
	while (pool_count_pending(p)) {
		wait_readable(p);
		pool_complete(p);
	}
	assert_int_equal(trace.n_done, JOBS);
	assert_int_equal(trace.n_run, JOBS);
	assert_false(trace.wrong_thread);
	assert_false(trace.signals_open);
	assert_false(readable(p));
}

static void one_thread_keeps_the_order_of_jobs(void **state)
{
	struct trace trace = {.owner = pthread_self()};
	struct task tasks[JOBS];
	CLEANUP(pool_destroy) struct pool *p = pool_create(1);

	(void)state;
	for (int i = 0; i < JOBS; i++) {
		tasks[i] = (struct task){
			.job = {run_task, finish_task, NULL}, .trace = &trace, .number = i};
		pool_submit(p, &tasks[i].job);
	}
	pool_destroy(TAKE(p));
	assert_int_equal(trace.n_done, JOBS);
	for (int i = 0; i < JOBS; i++)
		assert_int_equal(trace.order[i], i);
}

static void destroy_runs_jobs_that_callbacks_submit(void **state)
{
	struct trace trace = {.owner = pthread_self()};
	struct task tasks[10];
	struct pool *p = pool_create(2);

	(void)state;
	trace.pool = p;
	for (int i = 0; i < 10; i++) {
		tasks[i] = (struct task){
			.job = {run_task, finish_task, NULL}, .trace = &trace, .again = 4};
		pool_submit(p, &tasks[i].job);
	}
	for (int i = 0; i < 10; i++) {
		struct task *t = malloc(sizeof(*t));

		*t = (struct task){.job = {run_and_free, NULL, NULL}, .trace = &trace};
		pool_submit(p, &t->job);
	}
	pool_destroy(p);
	assert_int_equal(trace.n_done, 50);
	assert_int_equal(trace.n_run, 60);
	pool_destroy(NULL);
}

static void a_job_submitted_as_done_only_runs_its_callback(void **state)
{
	struct trace trace = {.owner = pthread_self()};
	struct task t = {.job = {run_task, finish_task, NULL}, .trace = &trace, .number = 5};
	CLEANUP(pool_destroy) struct pool *p = pool_create(1);

	(void)state;
	pool_submit_done(p, &t.job);
	assert_true(readable(p));
	assert_int_equal(pool_count_pending(p), 1);
	assert_int_equal(trace.n_done, 0);
	pool_complete(p);
	assert_int_equal(trace.n_done, 1);
	assert_int_equal(trace.n_run, 0);
	assert_int_equal(pool_count_pending(p), 0);
}

struct gated_job {
	struct job job;
	atomic_bool go, ended;
};

static void run_gated_job(struct job *j)
{
	struct gated_job *h = (struct gated_job *)j;

	while (!atomic_load(&h->go))
		sched_yield();
	atomic_store(&h->ended, true);
}

/* Without a wakeup, a caller that waits for all jobs would not return. */
static void the_last_job_wakes_a_waiting_owner_without_a_callback(void **state)
{
	CLEANUP(pool_destroy) struct pool *p = pool_create(1);
	struct pollfd fd = {.fd = pool_fd(p), .events = POLLIN};
	struct gated_job h = {.job = {run_gated_job, NULL, NULL}};

	(void)state;
	pool_submit(p, &h.job);
	assert_int_equal(pool_count_pending(p), 1);
	atomic_store(&h.go, true);
	assert_int_equal(poll(&fd, 1, PATIENCE_MS), 1);
	pool_complete(p);
	assert_int_equal(pool_count_pending(p), 0);
}

/* A wakeup for each read would cost the owner time for nothing. */
static void a_job_without_a_callback_wakes_no_owner_that_does_not_wait(void **state)
{
	CLEANUP(pool_destroy) struct pool *p = pool_create(1);
	struct gated_job h = {.job = {run_gated_job, NULL, NULL}, .go = true};

	(void)state;
	pool_submit(p, &h.job);
	while (!atomic_load(&h.ended))
		sched_yield();
	/* The thread may still be busy with the job; nothing shows when it ends. */
	usleep(1000);
	assert_false(readable(p));
}

struct owner_job {
	struct job job;
	pthread_t ran;
	unsigned runs, dones;
	struct pool *pool;
};

static void run_on_owner(struct job *j)
{
	struct owner_job *h = (struct owner_job *)j;

	h->ran = pthread_self();
	h->runs++;
}

static void finish_on_owner(struct job *j)
{
	struct owner_job *h = (struct owner_job *)j;

	if (++h->dones < 3)
		pool_submit(h->pool, j);
}

static void without_threads_the_owner_runs_the_jobs(void **state)
{
	struct pool *p = pool_create(0);
	struct owner_job h = {.job = {run_on_owner, finish_on_owner, NULL}, .pool = p};
	struct pollfd fd = {.fd = pool_fd(p), .events = POLLIN};

	(void)state;
	pool_submit(p, &h.job);
	assert_int_equal(h.runs, 0);
	while (pool_count_pending(p)) {
		assert_int_equal(poll(&fd, 1, 0), 1);
		pool_complete(p);
	}
	assert_int_equal(h.runs, 3);
	assert_int_equal(h.dones, 3);
	assert_true(pthread_equal(h.ran, pthread_self()));
	h.dones = 1;
	pool_submit(p, &h.job);
	pool_destroy(p);
	assert_int_equal(h.runs, 5);
}

struct waiting_job {
	struct job job;
	pthread_mutex_t *gate;
};

static void wait_at_gate(struct job *j)
{
	struct waiting_job *h = (struct waiting_job *)j;

	pthread_mutex_lock(h->gate);
	pthread_mutex_unlock(h->gate);
}

static void no_done(struct job *j)
{
	(void)j;
}

static unsigned count_threads(void)
{
	struct dirent *d;
	DIR *dir = opendir("/proc/self/task");
	unsigned n = 0;

	assert_non_null(dir);
	while ((d = readdir(dir)))
		n += d->d_name[0] != '.';
	closedir(dir);
	return n;
}

static void a_thread_is_created_for_the_first_job(void **state)
{
	CLEANUP(pool_destroy) struct pool *p = pool_create(3);
	pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
	unsigned before = count_threads();
	struct waiting_job held[5];

	(void)state;
	assert_non_null(p);
	for (int round = 0; round < 2; round++) {
		pthread_mutex_lock(&gate);
		for (unsigned i = 0; i < 5; i++) {
			held[i] = (struct waiting_job){{wait_at_gate, no_done, NULL}, &gate};
			pool_submit(p, &held[i].job);
			if (round == 0 && i > 0)
				assert_int_equal(count_threads(), before + (i < 2 ? i : 2));
		}
		assert_int_equal(count_threads(), before + 2);
		pthread_mutex_unlock(&gate);
		while (pool_count_pending(p)) {
			wait_readable(p);
			pool_complete(p);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(done_callbacks_run_on_the_owner),
		cmocka_unit_test(a_thread_is_created_for_the_first_job),
		cmocka_unit_test(without_threads_the_owner_runs_the_jobs),
		cmocka_unit_test(one_thread_keeps_the_order_of_jobs),
		cmocka_unit_test(destroy_runs_jobs_that_callbacks_submit),
		cmocka_unit_test(a_job_submitted_as_done_only_runs_its_callback),
		cmocka_unit_test(the_last_job_wakes_a_waiting_owner_without_a_callback),
		cmocka_unit_test(a_job_without_a_callback_wakes_no_owner_that_does_not_wait),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
