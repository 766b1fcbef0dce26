/* SPDX-License-Identifier: Zlib */
#include "vfs/tree/stage.h"

#include <errno.h>

enum { LOAD_CHUNK = 256 << 10 };

void stage_keep(struct stage *s, const struct extent *closed)
{
	extent_finish(&s->closed);
	if (closed)
		s->closed = extent_ref(closed);
}

void stage_drop(struct node *n)
{
	if (!n->stage)
		return;
	spool_destroy(n->stage->spool);
	stage_keep(n->stage, NULL);
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

bool stage_is_open(const struct stage *s)
{
	return s->state == STAGE_WRITTEN || s->state == STAGE_TRUNCATED;
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
