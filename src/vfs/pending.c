/* SPDX-License-Identifier: Zlib */
/*
 * Parts of new objects arrive in any order: a plane before the layer.json that says what it is a
 * plane of. What cannot be judged when it is closed waits for the next save, and is tried then,
 * round after round, as long as a round gets anything on.
 */
#include <errno.h>

#include "vfs/put.h"

struct round {
	struct vfs *v;
	bool last, refuse;
	bool progress;
	uint64_t *inos; /* of this round */
	size_t n, next;
	void (*fn)(void *arg);
	void *arg;
};

static void round_begin(struct round *o);

static size_t count_pending(const struct vfs *v)
{
	size_t n = 0;

	for (size_t i = 0; i < v->n_buckets; i++)
		for (const struct node *k = v->nodes[i]; k; k = k->hash_next)
			n += k->pending;
	return n;
}

static void round_next(struct round *o);

static void tried(struct vfs *v, struct node *n, void *arg, int r)
{
	struct round *o = arg;

	(void)v;
	(void)r;
	o->progress |= !n->pending;
	if (!n->pending && !n->writers && n->stage && n->stage->state == STAGE_CLEAN &&
		n->stage->verdict == 0)
		stage_drop(n);
	round_next(o);
}

static void try(struct round *o, struct node *n)
{
	CLEANUP(free) char *path = node_path(n), *log_path = node_log_path(n);
	struct put_request rq = {.node = n,
		.id = n->id,
		.path = path,
		.log_path = log_path,
		.draft = true,
		.again = true,
		.last = o->refuse,
		.done = tried,
		.arg = o};

	if (path && log_path)
		put_request(o->v, &rq);
	else
		round_next(o);
}

static void round_next(struct round *o)
{
	while (o->next < o->n) {
		struct node *n = node_find(o->v, o->inos[o->next++]);

		if (n && n->pending && n->stage && n->parent && !n->busy && !node_scratch(n)) {
			try(o, n);
			return;
		}
	}
	free(o->inos);
	o->inos = NULL;
	round_begin(o);
}

static void round_end(struct round *o)
{
	void (*fn)(void *arg) = o->fn;
	void *arg = o->arg;

	free(o);
	fn(arg);
}

static void round_begin(struct round *o)
{
	size_t n = count_pending(o->v);

	if (!o->progress && o->last && !o->refuse)
		o->refuse = o->progress = true;
	if (!n || !o->progress) {
		round_end(o);
		return;
	}
	o->progress = false;
	o->inos = malloc(n * sizeof(*o->inos));
	o->n = o->next = 0;
	if (!o->inos) {
		round_end(o);
		return;
	}
	for (size_t i = 0; i < o->v->n_buckets; i++)
		for (const struct node *k = o->v->nodes[i]; k; k = k->hash_next)
			if (k->pending)
				o->inos[o->n++] = k->ino;
	round_next(o);
}

void pending_settle(struct vfs *v, bool last, void (*fn)(void *arg), void *arg)
{
	struct round *o = calloc(1, sizeof(*o));

	if (!o || !count_pending(v)) {
		free(o);
		fn(arg);
		return;
	}
	*o = (struct round){.v = v, .last = last, .progress = true, .fn = fn, .arg = arg};
	round_begin(o);
}
