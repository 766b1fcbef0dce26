/* SPDX-License-Identifier: Zlib */
#include "base/threads/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>

enum { THREADS_MAX = 64 };

struct parallel_run {
	size_t n;
	parallel_fn *fn;
	void *arg;
	pthread_mutex_t lock; /* protects the members below */
	size_t next, failed;  /* the next i; the lowest i that failed, or n */
	int code;
	struct error error;
};

static void *run_calls(void *arg)
{
	struct parallel_run *w = arg;

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

static int run_parallel(size_t threads_max, size_t n, parallel_fn *fn, void *arg, struct error *e)
{
	struct parallel_run w = {.n = n, .failed = n, .fn = fn, .arg = arg};
	size_t n_threads = count_processors(), n_started = 0;
	pthread_t threads[THREADS_MAX];
	sigset_t all_signals, before;

	n_threads = n_threads < n ? n_threads : n;
	n_threads = n_threads < threads_max ? n_threads : threads_max;
	pthread_mutex_init(&w.lock, NULL);
	/* The new threads inherit the mask: they must not receive signals. */
	sigfillset(&all_signals);
	pthread_sigmask(SIG_SETMASK, &all_signals, &before);
	while (n_started + 1 < n_threads &&
		pthread_create(&threads[n_started], NULL, run_calls, &w) == 0)
		n_started++;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	run_calls(&w);
	while (n_started)
		pthread_join(threads[--n_started], NULL);
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
