/* SPDX-License-Identifier: Zlib */
/*
 * pool: worker threads, and the way back to the owner.
 *
 * A job's run is called on a worker thread; then its done on the owner's thread, from
 * pool_complete. done may be NULL (decided before the job is submitted). The job belongs to its
 * submitter, who frees it in done (or, where done is NULL, at the end of run). Jobs start in the
 * order they were submitted, and dones are called in the order their jobs ended. pool_submit may be
 * called from any thread, run and done included.
 */
#pragma once

#include "base/cleanup.h"

struct pool;

struct job {
	void (*run)(struct job *j);
	void (*done)(struct job *j);
	struct job *next; /* the pool's */
};

/* At most so many threads, each made when it has work. All signals are blocked in them. Returns
 * NULL and sets errno if the first thread cannot be made. 0: jobs run on the owner's
 * thread, in pool_complete, and pool_fd is always readable; for who waits for each in any case. */
struct pool *pool_create(unsigned threads);
/* Waits for every job that was submitted, calls their done, joins the threads. */
void pool_destroy(struct pool *p);
DEFINE_CLEANUP(struct pool, pool_destroy);

void pool_submit(struct pool *p, struct job *j);
/* Puts a job straight on the way back: only its done is called. From any thread. */
void pool_return(struct pool *p, struct job *j);
/* An eventfd that is readable while jobs wait for pool_complete, and when the last one of all has
 * ended after pool_pending told that there were some. */
int pool_fd(const struct pool *p);
/* Owner: calls done for all that have run. */
void pool_complete(struct pool *p);
/* Jobs submitted or returned whose done has not been called yet. Owner only. */
unsigned pool_pending(struct pool *p);
