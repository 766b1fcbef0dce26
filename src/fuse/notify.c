/* SPDX-License-Identifier: Zlib */
/*
 * Telling the kernel what to forget. Inodes and names go out from threads of their own: a name
 * waits for its directory's lock, which a request holds that may be waiting for an inode to be
 * forgotten.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "fuse/front.h"

struct notifier {
	struct pool *inodes, *names; /* of one thread each, so that what is told stays in order */
	atomic_bool stop;
};

struct notice {
	struct job job; /* first */
	struct front *front;
	struct job *then; /* NULL: nobody waits */
	uint64_t parent;  /* of a name */
	char *name;       /* NULL: inodes */
	size_t n;
	uint64_t inos[];
};

static void send(struct job *j)
{
	struct notice *o = (struct notice *)j;
	struct front *f = o->front;
	bool stop = f->notifier->stop;

	/* -ENOENT: the kernel does not hold it, which is what we want. */
	if (o->name && !stop)
		(void)fuse_lowlevel_notify_inval_entry(f->se, o->parent, o->name, strlen(o->name));
	for (size_t i = 0; i < o->n && !stop; i++)
		(void)fuse_lowlevel_notify_inval_inode(f->se, o->inos[i], 0, 0);
	if (o->then)
		pool_return(f->pool, o->then);
	free(o->name);
	free(o);
}

int notifier_start(struct front *f, struct error *e)
{
	struct notifier *t = calloc(1, sizeof(*t));

	f->notifier = t;
	if (t) {
		t->inodes = pool_create(1);
		t->names = pool_create(1);
	}
	if (t && t->inodes && t->names)
		return 0;
	notifier_stop(f);
	return error_set(e, -ENOMEM, "no thread can be made");
}

void notifier_stop(struct front *f)
{
	struct notifier *t = f->notifier;

	if (!t)
		return;
	t->stop = true;
	pool_destroy(t->inodes);
	pool_destroy(t->names);
	free(t);
	f->notifier = NULL;
}

/* A notice with room for n inodes; NULL: nobody is told, and `then` is on its way. */
static struct notice *notice_new(struct front *f, size_t n, struct job *then)
{
	struct notice *o = f->notifier ? calloc(1, sizeof(*o) + n * sizeof(*o->inos)) : NULL;

	if (!o) {
		if (then)
			pool_return(f->pool, then);
		return NULL;
	}
	o->job.run = send;
	o->front = f;
	o->then = then;
	return o;
}

void front_invalidate(struct vfs_host *h, const uint64_t *inos, size_t n, struct job *then)
{
	struct front *f = (struct front *)h;
	struct notice *o = notice_new(f, n, then);

	if (!o)
		return;
	o->n = n;
	if (n)
		memcpy(o->inos, inos, n * sizeof(*inos));
	pool_submit(f->notifier->inodes, &o->job);
}

void front_forget_name(struct vfs_host *h, uint64_t parent, const char *name, struct job *then)
{
	struct front *f = (struct front *)h;
	struct notice *o = notice_new(f, 0, then);

	if (!o)
		return;
	o->name = strdup(name);
	o->parent = parent;
	/* Without memory for the name nothing is told. */
	pool_submit(f->notifier->names, &o->job);
}
