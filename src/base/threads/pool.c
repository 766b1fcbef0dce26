/* SPDX-License-Identifier: Zlib */
#include "base/threads/pool.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/eventfd.h>

struct queue {
	struct job *first;
	struct job **end;
};

struct pool {
	pthread_mutex_t lock;
	pthread_cond_t work_added; /* submitted is not empty, or the pool is stopping */
	pthread_cond_t job_ended;  /* a job has ended, or pool_submit_done was called */
	struct queue submitted;    /* jobs that have not started */
	struct queue finished;     /* jobs that wait for pool_complete */
	unsigned n_submitted;      /* length of submitted */
	unsigned n_idle;           /* threads that wait for a job, or are about to take one */
	unsigned n_pending;        /* see pool_count_pending */
	bool is_stopping;
	bool is_awaited; /* the end of the last pending job makes event_fd readable */
	int event_fd;
	unsigned n_threads, threads_max;
	pthread_t threads[];
};

static void queue_init(struct queue *q)
{
	q->first = NULL;
	q->end = &q->first;
}

static void queue_add(struct queue *q, struct job *j)
{
	j->next = NULL;
	*q->end = j;
	q->end = &j->next;
}

static struct job *queue_take(struct queue *q)
{
	struct job *j = q->first;

	if (j) {
		q->first = j->next;
		if (!q->first)
			q->end = &q->first;
	}
	return j;
}

static void signal_fd(struct pool *p)
{
	uint64_t one = 1;

	if (!p->threads_max)
		return;
	/* write fails only if the counter is at its maximum: the descriptor is readable then. */
	if (write(p->event_fd, &one, sizeof(one)) < 0)
		return;
}

/* Queue a job for pool_complete. Call with the lock held. */
static void add_finished(struct pool *p, struct job *j)
{
	queue_add(&p->finished, j);
	signal_fd(p);
}

/* Run the first submitted job, if any. Call with the lock held; it is released during the run. */
static bool run_next_job(struct pool *p)
{
	struct job *j = queue_take(&p->submitted);
	bool has_done;

	if (!j)
		return false;
	p->n_submitted--;
	pthread_mutex_unlock(&p->lock);
	has_done = j->done;
	/* If it has no done, run frees the job. */
	j->run(j);
	pthread_mutex_lock(&p->lock);
	if (has_done)
		add_finished(p, j);
	else if (--p->n_pending == 0 && p->is_awaited)
		signal_fd(p);
	pthread_cond_signal(&p->job_ended);
	return true;
}

static void *run_worker(void *arg)
{
	struct pool *p = arg;
	bool ran;

	pthread_mutex_lock(&p->lock);
	do {
		while (!p->submitted.first && !p->is_stopping)
			pthread_cond_wait(&p->work_added, &p->lock);
		p->n_idle--;
		ran = run_next_job(p);
		p->n_idle += ran;
	} while (ran);
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

static bool start_thread(struct pool *p)
{
	sigset_t all, before;
	int r;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	r = pthread_create(&p->threads[p->n_threads], NULL, run_worker, p);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (r) {
		errno = r;
		return false;
	}
	p->n_threads++;
	p->n_idle++;
	return true;
}

struct pool *pool_create(unsigned threads)
{
	CLEANUP(pool_destroy)
	struct pool *p = calloc(1, sizeof(*p) + threads * sizeof(p->threads[0]));

	if (!p)
		return NULL;
	queue_init(&p->submitted);
	queue_init(&p->finished);
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->work_added, NULL);
	pthread_cond_init(&p->job_ended, NULL);
	p->event_fd = eventfd(threads ? 0 : 1, EFD_CLOEXEC | EFD_NONBLOCK);
	p->threads_max = threads;
	/* Start one thread, without which no job would run. pool_submit starts the others. */
	if (p->event_fd < 0 || (threads && !start_thread(p)))
		return NULL;
	return TAKE(p);
}

/* Wait for all jobs, including those that `done` functions submit, and stop the threads. */
static void drain_jobs(struct pool *p)
{
	pthread_mutex_lock(&p->lock);
	while (p->n_pending) {
		while (p->threads_max && p->n_pending && !p->finished.first)
			pthread_cond_wait(&p->job_ended, &p->lock);
		pthread_mutex_unlock(&p->lock);
		pool_complete(p);
		pthread_mutex_lock(&p->lock);
	}
	p->is_stopping = true;
	pthread_cond_broadcast(&p->work_added);
	pthread_mutex_unlock(&p->lock);
}

void pool_destroy(struct pool *p)
{
	if (!p)
		return;
	drain_jobs(p);
	for (unsigned i = 0; i < p->n_threads; i++)
		pthread_join(p->threads[i], NULL);
	pthread_cond_destroy(&p->job_ended);
	pthread_cond_destroy(&p->work_added);
	pthread_mutex_destroy(&p->lock);
	if (p->event_fd >= 0)
		close(p->event_fd);
	free(p);
}

void pool_submit(struct pool *p, struct job *j)
{
	pthread_mutex_lock(&p->lock);
	p->n_pending++;
	queue_add(&p->submitted, j);
	p->n_submitted++;
	if (p->n_submitted > p->n_idle && p->n_threads < p->threads_max)
		(void)start_thread(p);
	pthread_mutex_unlock(&p->lock);
	/* Signal after the unlock, so that the woken thread does not wait for the lock. */
	pthread_cond_signal(&p->work_added);
}

void pool_submit_done(struct pool *p, struct job *j)
{
	pthread_mutex_lock(&p->lock);
	p->n_pending++;
	add_finished(p, j);
	pthread_cond_signal(&p->job_ended);
	pthread_mutex_unlock(&p->lock);
}

int pool_fd(const struct pool *p)
{
	return p->event_fd;
}

void pool_complete(struct pool *p)
{
	struct queue mine;
	struct job *j;
	uint64_t count;

	queue_init(&mine);
	pthread_mutex_lock(&p->lock);
	/* Without threads, run the jobs here. */
	while (!p->threads_max && run_next_job(p))
		;
	if (p->finished.first) {
		mine.first = p->finished.first;
		queue_init(&p->finished);
	}
	if (p->threads_max && read(p->event_fd, &count, sizeof(count)) < 0)
		count = 0; /* no job was finished */
	pthread_mutex_unlock(&p->lock);

	while ((j = queue_take(&mine))) {
		void (*done)(struct job *) = j->done;

		pthread_mutex_lock(&p->lock);
		p->n_pending--;
		pthread_mutex_unlock(&p->lock);
		/* done may free the job or submit it again. */
		if (done)
			done(j);
	}
}

unsigned pool_count_pending(struct pool *p)
{
	unsigned n;

	pthread_mutex_lock(&p->lock);
	n = p->n_pending;
	p->is_awaited = n != 0;
	pthread_mutex_unlock(&p->lock);
	return n;
}
