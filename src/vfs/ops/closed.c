/* SPDX-License-Identifier: Zlib */
/*
 * A truncation to which nothing was written is judged when its file is released, which may be long
 * after the close: a shell keeps `> f` open. Whoever looks at what was closed has it judged before.
 */
#include "vfs/ops/closed.h"

#include <stdlib.h>

#include "base/array.h"
#include "vfs/tree/stage.h"
#include "vfs/tree/wait.h"
#include "vfs/ops/commit.h"

struct closed {
	struct call call; /* first: it waits for a node like one of the front's */
	struct job job;
	struct vfs *v;
	uint64_t *inos;
	size_t n, room;
	void (*fn)(void *arg);
	void *arg;
};

static bool is_meant(const struct node *n)
{
	return file_judged(n) && n->stage->state == STAGE_LOGGED;
}

static void closed_put(struct vfs *v, struct node *n, void *arg, int r)
{
	struct closed *o = arg;

	(void)n;
	(void)r; /* a draft */
	pool_return(v->pool, &o->job);
}

static void closed_next(struct vfs *v, struct call *c)
{
	struct closed *o = (struct closed *)c;
	struct node *n = NULL;

	while (o->n && (!(n = node_find(v, o->inos[o->n - 1])) || !is_meant(n)))
		o->n--;
	if (!o->n) {
		o->fn(o->arg);
		free(o->inos);
		free(o);
	} else if (n->busy) {
		node_wait(n, &o->call);
	} else {
		o->n--;
		commit_own(v, n, false, closed_put, o);
	}
}

static void closed_again(struct job *j)
{
	struct closed *o = container_of(j, struct closed, job);

	closed_next(o->v, &o->call);
}

void closed_apply(struct vfs *v, void (*fn)(void *arg), void *arg)
{
	struct closed *o = calloc(1, sizeof(*o));

	if (!o) {
		fn(arg);
		return;
	}
	*o = (struct closed){
		.call.op = closed_next, .job.done = closed_again, .v = v, .fn = fn, .arg = arg};
	for (const struct node *n = NULL; (n = node_next(v, n));)
		if (is_meant(n) && array_room(o->inos, o->n, o->room))
			o->inos[o->n++] = n->ino;
	closed_next(v, &o->call);
}
