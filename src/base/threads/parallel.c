/* SPDX-License-Identifier: Zlib */
#include "base/threads/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>

enum { THREADS_MAX = 64 };

struct work {
	size_t n;
	parallel_fn *fn;
	void *arg;
	pthread_mutex_t lock; /* over the rest */
	size_t next, failed;  /* failed: n where none has */
	int code;
	struct error error;
};

static void *run_calls(void *arg)
{
	struct work *w = arg;

	pthread_mutex_lock(&w->lock);
	while (w->next < w->n && w->failed == w->n) {
		struct error e = ERROR_INIT;
		size_t i = w->next++;
		int r;

		pthread_mutex_unlock(&w->lock);
		r = w->fn(w->arg, i, &e);
		pthread_mutex_lock(&w->lock);
		if (r < 0 && i < w->failed) {
			w->failed = i;
			w->code = r;
			w->error = e;
		}
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

static size_t count_processors(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) == 0 ? (size_t)CPU_COUNT(&set) : 1;
}

/* By `most` threads. */
static int run_parallel(size_t most, size_t n, parallel_fn *fn, void *arg, struct error *e)
{
	struct work w = {.n = n, .failed = n, .fn = fn, .arg = arg};
	size_t all = count_processors(), begun = 0;
	pthread_t threads[THREADS_MAX];
	sigset_t none, before;

	all = all < n ? all : n;
	all = all < most ? all : most;
	pthread_mutex_init(&w.lock, NULL);
	/* Signals are for those who wait for them. */
	sigfillset(&none);
	pthread_sigmask(SIG_SETMASK, &none, &before);
	while (begun + 1 < all && pthread_create(&threads[begun], NULL, run_calls, &w) == 0)
		begun++;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	run_calls(&w);
	while (begun)
		pthread_join(threads[--begun], NULL);
	pthread_mutex_destroy(&w.lock);
	if (w.code && e)
		*e = w.error;
	return w.code;
}

int parallel_each(size_t n, parallel_fn *fn, void *arg, struct error *e)
{
	return run_parallel(PARALLEL_MAX, n, fn, arg, e);
}

int parallel_all(size_t n, parallel_fn *fn, void *arg, struct error *e)
{
	return run_parallel(THREADS_MAX, n, fn, arg, e);
}
