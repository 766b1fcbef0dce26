/* SPDX-License-Identifier: Zlib */
/*
 * pool: run jobs on worker threads, and their completion on the owner's thread.
 *
 * The pool calls a job's run on a worker thread. Then pool_complete calls its done on the owner's
 * thread. done may be NULL, and must not change once the job is submitted. The submitter owns the
 * job and frees it in done (or at the end of run, if done is NULL). Jobs start in the order in
 * which they were submitted; dones are called in the order in which their jobs ended. pool_submit
 * may be called on any thread, also in run and done.
 */
#pragma once

#include "base/cleanup.h"

struct pool;

struct job {
	void (*run)(struct job *j);
	void (*done)(struct job *j);
	struct job *next; /* for the pool */
};

/* Create a pool of at most `threads` threads, which block all signals. The first starts now, others
 * when more jobs wait than threads are idle. With 0 threads, jobs run on the owner's thread in
 * pool_complete, and pool_fd is always readable. Returns NULL and sets errno on failure. */
struct pool *pool_create(unsigned threads);
/* Wait for all jobs, also those that a done submits; call done on this thread; free the pool. */
void pool_destroy(struct pool *p);
DEFINE_CLEANUP(struct pool, pool_destroy);

void pool_submit(struct pool *p, struct job *j);
/* Queue a job for pool_complete without running it: its done, if any, is called. Any thread. */
void pool_submit_done(struct pool *p, struct job *j);
/* Return an eventfd that is readable while jobs wait for pool_complete. If pool_count_pending
 * returned nonzero, it is also readable after the last pending job ended, even without a done. */
int pool_fd(const struct pool *p);
/* Call done for all jobs that have ended. Owner only. */
void pool_complete(struct pool *p);
/* Number of submitted jobs that are not complete. A job is complete as soon as pool_complete takes
 * it, before its done; a job of pool_submit without a done, when its run ends. Owner only. */
unsigned pool_count_pending(struct pool *p);
