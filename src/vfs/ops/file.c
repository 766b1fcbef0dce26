/* SPDX-License-Identifier: Zlib */
/* Open files: create is in ops/make.c, all else of a handle's life is here. */
#include "vfs/ops/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "vfs/tree/attr.h"
#include "vfs/tree/stage.h"
#include "vfs/tree/wait.h"
#include "vfs/ops/ops.h"
#include "vfs/tree/vanish.h"
#include "vfs/tree/view.h"
#include "vfs/ops/commit.h"

/* A part of the map that cannot be shown has size 0, so nobody would ever ask for its bytes. */
static int may_read(const struct node *n)
{
	const struct snapshot *s;
	struct entry en;
	entry_id id;

	if (!node_shows(n, &s, &id) || s->format->stat(s, id, &en, NULL) < 0 || !en.sized ||
		en.size)
		return 0;
	return s->format->get(s, id, 0, NULL, 0, NULL);
}

struct handle *handle_new(struct node *n, unsigned flags)
{
	struct handle *h = calloc(1, sizeof(*h));

	if (!h)
		return NULL;
	h->node = n;
	h->writing = (flags & O_ACCMODE) != O_RDONLY || (flags & O_TRUNC);
	h->append = flags & O_APPEND;
	n->opens++;
	n->handles++;
	n->writers += h->writing;
	return h;
}

void vfs_open(struct vfs *v, struct call *c)
{
	struct node *n = node_find(v, c->ino);
	bool writing = (c->flags & O_ACCMODE) != O_RDONLY || (c->flags & O_TRUNC);
	int r = n ? 0 : -ESTALE;

	/* What a last close is being judged for has one form when that is done. */
	if (n && (n->stale || (n->busy && !n->handles))) {
		node_wait(n, c);
		return;
	}
	if (n && view_wait(v, n, c))
		return;
	if (r == 0 && n->at->dir)
		r = -EISDIR;
	if (r == 0 && writing)
		r = file_may_write(n);
	else if (r == 0)
		r = may_read(n);
	if (r == 0 && (c->flags & O_TRUNC)) {
		if (n->busy) {
			node_wait(n, c);
			return;
		}
		r = stage_begin(v, n, true, c);
		if (r == 0) {
			n->stage->state = STAGE_CUT;
			node_touch(n, ATTR_MTIME);
		}
	}
	if (r == 0) {
		c->opened = handle_new(n, c->flags);
		r = c->opened ? 0 : -ENOMEM;
	}
	if (r == 0) {
		/* What is being written is not cached beyond the one who writes it. */
		c->keep_cache = n->cached && !n->stage;
		n->cached = !n->stage;
	}
	call_done(c, r);
}

struct reading {
	struct job job;
	struct call *call;
	struct snapshot *s; /* of an entry of this version; NULL: what was closed */
	entry_id id;
	struct extent in;
	bool sized;
	uint64_t size;
	struct vfs_host *host;
};

static int read_range(struct reading *r, struct error *e)
{
	struct call *c = r->call;
	int error = 0;

	if (!r->sized)
		error = snapshot_size(r->s, r->id, &r->size, e);
	if (error < 0)
		return error;
	if (c->off >= r->size)
		return 0;
	if (c->size > r->size - c->off)
		c->size = (size_t)(r->size - c->off);
	c->out = malloc(c->size);
	if (!c->out)
		return -ENOMEM;
	error = r->s ? r->s->format->get(r->s, r->id, c->off, c->out, c->size, e)
		     : extent_read(&r->in, c->off, c->out, c->size, e);
	c->out_size = error < 0 ? 0 : c->size;
	return error;
}

static void reading_run(struct job *j)
{
	struct reading *r = (struct reading *)j;
	uint64_t off = r->call->off;
	struct error e = ERROR_INIT;
	int error = read_range(r, &e);

	/* A program hears EIO and no more; whoever looks after the mount hears why, once a reading.
	 */
	if (error == -EIO && off == 0)
		r->host->note(r->host, error_text(&e));
	snapshot_unref(r->s);
	extent_finish(&r->in);
	call_done(r->call, error);
	free(r);
}

