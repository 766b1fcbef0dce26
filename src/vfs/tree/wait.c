/* SPDX-License-Identifier: Zlib */
#include "vfs/tree/wait.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/threads/parallel.h"
#include "vfs/tree/attr.h"

void inode_wait(struct inode *n, struct call *c)
{
	calls_add(&n->waiting, c);
}

static void run_waiting(struct vfs *v, struct inode *n)
{
	n->references++; /* a call may drop the last other reference */
	calls_run(&n->waiting, v);
	n->references--;
	inode_free_unused(v, n);
}

void inode_ready(struct vfs *v, struct inode *n)
{
	n->is_busy = false;
	run_waiting(v, n);
}

struct invalidation {
	struct job job; /* first */
	struct vfs *v;
	struct job *then;
	size_t n;
	struct inode *inodes[];
};

static void invalidation_done(struct job *j)
{
	struct invalidation *o = (struct invalidation *)j;

	for (size_t i = 0; i < o->n; i++) {
		struct inode *n = o->inodes[i];

		n->pending_invalidations--;
		n->references--;
		run_waiting(o->v, n);
	}
	if (o->then)
		o->then->done(o->then);
	free(o);
}

void inode_invalidate(struct vfs *v, struct inode *const *inodes, size_t n, struct job *then)
{
	struct invalidation *o = malloc(sizeof(*o) + n * sizeof(struct inode *));
	CLEANUP(free) uint64_t *inos = malloc((n + 1) * sizeof(*inos));

	if (!o || !inos) {
		free(o);
		if (then)
			pool_submit_done(v->pool, then);
		return;
	}
	*o = (struct invalidation){.job.done = invalidation_done, .v = v, .then = then, .n = n};
	for (size_t i = 0; i < n; i++) {
		o->inodes[i] = inodes[i];
		inos[i] = inodes[i]->ino;
		inodes[i]->pending_invalidations++;
		inodes[i]->references++;
	}
	v->host->invalidate(v->host, inos, n, &o->job);
}

struct forgetting {
	struct job job; /* first */
	struct vfs *v;
	struct inode *n;
};

static void forgetting_done(struct job *j)
{
	struct forgetting *o = (struct forgetting *)j;

	o->n->pending_forgets--;
	o->n->references--;
	run_waiting(o->v, o->n);
	free(o);
}

void inode_forget_name(struct vfs *v, struct inode *n)
{
	struct forgetting *o;
	struct inode *dir = n->oentry->parent ? inode_parent(n) : NULL;

	if (!dir)
		return;
	o = malloc(sizeof(*o));
	if (o) {
		*o = (struct forgetting){.job.done = forgetting_done, .v = v, .n = n};
		n->is_name_stale = true;
		n->pending_forgets++;
		n->references++;
	}
	v->host->forget_name(v->host, dir->ino, n->oentry->name, o ? &o->job : NULL);
	inode_free_unused(v, dir);
}

void inode_looked_up(struct inode *n)
{
	n->lookups++;
	n->is_name_stale &= n->pending_forgets > 0;
}

void names_invalidate(struct vfs *v, struct inode *dir)
{
	inode_touch(dir, ATTR_MTIME);
	inode_invalidate(v, &dir, 1, NULL);
}

enum { MANY_SIZES = 17 }; /* from this number on, use several threads */

struct sizing {
	struct job job;
	struct vfs *v;
	struct snapshot *s;
	struct call *call;
	int r; /* result and size of a single entry */
	uint64_t size;
	size_t n;
	entry_id ids[];
};

/* A failure is not reported: it occurs again when the file is read. */
static int find_size(void *arg, size_t i, struct error *)
{
	struct sizing *z = arg;
	uint64_t size = 0;
	int r = snapshot_size(z->s, z->ids[i], &size, NULL);

	if (z->n == 1) {
		z->r = r;
		z->size = size;
	}
	return 0;
}

static void sizing_run(struct job *j)
{
	struct sizing *z = (struct sizing *)j;

	if (z->n < MANY_SIZES)
		for (size_t i = 0; i < z->n; i++)
			(void)find_size(z, i, NULL);
	else
		(void)parallel_each(z->n, find_size, z, NULL);
}

static void sizing_done(struct job *j)
{
	struct sizing *z = (struct sizing *)j;

	if (!z->call) {
		z->v->size_ahead.jobs--;
		snapshot_unref(z->s);
		free(z);
		return;
	}
	snapshot_unref(z->call->size_result.snapshot);
	z->call->size_result.snapshot = z->s;
	z->call->size_result.id = z->ids[0];
	z->call->size_result.r = z->r;
	z->call->size_result.size = z->size;
	call_again(z->v, z->call);
	free(z);
}

void sizes_request(
	struct vfs *v, const struct snapshot *s, const entry_id *ids, size_t n, struct call *c)
{
	struct sizing *z = malloc(sizeof(*z) + n * sizeof(*ids));

	if (!z) {
		if (c)
			call_done(c, -ENOMEM);
		return;
	}
	if (c)
		call_keep(c);
	else
		v->size_ahead.jobs++;
	*z = (struct sizing){
		.job = {sizing_run, sizing_done, NULL},
		.v = v,
		.s = snapshot_ref(s),
		.call = c,
		.n = n,
	};
	memcpy(z->ids, ids, n * sizeof(*ids));
	pool_submit(v->pool, &z->job);
}
