/* SPDX-License-Identifier: Zlib */
/*
 * Notifications that make the kernel drop cached inodes and names. Each kind has its own thread: a
 * name notification waits for the lock of its directory, and a request that holds the lock may wait
 * for an inode notification.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fuse/session/session.h"

struct notice {
	struct job job; /* first */
	struct session *session;
	struct job *completion; /* for pool_submit_done afterwards; or NULL */
	uint64_t parent;        /* directory of the name */
	char *name;             /* NULL for inodes */
	size_t n;
	uint64_t inos[];
};

static void send_notice(struct job *j)
{
	struct notice *o = (struct notice *)j;
	struct session *s = o->session;
	bool silent = s->is_silent;

	/* Errors are ignored: -ENOENT means that the kernel does not cache it. */
	if (o->name && !silent)
		(void)fuse_lowlevel_notify_inval_entry(
			s->fuse, o->parent, o->name, strlen(o->name));
	for (size_t i = 0; i < o->n && !silent; i++)
		(void)fuse_lowlevel_notify_inval_inode(s->fuse, o->inos[i], 0, 0);
	if (o->completion)
		pool_submit_done(s->pool, o->completion);
	free(o->name);
	free(o);
}

int notifiers_start(struct session *s)
{
	s->inode_notifier = pool_create(1);
	if (s->inode_notifier)
		s->name_notifier = pool_create(1);
	return s->name_notifier ? 0 : -errno;
}

void notifiers_stop(struct session *s)
{
	s->is_silent = true;
	pool_destroy(TAKE(s->inode_notifier));
	pool_destroy(TAKE(s->name_notifier));
}

/* Queue a notification, or drop it if memory is exhausted. Frees what->name. */
static void queue_notice(struct pool *by, const struct notice *what, const uint64_t *inos)
{
	struct notice *o = by ? malloc(sizeof(*o) + what->n * sizeof(*inos)) : NULL;

	if (!o) {
		free(what->name);
		if (what->completion)
			pool_submit_done(what->session->pool, what->completion);
		return;
	}
	*o = *what;
	o->job.run = send_notice;
	for (size_t i = 0; i < o->n; i++)
		o->inos[i] = inos[i];
	pool_submit(by, &o->job);
}

void session_invalidate(struct vfs_host *h, const uint64_t *inos, size_t n, struct job *then)
{
	struct session *s = (struct session *)h;

	queue_notice(s->inode_notifier, &(struct notice){.session = s, .completion = then, .n = n},
		inos);
}

void session_forget_name(struct vfs_host *h, uint64_t parent, const char *name, struct job *then)
{
	struct session *s = (struct session *)h;

	queue_notice(s->name_notifier,
		&(struct notice){
			.session = s, .completion = then, .parent = parent, .name = strdup(name)},
		NULL);
}
