/* SPDX-License-Identifier: Zlib */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "fuse/front.h"

struct notice {
	struct notice *next;
	struct job *then;
	size_t n;
	uint64_t inos[];
};

struct notifier {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	struct notice *first, **end;
	bool stop;
};

static void send(const struct front *f, const struct notice *o)
{
	/* -ENOENT: the kernel does not hold it, which is what we want. */
	for (size_t i = 0; i < o->n; i++)
		(void)fuse_lowlevel_notify_inval_inode(f->se, o->inos[i], 0, 0);
}

static void *run(void *arg)
{
	struct front *f = arg;
	struct notifier *t = f->notifier;
	struct notice *o;

	pthread_mutex_lock(&t->lock);
	for (;;) {
		bool stop;

		while (!t->first && !t->stop)
			pthread_cond_wait(&t->wake, &t->lock);
		o = t->first;
		if (!o)
			break;
		t->first = o->next;
		if (!t->first)
			t->end = &t->first;
		stop = t->stop;
		pthread_mutex_unlock(&t->lock);
		if (!stop)
			send(f, o);
		pool_return(f->pool, o->then);
		free(o);
		pthread_mutex_lock(&t->lock);
	}
	pthread_mutex_unlock(&t->lock);
	return NULL;
}

int notifier_start(struct front *f, struct error *e)
{
	struct notifier *t = calloc(1, sizeof(*t));
	sigset_t all, old;
	int r;

	if (!t)
		return error_set(e, -ENOMEM, "out of memory");
	pthread_mutex_init(&t->lock, NULL);
	pthread_cond_init(&t->wake, NULL);
	t->end = &t->first;
	f->notifier = t;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	r = pthread_create(&t->thread, NULL, run, f);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (r) {
		f->notifier = NULL;
		free(t);
		return error_set(e, -r, "no thread can be made: %s", strerror(r));
	}
	return 0;
}

void notifier_stop(struct front *f)
{
	struct notifier *t = f->notifier;

	if (!t)
		return;
	pthread_mutex_lock(&t->lock);
	t->stop = true;
	pthread_cond_signal(&t->wake);
	pthread_mutex_unlock(&t->lock);
	pthread_join(t->thread, NULL);
	pthread_cond_destroy(&t->wake);
	pthread_mutex_destroy(&t->lock);
	free(t);
	f->notifier = NULL;
}

void front_invalidate(struct vfs_host *h, const uint64_t *inos, size_t n, struct job *then)
{
	struct front *f = (struct front *)h;
	struct notifier *t = f->notifier;
	struct notice *o = t ? malloc(sizeof(*o) + n * sizeof(*inos)) : NULL;

	if (!o) {
		pool_return(f->pool, then);
		return;
	}
	o->next = NULL;
	o->then = then;
	o->n = n;
	if (n)
		memcpy(o->inos, inos, n * sizeof(*inos));
	pthread_mutex_lock(&t->lock);
	*t->end = o;
	t->end = &o->next;
	pthread_cond_signal(&t->wake);
	pthread_mutex_unlock(&t->lock);
}
