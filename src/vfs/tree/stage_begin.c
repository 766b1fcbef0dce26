/* SPDX-License-Identifier: Zlib */
/* A stage begins as the file's content, or empty. */
#include <errno.h>

#include "vfs/tree/attr.h"
#include "vfs/tree/stage.h"
#include "vfs/tree/wait.h"

enum { LOAD_CHUNK = 256 << 10 };

struct load {
	struct job job;
	struct vfs *v;
	struct node *n;
	struct call *call;
	struct snapshot *s;
	struct spool *spool;
	int r;
};

static int load_all(struct load *l)
{
	const struct format *f = l->n->vol->format;
	CLEANUP(free) uint8_t *chunk = malloc(LOAD_CHUNK);
	uint64_t size;
	int r;

	if (!chunk)
		return -ENOMEM;
	r = snapshot_size(l->s, l->n->id, &size, NULL);
	for (uint64_t off = 0; r == 0 && off < size; off += LOAD_CHUNK) {
		size_t n = size - off < LOAD_CHUNK ? (size_t)(size - off) : LOAD_CHUNK;

		r = f->get(l->s, l->n->id, off, chunk, n, NULL);
		if (r == 0)
			r = spool_append(l->spool, chunk, n, NULL);
	}
	return r;
}

static void load_run(struct job *j)
{
	struct load *l = (struct load *)j;

	l->r = load_all(l);
}

static void load_done(struct job *j)
{
	struct load *l = (struct load *)j;
	struct node *n = l->n;

	if (l->r == 0) {
		n->stage = calloc(1, sizeof(*n->stage));
		if (n->stage)
			n->stage->spool = TAKE(l->spool);
		else
			l->r = -ENOMEM;
	}
	n->busy = false;
	if (l->r == 0 && n->lens == LENS_FROZEN) { /* the copy is scratch of its own now */
		node_keep_time(n);
		node_cut(l->v, n);
	}
	/* The call that asked goes first, so that nobody waits on a stage that is in use. */
	if (l->r == 0)
		call_again(l->v, l->call);
	else
		call_done(l->call, l->r);
	n->opens--;
	if (!n->busy)
		node_ready(l->v, n);
	spool_destroy(l->spool);
	snapshot_unref(l->s);
	free(l);
}

int stage_begin(struct vfs *v, struct node *n, bool empty, struct call *c)
{
	struct load *l;

	if (n->stage)
		return empty ? spool_truncate(n->stage->spool, 0, NULL) : 0;
	if (empty && n->lens == LENS_FROZEN)
		node_cut(v, n);
	if (empty || n->lens == LENS_NONE)
		return stage_new(n);
	l = calloc(1, sizeof(*l));
	if (l)
		l->spool = spool_create(n->vol->dirfd);
	if (!l || !l->spool) {
		free(l);
		return -ENOMEM;
	}
	call_keep(c);
	l->job = (struct job){load_run, load_done, NULL};
	l->v = v;
	l->n = n;
	l->call = c;
	l->s = snapshot_ref(node_version(n));
	n->busy = true;
	n->opens++;
	pool_submit(v->pool, &l->job);
	return 1;
}
