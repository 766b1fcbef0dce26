/* SPDX-License-Identifier: Zlib */
/* What was closed is brought to disk, in the journal. */
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
	struct call *call; /* NULL: it is time */
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
		/* Later closes fail by themselves; those before were told to be kept. */
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

/* A refusal is close's to tell: the bytes are in the journal, as a draft. */
static void fsync_put(struct vfs *v, struct inode *, void *arg, int r)
{
	if (r < 0 && r != -EINVAL)
		call_done(arg, r);
	else
		journal_sync_then(v, arg);
}

/* A save has the pages of mappings written, and asks by no handle. A file that is half written is
 * its author's to close. */
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
		close_content(v, n, CLOSE_VALIDATED, fsync_put, c);
	else
		journal_sync_then(v, c);
}
