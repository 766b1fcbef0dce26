/* SPDX-License-Identifier: Zlib */
/*
 * Telling the kernel what to forget. Inodes and names go out from threads of their own: a name
 * waits for its directory's lock, which a request holds that may be waiting for an inode to be
 * forgotten.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "fuse/front.h"

struct notice {
	struct notice *next;
	struct job *then; /* NULL: nobody waits */
	uint64_t parent;  /* of a name */
	char *name;       /* NULL: inodes */
	size_t n;
	uint64_t inos[];
};

struct line {
	struct front *front;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	struct notice *first, **end;
	bool stop;
};

struct notifier {
	struct line inodes, names;
};

static void send(const struct front *f, const struct notice *o)
{
	/* -ENOENT: the kernel does not hold it, which is what we want. */
	if (o->name)
		(void)fuse_lowlevel_notify_inval_entry(f->se, o->parent, o->name, strlen(o->name));
	for (size_t i = 0; i < o->n; i++)
		(void)fuse_lowlevel_notify_inval_inode(f->se, o->inos[i], 0, 0);
}

static void finish(const struct front *f, struct notice *o)
{
	if (o->then)
		pool_return(f->pool, o->then);
	free(o->name);
	free(o);
}

static void *run(void *arg)
{
	struct line *l = arg;
	struct notice *o;

	pthread_mutex_lock(&l->lock);
	for (;;) {
		bool stop;

		while (!l->first && !l->stop)
			pthread_cond_wait(&l->wake, &l->lock);
		o = l->first;
		if (!o)
			break;
		l->first = o->next;
		if (!l->first)
			l->end = &l->first;
		stop = l->stop;
		pthread_mutex_unlock(&l->lock);
		if (!stop)
			send(l->front, o);
		finish(l->front, o);
		pthread_mutex_lock(&l->lock);
	}
	pthread_mutex_unlock(&l->lock);
	return NULL;
}

static int line_start(struct line *l, struct front *f)
{
	sigset_t all, old;
	int r;

	*l = (struct line){.front = f};
	l->end = &l->first;
	pthread_mutex_init(&l->lock, NULL);
	pthread_cond_init(&l->wake, NULL);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	r = pthread_create(&l->thread, NULL, run, l);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return -r;
}

static void line_stop(struct line *l)
{
	pthread_mutex_lock(&l->lock);
	l->stop = true;
	pthread_cond_signal(&l->wake);
	pthread_mutex_unlock(&l->lock);
	pthread_join(l->thread, NULL);
	pthread_cond_destroy(&l->wake);
	pthread_mutex_destroy(&l->lock);
}

static void line_add(struct line *l, struct notice *o)
{
	o->next = NULL;
	pthread_mutex_lock(&l->lock);
	*l->end = o;
	l->end = &o->next;
	pthread_cond_signal(&l->wake);
	pthread_mutex_unlock(&l->lock);
}

int notifier_start(struct front *f, struct error *e)
{
	struct notifier *t = calloc(1, sizeof(*t));
	int r = t ? line_start(&t->inodes, f) : -ENOMEM;

	if (r == 0) {
		r = line_start(&t->names, f);
		if (r < 0)
			line_stop(&t->inodes);
	}
	if (r < 0) {
		free(t);
		return error_set(e, r, "no thread can be made: %s", strerror(-r));
	}
	f->notifier = t;
	return 0;
}

void notifier_stop(struct front *f)
{
	struct notifier *t = f->notifier;

	if (!t)
		return;
	line_stop(&t->inodes);
	line_stop(&t->names);
	free(t);
	f->notifier = NULL;
}

void front_invalidate(struct vfs_host *h, const uint64_t *inos, size_t n, struct job *then)
{
	struct front *f = (struct front *)h;
	struct notice *o = f->notifier ? calloc(1, sizeof(*o) + n * sizeof(*inos)) : NULL;

	if (!o) {
		pool_return(f->pool, then);
		return;
	}
	o->then = then;
	o->n = n;
	if (n)
		memcpy(o->inos, inos, n * sizeof(*inos));
	line_add(&f->notifier->inodes, o);
}

void front_forget_name(struct vfs_host *h, uint64_t parent, const char *name, struct job *then)
{
	struct front *f = (struct front *)h;
	struct notice *o = f->notifier ? calloc(1, sizeof(*o)) : NULL;

	if (o)
		o->name = strdup(name);
	if (!o || !o->name) {
		free(o);
		if (then)
			pool_return(f->pool, then);
		return;
	}
	o->parent = parent;
	o->then = then;
	line_add(&f->notifier->names, o);
}
