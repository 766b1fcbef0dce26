/* SPDX-License-Identifier: Zlib */
/* Bytes being written: a stage begins as the file's content, or empty. */
#include "vfs/tree/stage.h"

#include <errno.h>

#include "vfs/tree/wait.h"

enum { LOAD_CHUNK = 256 << 10 };

void stage_drop(struct node *n)
{
	if (!n->stage)
		return;
	spool_destroy(n->stage->spool);
	free(n->stage);
	n->stage = NULL;
}

int stage_new(struct node *n)
{
	struct stage *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	s->spool = spool_create(n->vol->dirfd);
	if (!s->spool) {
		free(s);
		return -ENOMEM;
	}
	n->stage = s;
	return 0;
}

int stage_fill(struct node *n, const struct extent *content, struct error *e)
{
	CLEANUP(free) uint8_t *chunk = malloc(LOAD_CHUNK);
	int r;

	stage_drop(n);
	r = chunk ? stage_new(n) : -ENOMEM;
	/* A disk that is full has room for what it holds. */
	if (r == 0 && content->size > SPOOL_MEMORY_MAX && !content->mem) {
		spool_begin_as(n->stage->spool, content);
		return 0;
	}
	for (uint64_t off = 0; r == 0 && off < content->size; off += LOAD_CHUNK) {
		uint64_t left = content->size - off;
		size_t size = left < LOAD_CHUNK ? (size_t)left : LOAD_CHUNK;

		r = extent_read(content, off, chunk, size, e);
		if (r == 0)
			r = spool_append(n->stage->spool, chunk, size, e);
	}
	return r;
}

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
	if (l->r == 0 && n->lens == LENS_FROZEN) /* the copy is scratch of its own now */
		node_cut(l->v, n);
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

bool file_judged(const struct node *n)
{
	return n->stage && n->parent && !node_scratch(n);
}

bool file_retire(struct node *n)
{
	const struct stage *s = n->stage;

	if (n->handles || !file_judged(n) || s->state != STAGE_CLEAN || s->verdict < 0 ||
		n->pending)
		return false;
	stage_drop(n);
	n->cached = false;
	return true;
}
