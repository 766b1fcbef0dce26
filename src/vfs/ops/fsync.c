/* SPDX-License-Identifier: Zlib */
/* fsync: validate written content and sync the journal. */
#include <errno.h>
#include <stdlib.h>

#include "vfs/tree/write_buffer.h"
#include "vfs/tree/wait.h"
#include "vfs/ops/file.h"
#include "vfs/ops/ops.h"
#include "vfs/ops/close.h"
#include "vfs/volume/sync.h"

struct sync {
	struct job job;
	struct vfs *v;
	struct call *call; /* NULL for a periodic sync */
	struct error e;
};

static void sync_run(struct job *j)
{
	struct sync *s = (struct sync *)j;

	(void)journal_sync(&s->v->vol->journal, &s->e);
}

static void sync_done(struct job *j)
{
	struct sync *s = (struct sync *)j;
	struct vfs *v = s->v;

	if (s->call) {
		call_done(s->call, s->e.code);
	} else {
		/* Note it, because earlier closes have succeeded. Later closes fail themselves. */
		if (s->e.code)
			v->host->note(v->host, error_text(&s->e));
		sync_end(v->vol, s->e.code == 0);
	}
	free(s);
}

void journal_sync_then(struct vfs *v, struct call *c)
{
	struct sync *s = calloc(1, sizeof(*s));

	if (!s) {
		if (c)
			call_done(c, -ENOMEM);
		return;
	}
	*s = (struct sync){.job = {sync_run, sync_done, NULL}, .v = v, .call = c};
	if (!c)
		sync_begin(v->vol);
	pool_submit(v->pool, &s->job);
}

/* Ignore a refusal, which close reports: the journal has the bytes as a draft. */
static void fsync_closed(struct vfs *v, struct inode *, void *arg, int r)
{
	if (r < 0 && r != -EINVAL)
		call_done(arg, r);
	else
		journal_sync_then(v, arg);
}

/* Does the buffer hold a whole file? Without a writing handle (a save does so, after the kernel
 * wrote the pages of mappings), a file that write(2) has begun is left to its close. */
static bool is_whole(const struct write_buffer *s, bool writing)
{
	switch (s->state) {
	case BUFFER_WRITTEN:
		return writing || !s->expects_close;
	case BUFFER_TRUNCATED:
		return writing;
	default:
		return s->state != BUFFER_CLEAN;
	}
}

void vfs_fsync(struct vfs *v, struct call *c)
{
	struct inode *n = c->handle ? c->handle->inode : inode_find(v, c->ino);

	if (!n) {
		call_done(c, -ESTALE);
		return;
	}
	if (n->is_busy) {
		inode_wait(n, c);
		return;
	}
	call_keep(c);
	if (file_is_validated(n) && is_whole(n->write_buffer, c->handle && c->handle->is_writer))
		close_content(v, n, CLOSE_VALIDATED, fsync_closed, c);
	else
		journal_sync_then(v, c);
}
