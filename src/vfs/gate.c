/* SPDX-License-Identifier: Zlib */
/* Calls that cannot run yet: kept, and run again from their beginning. */
#include <errno.h>
#include <string.h>

#include "vfs/node.h"

void call_done(struct call *c, int r)
{
	if (c->kept) {
		free((void *)(uintptr_t)c->name);
		free((void *)(uintptr_t)c->to_name);
		free((void *)(uintptr_t)c->data);
		c->name = c->to_name = NULL;
		c->data = NULL;
		c->kept = false;
	}
	c->reply(c, r);
}

void call_keep(struct call *c)
{
	void *data = NULL;

	if (c->kept)
		return;
	c->name = c->name ? strdup(c->name) : NULL;
	c->to_name = c->to_name ? strdup(c->to_name) : NULL;
	if (c->data) {
		data = malloc(c->size ? c->size : 1);
		if (data)
			memcpy(data, c->data, c->size);
	}
	c->data = data;
	c->kept = true;
}

void vfs_submit(struct vfs *v, struct call *c)
{
	c->op(v, c);
}

void node_wait(struct node *n, struct call *c)
{
	call_keep(c);
	c->next = NULL;
	*n->waiting_end = c;
	n->waiting_end = &c->next;
}

void node_ready(struct vfs *v, struct node *n)
{
	struct call *c;

	n->busy = false;
	while (!n->busy && (c = n->waiting)) {
		n->waiting = c->next;
		if (!n->waiting)
			n->waiting_end = &n->waiting;
		n->opens++; /* the call may be the last that holds it */
		c->op(v, c);
		n->opens--;
	}
	node_settle(v, n);
}

struct sizing {
	struct job job;
	struct vfs *v;
	struct volume *vol;
	struct snapshot *s;
	struct call *call;
	size_t n;
	entry_id ids[];
};

static void sizing_run(struct job *j)
{
	struct sizing *z = (struct sizing *)j;
	uint64_t size;

	/* The format remembers what it finds; a failure shows again when the file is read. */
	for (size_t i = 0; i < z->n; i++)
		(void)z->vol->format->size(z->s, z->ids[i], &size, NULL);
}

static void sizing_done(struct job *j)
{
	struct sizing *z = (struct sizing *)j;

	z->call->sized = true;
	vfs_submit(z->v, z->call);
	snapshot_unref(z->s);
	free(z);
}

void size_wait(struct vfs *v, struct volume *vol, struct snapshot *s, const entry_id *ids, size_t n,
	struct call *c)
{
	struct sizing *z = malloc(sizeof(*z) + n * sizeof(*ids));

	if (!z) {
		call_done(c, -ENOMEM);
		return;
	}
	call_keep(c);
	*z = (struct sizing){
		.job = {sizing_run, sizing_done, NULL},
		.v = v,
		.vol = vol,
		.s = snapshot_ref(s),
		.call = c,
		.n = n,
	};
	memcpy(z->ids, ids, n * sizeof(*ids));
	pool_submit(v->pool, &z->job);
}
