/* SPDX-License-Identifier: Zlib */
/* Open files: open, read, write, flush and release. Create is in ops/make.c. */
#include "vfs/ops/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "vfs/tree/attr.h"
#include "vfs/tree/write_buffer.h"
#include "vfs/tree/wait.h"
#include "vfs/ops/ops.h"
#include "vfs/tree/lost.h"
#include "vfs/tree/view.h"
#include "vfs/ops/close.h"

/* Report an error at open if a file cannot be shown: its size is 0, so no read would report it. */
static int may_read(const struct inode *n)
{
	const struct snapshot *s;
	struct file_attr en;
	entry_id id;

	if (!inode_shows(n, &s, &id) || s->format->stat(s, id, &en, NULL) < 0 || !en.has_size ||
		en.size)
		return 0;
	return s->format->get(s, id, 0, NULL, 0, NULL);
}

struct handle *handle_new(struct inode *n, unsigned flags)
{
	struct handle *h = calloc(1, sizeof(*h));

	if (!h)
		return NULL;
	h->inode = n;
	h->is_writer = (flags & O_ACCMODE) != O_RDONLY || (flags & O_TRUNC);
	h->is_append = flags & O_APPEND;
	n->references++;
	n->handles++;
	n->writers += h->is_writer;
	return h;
}

void vfs_open(struct vfs *v, struct call *c)
{
	struct inode *n = inode_find(v, c->ino);
	bool writing = (c->flags & O_ACCMODE) != O_RDONLY || (c->flags & O_TRUNC);
	int r = n ? 0 : -ESTALE;

	/* After the last close, the validation decides which form the object has. */
	if (n && (n->pending_invalidations || (n->is_busy && !n->handles))) {
		inode_wait(n, c);
		return;
	}
	if (n && view_wait(v, n, c))
		return;
	if (r == 0 && n->oentry->is_dir)
		r = -EISDIR;
	if (r == 0 && writing)
		r = file_may_write(n);
	else if (r == 0)
		r = may_read(n);
	if (r == 0 && (c->flags & O_TRUNC)) {
		if (n->is_busy) {
			inode_wait(n, c);
			return;
		}
		r = write_buffer_begin(v, n, true, c);
		if (r == 0) {
			n->write_buffer->state = BUFFER_TRUNCATED;
			inode_touch(n, ATTR_MTIME);
		}
	}
	if (r == 0) {
		c->opened = handle_new(n, c->flags);
		r = c->opened ? 0 : -ENOMEM;
	}
	if (r == 0) {
		/* Pages of a file that is being written are not kept for later opens. */
		c->keep_cache = n->is_cached && !n->write_buffer;
		n->is_cached = !n->write_buffer;
	}
	call_done(c, r);
}

struct read_job {
	struct job job;
	struct call *call;
	struct snapshot *s; /* read entry `id` of it; NULL: read `bytes` */
	entry_id id;
	struct extent bytes;
	bool has_size;
	uint64_t size;
	struct vfs_host *host;
};

static int read_range(struct read_job *r, struct error *e)
{
	struct call *c = r->call;
	int error = 0;

	if (!r->has_size)
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
		     : extent_read(&r->bytes, c->off, c->out, c->size, e);
	c->out_size = error < 0 ? 0 : c->size;
	return error;
}

static void read_job_run(struct job *j)
{
	struct read_job *r = (struct read_job *)j;
	uint64_t off = r->call->off;
	struct error e = ERROR_INIT;
	int error = read_range(r, &e);

	/* Note the reason, because the program gets only EIO: once per pass over the file. */
	if (error == -EIO && off == 0)
		r->host->note(r->host, error_text(&e));
	snapshot_unref(r->s);
	extent_finish(&r->bytes);
	call_done(r->call, error);
	free(r);
}

static void read_buffer(struct call *c, const struct inode *n)
{
	uint64_t size = spool_size(n->write_buffer->spool);
	int r = 0;

	if (c->off < size) {
		if (c->size > size - c->off)
			c->size = (size_t)(size - c->off);
		c->out = malloc(c->size ? c->size : 1);
		c->out_size = c->size;
		r = c->out ? spool_read(n->write_buffer->spool, c->off, c->out, c->size, NULL)
			   : -ENOMEM;
	}
	call_done(c, r);
}