static void read_stage(struct call *c, const struct node *n)
{
	uint64_t size = spool_size(n->stage->spool);
	int r = 0;

	if (c->off < size) {
		if (c->size > size - c->off)
			c->size = (size_t)(size - c->off);
		c->out = malloc(c->size ? c->size : 1);
		c->out_size = c->size;
		r = c->out ? spool_read(n->stage->spool, c->off, c->out, c->size, NULL) : -ENOMEM;
	}
	call_done(c, r);
}

void vfs_read(struct vfs *v, struct call *c)
{
	struct node *n = c->handle->node;
	const struct snapshot *s;
	struct reading *job;
	struct entry en;
	int r;

	if (n->stage) {
		read_stage(c, n);
		return;
	}
	if (view_wait(v, n, c))
		return;
	r = node_entry(n, &en, NULL);
	job = r < 0 ? NULL : calloc(1, sizeof(*job));
	if (!job) {
		call_done(c, r < 0 ? r : -ENOMEM);
		return;
	}
	job->job.run = reading_run;
	job->call = c;
	if (node_shows(n, &s, &job->id))
		job->s = snapshot_ref(s);
	else
		job->in = extent_ref(&n->at->in);
	job->sized = en.sized;
	job->size = en.size;
	job->host = v->host;
	pool_submit(v->pool, &job->job);
}

void vfs_write(struct vfs *v, struct call *c)
{
	struct node *n = c->handle->node;
	struct error e = ERROR_INIT;
	uint64_t off, most;
	int r;

	if (!c->handle->writing) {
		call_done(c, -EBADF);
		return;
	}
	if (n->busy) {
		node_wait(n, c);
		return;
	}
	r = stage_begin(v, n, false, c);
	if (r > 0)
		return;
	if (r == 0) {
		/* The kernel's idea of the end may be old: another name or another writer. */
		off = c->handle->append ? spool_size(n->stage->spool) : c->off;
		most = file_most(n);
		r = off > most || c->size > most - off ? -EFBIG : 0;
	}
	if (r == 0) {
		r = spool_write(n->stage->spool, off, c->data, c->size, &e);
		n->stage->state = STAGE_WRITTEN;
		n->stage->begun |= !c->mapped;
		n->cached = false;
		node_touch(n, ATTR_MTIME);
	}
	call_done(c, r);
}

static void flush_put(struct vfs *, struct node *, void *arg, int r)
{
	call_done(arg, r);
}

void vfs_flush(struct vfs *v, struct call *c)
{
	struct node *n = c->handle->node;

	if (!c->handle->writing || !n->at->up || node_scratch(n)) {
		call_done(c, 0);
		return;
	}
	if (n->busy) {
		node_wait(n, c);
		return;
	}
	switch (n->stage ? n->stage->state : STAGE_CLEAN) {
	case STAGE_CLEAN:
		call_done(c, n->at->why ? -EINVAL : 0);
		break;
	case STAGE_LOGGED:
		call_done(c, 0);
		break;
	case STAGE_CUT:
		/* Not judged yet: a shell's `> f` flushes before it writes. */
		commit_close(v, n, COMMIT_LOGGED, flush_put, c);
		break;
	case STAGE_WRITTEN:
		commit_close(v, n, COMMIT_JUDGED, flush_put, c);
		break;
	}
}

static void release_put(struct vfs *, struct node *, void *arg, int r)
{
	(void)r; /* nobody hears of a failure but the report */
	call_done(arg, 0);
}

static bool release_puts(const struct node *n, bool writing)
{
	if (!writing || !file_judged(n))
		return false;
	switch (n->stage->state) {
	case STAGE_WRITTEN:
		return true;
	case STAGE_CUT:
	case STAGE_LOGGED:
		return !n->writers;
	default:
		return false;
	}
}

void vfs_release(struct vfs *v, struct call *c)
{
	struct handle *h = c->handle;
	struct node *n = h->node;
	bool writing = h->writing;

	if (n->busy) {
		node_wait(n, c);
		return;
	}
	n->handles--;
	n->writers -= writing;
	free(h);
	c->handle = NULL;
	if (release_puts(n, writing)) {
		commit_close(v, n, COMMIT_JUDGED, release_put, c);
	} else {
		if (file_retire(n))
			node_invalidate(v, &n, 1, NULL);
		if (writing && !n->writers)
			vanish_tell(v, n);
		call_done(c, 0);
	}
	n->opens--;
	node_free_unused(v, n);
}
