/* SPDX-License-Identifier: Zlib */
/*
 * Telling the kernel what to forget. Inodes and names go out from threads of their own: a name
 * waits for its directory's lock, which a request holds that may be waiting for an inode to be
 * forgotten.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fuse/session/session.h"

struct notice {
	struct job job; /* first */
	struct session *front;
	struct job *then; /* NULL: nobody waits */
	uint64_t parent;  /* of a name */
	char *name;       /* NULL: inodes */
	size_t n;
	uint64_t inos[];
};

static void send(struct job *j)
{
	struct notice *o = (struct notice *)j;
	struct session *f = o->front;
	bool silent = f->is_silent;

	/* -ENOENT: the kernel does not hold it, which is what we want. */
	if (o->name && !silent)
		(void)fuse_lowlevel_notify_inval_entry(
			f->fuse, o->parent, o->name, strlen(o->name));
	for (size_t i = 0; i < o->n && !silent; i++)
		(void)fuse_lowlevel_notify_inval_inode(f->fuse, o->inos[i], 0, 0);
	if (o->then)
		pool_return(f->pool, o->then);
	free(o->name);
	free(o);
}

int notifiers_start(struct session *f)
{
	f->inode_notifier = pool_create(1);
	if (f->inode_notifier)
		f->name_notifier = pool_create(1);
	return f->name_notifier ? 0 : -errno;
}

void notifiers_stop(struct session *f)
{
	f->is_silent = true;
	pool_destroy(TAKE(f->inode_notifier));
	pool_destroy(TAKE(f->name_notifier));
}

/* Of n inodes, or of a name. Without memory for it nothing is told. */
static void notify(struct pool *by, const struct notice *what, const uint64_t *inos)
{
	struct notice *o = by ? malloc(sizeof(*o) + what->n * sizeof(*inos)) : NULL;

	if (!o) {
		free(what->name);
		if (what->then)
			pool_return(what->front->pool, what->then);
		return;
	}
	*o = *what;
	o->job.run = send;
	for (size_t i = 0; i < o->n; i++)
		o->inos[i] = inos[i];
	pool_submit(by, &o->job);
}

void session_invalidate(struct vfs_host *h, const uint64_t *inos, size_t n, struct job *then)
{
	struct session *f = (struct session *)h;

	notify(f->inode_notifier, &(struct notice){.front = f, .then = then, .n = n}, inos);
}

void session_forget_name(struct vfs_host *h, uint64_t parent, const char *name, struct job *then)
{
	struct session *f = (struct session *)h;

	notify(f->name_notifier,
		&(struct notice){.front = f, .then = then, .parent = parent, .name = strdup(name)},
		NULL);
}
