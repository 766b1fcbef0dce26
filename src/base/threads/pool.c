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
	pthread_cond_t work;  /* todo is not empty, or stopping */
	pthread_cond_t ended; /* a job has run */
	struct queue todo;
	struct queue back;
	unsigned queued;  /* in todo */
	unsigned waiting; /* threads that have none, also those that were just made or woken */
	unsigned pending;
	bool stopping;
	bool awaited; /* somebody waits for the last of those that are pending */
	int wakeup;
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

static void wake(struct pool *p)
{
	uint64_t one = 1;

	if (!p->threads_max)
		return;
	/* It can fail only where the count is at its end, and then the descriptor is readable. */
	if (write(p->wakeup, &one, sizeof(one)) < 0)
		return;
}

/* With the lock held. */
static void way_back(struct pool *p, struct job *j)
{
	queue_add(&p->back, j);
	wake(p);
}

/* The first in todo; with the lock held, before and after. False: there is none. */
static bool run_next(struct pool *p)
{
	struct job *j = queue_take(&p->todo);
	bool has_done;

	if (!j)
		return false;
	p->queued--;
	pthread_mutex_unlock(&p->lock);
	has_done = j->done;
	/* Without a done, the job is gone when run returns. */
	j->run(j);
	pthread_mutex_lock(&p->lock);
	if (has_done)
		way_back(p, j);
	else if (--p->pending == 0 && p->awaited)
		wake(p);
	pthread_cond_signal(&p->ended);
	return true;
}

static void *worker(void *arg)
{
	struct pool *p = arg;
	bool ran;

	pthread_mutex_lock(&p->lock);
	do {
		while (!p->todo.first && !p->stopping)
			pthread_cond_wait(&p->work, &p->lock);
		p->waiting--;
		ran = run_next(p);
		p->waiting += ran;
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
	r = pthread_create(&p->threads[p->n_threads], NULL, worker, p);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (r) {
		errno = r;
		return false;
	}
	p->n_threads++;
	p->waiting++;
	return true;
}

struct pool *pool_create(unsigned threads)
{
	CLEANUP(pool_destroy)
	struct pool *p = calloc(1, sizeof(*p) + threads * sizeof(p->threads[0]));

	if (!p)
		return NULL;
	queue_init(&p->todo);
	queue_init(&p->back);
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->work, NULL);
	pthread_cond_init(&p->ended, NULL);
	p->wakeup = eventfd(threads ? 0 : 1, EFD_CLOEXEC | EFD_NONBLOCK);
	p->threads_max = threads;
	/* One, with which all goes on; the others when there is work for them. */
	if (p->wakeup < 0 || (threads && !start_thread(p)))
		return NULL;
	return TAKE(p);
}

/* Until nothing is on its way, what the dones submitted included. */
static void drain(struct pool *p)
{
	pthread_mutex_lock(&p->lock);
	while (p->pending) {
		while (p->threads_max && p->pending && !p->back.first)
			pthread_cond_wait(&p->ended, &p->lock);
		pthread_mutex_unlock(&p->lock);
		pool_complete(p);
		pthread_mutex_lock(&p->lock);
	}
	p->stopping = true;
	pthread_cond_broadcast(&p->work);
	pthread_mutex_unlock(&p->lock);
}

void pool_destroy(struct pool *p)
{
	if (!p)
		return;
	drain(p);
	for (unsigned i = 0; i < p->n_threads; i++)
		pthread_join(p->threads[i], NULL);
	pthread_cond_destroy(&p->ended);
	pthread_cond_destroy(&p->work);
	pthread_mutex_destroy(&p->lock);
	if (p->wakeup >= 0)
		close(p->wakeup);
	free(p);
}

void pool_submit(struct pool *p, struct job *j)
{
	pthread_mutex_lock(&p->lock);
	p->pending++;
	queue_add(&p->todo, j);
	p->queued++;
	if (p->queued > p->waiting && p->n_threads < p->threads_max)
		(void)start_thread(p);
	pthread_mutex_unlock(&p->lock);
	/* Not before: who is woken would wait for the lock. */
	pthread_cond_signal(&p->work);
}

void pool_return(struct pool *p, struct job *j)
{
	pthread_mutex_lock(&p->lock);
	p->pending++;
	way_back(p, j);
	pthread_cond_signal(&p->ended);
	pthread_mutex_unlock(&p->lock);
}

int pool_fd(const struct pool *p)
{
	return p->wakeup;
}

void pool_complete(struct pool *p)
{
	struct queue mine;
	struct job *j;
	uint64_t count;

	queue_init(&mine);
	pthread_mutex_lock(&p->lock);
	/* What a thread would do. */
	while (!p->threads_max && run_next(p))
		;
	if (p->back.first) {
		mine.first = p->back.first;
		queue_init(&p->back);
	}
	if (p->threads_max && read(p->wakeup, &count, sizeof(count)) < 0)
		count = 0; /* nothing waited */
	pthread_mutex_unlock(&p->lock);

	while ((j = queue_take(&mine))) {
		void (*done)(struct job *) = j->done;

		pthread_mutex_lock(&p->lock);
		p->pending--;
		pthread_mutex_unlock(&p->lock);
		/* The job may be freed by it, or submitted anew. */
		if (done)
			done(j);
	}
}

unsigned pool_pending(struct pool *p)
{
	unsigned n;

	pthread_mutex_lock(&p->lock);
	n = p->pending;
	p->awaited = n != 0;
	pthread_mutex_unlock(&p->lock);
	return n;
}
