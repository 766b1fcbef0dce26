/* SPDX-License-Identifier: Zlib */
/* Calls that cannot run yet: kept, and run again from their beginning. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "vfs/tree/node.h"

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

struct proof {
	struct job job; /* first */
	struct vfs *v;
	struct snapshot *s;
	struct call *waiting, **end;
	struct error why;
	int r;
};

static void proof_run(struct job *j)
{
	struct proof *p = (struct proof *)j;

	p->r = p->s->format->edit->sound(p->s, true, &p->why);
}

static void proof_done(struct job *j)
{
	struct proof *p = (struct proof *)j;
	struct vfs *v = p->v;
	struct call *c, *next;

	v->vol->sound = true;
	v->proof = NULL;
	if (p->r < 0) {
		volume_refuse_changes(v->vol, &p->why);
		v->host->note(v->host, error_text(&v->vol->unsound));
	}
	for (c = p->waiting; c; c = next) {
		next = c->next;
		c->op(v, c);
	}
	snapshot_unref(p->s);
	free(p);
}

/* The first change, and those that come while the format looks whether there may be any. */
static void prove_first(struct vfs *v, struct call *c)
{
	struct proof *p = v->proof;

	if (!p) {
		p = calloc(1, sizeof(*p));
		if (!p) {
			call_done(c, -ENOMEM);
			return;
		}
		*p = (struct proof){.job = {proof_run, proof_done, NULL}, .v = v};
		p->s = snapshot_ref(v->vol->now);
		p->end = &p->waiting;
		v->proof = p;
		pool_submit(v->pool, &p->job);
	}
	call_keep(c);
	c->next = NULL;
	*p->end = c;
	p->end = &c->next;
}

static bool is_change(const struct call *c)
{
	static const vfs_op ops[] = {
		vfs_create_file, vfs_mkdir, vfs_unlink, vfs_rmdir, vfs_rename, vfs_setattr};

	for (size_t i = 0; i < sizeof(ops) / sizeof(*ops); i++)
		if (c->op == ops[i])
			return true;
	return c->op == vfs_open && (c->flags & (O_ACCMODE | O_TRUNC)) != O_RDONLY;
}

void vfs_submit(struct vfs *v, struct call *c)
{
	if (!v->vol->sound && is_change(c))
		prove_first(v, c);
	else
		c->op(v, c);
}

void node_wait(struct node *n, struct call *c)
{
	call_keep(c);
	c->next = NULL;
	*n->waiting_end = c;
	n->waiting_end = &c->next;
}

/* Those that must go on waiting queue up anew, in the same order. */
static void run_waiting(struct vfs *v, struct node *n)
{
	struct call *c = n->waiting, *next;

	n->waiting = NULL;
	n->waiting_end = &n->waiting;
	n->opens++; /* a call may be the last that holds it */
	for (; c; c = next) {
		next = c->next;
		c->op(v, c);
	}
	n->opens--;
	node_settle(v, n);
}

void node_ready(struct vfs *v, struct node *n)
{
	n->busy = false;
	run_waiting(v, n);
}

struct invalidation {
	struct job job; /* first */
	struct vfs *v;
	struct job *then;
	size_t n;
	struct node *nodes[];
};

static void invalidated(struct job *j)
{
	struct invalidation *o = (struct invalidation *)j;

	for (size_t i = 0; i < o->n; i++) {
		struct node *n = o->nodes[i];

		n->stale--;
		n->opens--;
		run_waiting(o->v, n);
	}
	if (o->then)
		o->then->done(o->then);
	free(o);
}

void node_invalidate(struct vfs *v, struct node *const *nodes, size_t n, struct job *then)
{
	struct invalidation *o = malloc(sizeof(*o) + n * sizeof(struct node *));
	CLEANUP(free) uint64_t *inos = malloc((n + 1) * sizeof(*inos));

	if (!o || !inos) {
		free(o);
		if (then)
			pool_return(v->pool, then);
		return;
	}
	*o = (struct invalidation){.job.done = invalidated, .v = v, .then = then, .n = n};
	for (size_t i = 0; i < n; i++) {
		o->nodes[i] = nodes[i];
		inos[i] = nodes[i]->ino;
		nodes[i]->stale++;
		nodes[i]->opens++;
	}
	v->host->invalidate(v->host, inos, n, &o->job);
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
		(void)snapshot_size(z->s, z->ids[i], &size, NULL);
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
