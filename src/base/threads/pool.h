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

/* Create a pool of at most `threads` threads, which are started when there is work and block all
 * signals. With 0 threads, jobs run on the owner's thread in pool_complete, and pool_fd is always
 * readable. Returns NULL and sets errno on failure, also if the first thread cannot be started. */
struct pool *pool_create(unsigned threads);
/* Wait for all jobs, call their done on this thread, and join the threads. */
void pool_destroy(struct pool *p);
DEFINE_CLEANUP(struct pool, pool_destroy);

void pool_submit(struct pool *p, struct job *j);
/* Queue a job for pool_complete without running it: only its done is called. Any thread. */
void pool_submit_done(struct pool *p, struct job *j);
/* Return an eventfd that is readable while jobs wait for pool_complete. If pool_count_pending
 * returned nonzero, it is also readable after the last pending job ended, even if that has no done.
 */
int pool_fd(const struct pool *p);
/* Call done for all jobs that have run. Owner only. */
void pool_complete(struct pool *p);
/* Number of jobs that were submitted or returned and have not completed yet: done was not called,
 * or run has not ended if there is no done. Owner only. */
unsigned pool_count_pending(struct pool *p);
