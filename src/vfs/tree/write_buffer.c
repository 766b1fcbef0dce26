/* SPDX-License-Identifier: Zlib */
#include "vfs/tree/write_buffer.h"

#include <errno.h>

#include "vfs/tree/wait.h"

enum { LOAD_CHUNK = 256 << 10 };

bool file_is_validated(const struct inode *n)
{
	return n->write_buffer && n->oentry->parent && !inode_is_scratch(n);
}

bool file_drop_write_buffer(struct inode *n)
{
	if (n->handles || !file_is_validated(n) || n->write_buffer->state != BUFFER_CLEAN)
		return false;
	write_buffer_drop(n);
	if (n->oentry->has_content)
		return false;
	n->is_cached = false;
	return true;
}

/* Give n a write buffer over spool. Takes over the spool, also on failure. */
static int attach_write_buffer(struct inode *n, struct spool *spool)
{
	struct write_buffer *s = spool ? calloc(1, sizeof(*s)) : NULL;

	if (!s) {
		spool_destroy(spool);
		return -ENOMEM;
	}
	s->spool = spool;
	n->write_buffer = s;
	return 0;
}

/* A job that copies the content of a file into its new write buffer. */
struct load {
	struct job job; /* first */
	struct vfs *v;
	struct inode *n;
	struct call *call;
	struct snapshot *s; /* read entry `id` of it; NULL: read `bytes` */
	entry_id id;
	struct extent bytes;
	struct spool *spool;
	int r;
};

static int read_piece(const struct load *l, uint64_t off, void *dst, size_t n)
{
	return l->s ? l->s->format->get(l->s, l->id, off, dst, n, NULL)
		    : extent_read(&l->bytes, off, dst, n, NULL);
}

static int load_all(struct load *l)
{
	CLEANUP(free) uint8_t *chunk = malloc(LOAD_CHUNK);
	uint64_t size = l->bytes.size;
	int r = chunk ? 0 : -ENOMEM;

	if (r == 0 && l->s)
		r = snapshot_size(l->s, l->id, &size, NULL);
	/* Copy large content only at the first write, so that loading works on a full disk. */
	if (r == 0 && l->bytes.file && size > SPOOL_MEMORY_MAX) {
		spool_init_from(l->spool, &l->bytes);
		return 0;
	}
	for (uint64_t off = 0; r == 0 && off < size; off += LOAD_CHUNK) {
		size_t n = size - off < LOAD_CHUNK ? (size_t)(size - off) : LOAD_CHUNK;

		r = read_piece(l, off, chunk, n);
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
	struct inode *n = l->n;

	if (l->r == 0)
		l->r = attach_write_buffer(n, TAKE(l->spool));
	n->is_busy = false;
	/* The call that caused the load runs before those that waited for it. */
	if (l->r == 0)
		call_again(l->v, l->call);
	else
		call_done(l->call, l->r);
	n->references--;
	if (!n->is_busy)
		inode_ready(l->v, n);
	spool_destroy(l->spool);
	snapshot_unref(l->s);
	extent_finish(&l->bytes);
	free(l);
}

int write_buffer_begin(struct vfs *v, struct inode *n, bool empty, struct call *c)
{
	const struct snapshot *s = NULL;
	bool shows = inode_shows(n, &s, &(entry_id){0});
	struct load *l;

	if (n->write_buffer)
		return empty ? spool_truncate(n->write_buffer->spool, 0, NULL) : 0;
	if (empty || (!shows && !n->oentry->has_content))
		return attach_write_buffer(n, spool_create(v->vol->dirfd));
	l = calloc(1, sizeof(*l));
	if (l)
		l->spool = spool_create(v->vol->dirfd);
	if (!l || !l->spool) {
		free(l);
		return -ENOMEM;
	}
	call_keep(c);
	l->job = (struct job){load_run, load_done, NULL};
	l->v = v;
	l->n = n;
	l->call = c;
	if (inode_shows(n, &s, &l->id))
		l->s = snapshot_ref(s);
	else
		l->bytes = extent_ref(&n->oentry->bytes);
	n->is_busy = true;
	n->references++;
	pool_submit(v->pool, &l->job);
	return 1;
}
