/* SPDX-License-Identifier: Zlib */
/*
 * base/threads/pool.h on the owner's thread only, linked instead of the real one: jobs run one
 * after the other when the owner completes them. So a sequence of steps always has the same result,
 * and tens of thousands of them take a few seconds. concurrent.c tests several threads.
 */
#include "base/threads/pool.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

struct pool {
	struct job *first, **end;
	struct job *back, **back_end;
	unsigned pending;
	int wakeup; /* always readable: the owner does not wait */
};

struct pool *pool_create(unsigned threads)
{
	struct pool *p = calloc(1, sizeof(*p));

	(void)threads;
	if (!p)
		return NULL;
	p->end = &p->first;
	p->back_end = &p->back;
	p->wakeup = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);
	return p;
}

void pool_destroy(struct pool *p)
{
	if (!p)
		return;
	while (p->pending)
		pool_complete(p);
	close(p->wakeup);
	free(p);
}

static void append_job(struct job ***end, struct job *j)
{
	j->next = NULL;
	**end = j;
	*end = &j->next;
}

static struct job *take_first_job(struct job **first, struct job ***end)
{
	struct job *j = *first;

	if (j && !(*first = j->next))
		*end = first;
	return j;
}

void pool_submit(struct pool *p, struct job *j)
{
	p->pending++;
	append_job(&p->end, j);
}

void pool_submit_done(struct pool *p, struct job *j)
{
	p->pending++;
	append_job(&p->back_end, j);
}

int pool_fd(const struct pool *p)
{
	return p->wakeup;
}

void pool_complete(struct pool *p)
{
	struct job *j;

	while ((j = take_first_job(&p->first, &p->end))) {
		bool has_done = j->done;

		j->run(j);
		if (has_done)
			append_job(&p->back_end, j);
		else
			p->pending--;
	}
	while ((j = take_first_job(&p->back, &p->back_end))) {
		p->pending--;
		j->done(j);
	}
}

unsigned pool_count_pending(struct pool *p)
{
	return p->pending;
}