void vfs_read(struct vfs *v, struct call *c)
{
	struct inode *n = c->handle->inode;
	const struct snapshot *s;
	struct read_job *job;
	struct file_attr en;
	int r;

	if (n->write_buffer) {
		read_buffer(c, n);
		return;
	}
	if (view_wait(v, n, c))
		return;
	r = inode_entry(n, &en, NULL);
	job = r < 0 ? NULL : calloc(1, sizeof(*job));
	if (!job) {
		call_done(c, r < 0 ? r : -ENOMEM);
		return;
	}
	job->job.run = read_job_run;
	job->call = c;
	if (inode_shows(n, &s, &job->id))
		job->s = snapshot_ref(s);
	else
		job->bytes = extent_ref(&n->oentry->bytes);
	job->has_size = en.has_size;
	job->size = en.size;
	job->host = v->host;
	pool_submit(v->pool, &job->job);
}

void vfs_write(struct vfs *v, struct call *c)
{
	struct inode *n = c->handle->inode;
	struct error e = ERROR_INIT;
	uint64_t off, most;
	int r;

	if (!c->handle->is_writer) {
		call_done(c, -EBADF);
		return;
	}
	if (n->is_busy) {
		inode_wait(n, c);
		return;
	}
	r = write_buffer_begin(v, n, false, c);
	if (r > 0)
		return;
	if (r == 0) {
		/* The kernel's size may be old: the file may be written through another name. */
		off = c->handle->is_append ? spool_size(n->write_buffer->spool) : c->off;
		most = file_max_size(n);
		r = off > most || c->size > most - off ? -EFBIG : 0;
	}
	if (r == 0) {
		r = spool_write(n->write_buffer->spool, off, c->data, c->size, &e);
		n->write_buffer->state = BUFFER_WRITTEN;
		n->write_buffer->expects_close |= !c->mapped;
		n->is_cached = false;
		inode_touch(n, ATTR_MTIME);
	}
	call_done(c, r);
}

static void flush_closed(struct vfs *, struct inode *, void *arg, int r)
{
	call_done(arg, r);
}

void vfs_flush(struct vfs *v, struct call *c)
{
	struct inode *n = c->handle->inode;

	if (!c->handle->is_writer || !n->oentry->parent || inode_is_scratch(n)) {
		call_done(c, 0);
		return;
	}
	if (n->is_busy) {
		inode_wait(n, c);
		return;
	}
	switch (n->write_buffer ? n->write_buffer->state : BUFFER_CLEAN) {
	case BUFFER_CLEAN:
		call_done(c, n->oentry->refusal ? -EINVAL : 0);
		break;
	case BUFFER_LOGGED:
		call_done(c, 0);
		break;
	case BUFFER_TRUNCATED:
		/* Do not validate yet: a shell's `> f` flushes before it writes. */
		close_content(v, n, CLOSE_UNVALIDATED, flush_closed, c);
		break;
	case BUFFER_WRITTEN:
		close_content(v, n, CLOSE_VALIDATED, flush_closed, c);
		break;
	}
}

static void release_closed(struct vfs *, struct inode *, void *arg, int r)
{
	(void)r; /* the kernel ignores errors of a release; the save reports them */
	call_done(arg, 0);
}

static bool release_closes(const struct inode *n, bool writing)
{
	if (!writing || !file_is_validated(n))
		return false;
	switch (n->write_buffer->state) {
	case BUFFER_WRITTEN:
		return true;
	case BUFFER_TRUNCATED:
	case BUFFER_LOGGED:
		return !n->writers;
	default:
		return false;
	}
}

void vfs_release(struct vfs *v, struct call *c)
{
	struct handle *h = c->handle;
	struct inode *n = h->inode;
	bool writing = h->is_writer;

	if (n->is_busy) {
		inode_wait(n, c);
		return;
	}
	n->handles--;
	n->writers -= writing;
	free(h);
	c->handle = NULL;
	if (release_closes(n, writing)) {
		close_content(v, n, CLOSE_VALIDATED, release_closed, c);
	} else {
		if (file_drop_write_buffer(n))
			inode_invalidate(v, &n, 1, NULL);
		if (writing && !n->writers)
			lost_note(v, n);
		call_done(c, 0);
	}
	n->references--;
	inode_free_unused(v, n);
}
