/* SPDX-License-Identifier: Zlib */
/* user.mapfs.error of a draft, user.mapfs.note of a file, user.mapfs.status of the root. They are
 * not listed, so that copies do not carry them along. */
#include <errno.h>
#include <string.h>

#include "base/buffer.h"
#include "vfs/volume/commit_queue.h"
#include "vfs/volume/sync.h"
#include "vfs/tree/path.h"
#include "vfs/tree/stage.h"
#include "vfs/tree/wait.h"
#include "vfs/ops/accept.h"
#include "vfs/ops/commit.h"
#include "vfs/ops/waiting.h"
#include "vfs/save/status.h"
#include "vfs/vfs.h"

static const char ERROR_NAME[] = "user.mapfs.error";
static const char NOTE_NAME[] = "user.mapfs.note";

static void answer(struct call *c, struct buffer *b)
{
	int r = b->error;

	c->out = malloc(b->size ? b->size : 1);
	if (!c->out)
		r = -ENOMEM;
	if (r == 0 && b->size)
		memcpy(c->out, b->data, b->size);
	c->out_size = b->size;
	buffer_finish_free(b);
	call_done(c, r);
}

static void status_found(void *arg, struct buffer *records)
{
	struct call *c = arg;
	struct buffer b = BUFFER_INIT;

	status_show(c->name, records, &b);
	buffer_finish_free(records);
	answer(c, &b);
}

static void get_status(struct vfs *v, struct call *c)
{
	call_keep(c);
	if (status_find(v, status_found, c) < 0)
		call_done(c, -ENOMEM);
}

static void xattr_put(struct vfs *v, struct node *n, void *arg, int r)
{
	if (n->stage && n->stage->state == STAGE_LOGGED)
		call_done(arg, r);
	else
		vfs_getxattr(v, arg);
}

static void get_error(struct vfs *v, struct node *n, struct call *c)
{
	struct buffer b = BUFFER_INIT;

	if (n->busy) {
		node_wait(n, c);
	} else if (file_judged(n) && n->stage->state == STAGE_LOGGED) {
		call_keep(c);
		commit_close(v, n, xattr_put, c);
	} else if (n->stage && n->stage->verdict < 0) {
		buffer_text(&b, error_text(&n->stage->why));
		answer(c, &b);
	} else {
		call_done(c, -ENODATA);
	}
}

/* What the format has to say of a file: perhaps it must look at all of it. */
struct noting {
	struct job job; /* first */
	struct call *call;
	struct snapshot *s;
	entry_id id;
	struct bytes *text;
	int r;
};

static void noting_run(struct job *j)
{
	struct noting *k = (struct noting *)j;

	k->r = k->s->format->note(k->s, k->id, &k->text, NULL);
}

static void noting_done(struct job *j)
{
	struct noting *k = (struct noting *)j;
	struct buffer b = BUFFER_INIT;

	if (k->r == 0) {
		buffer_append(&b, k->text->data, k->text->size);
		answer(k->call, &b);
	} else {
		call_done(k->call, k->r == -EIO ? -ENODATA : k->r);
	}
	bytes_unref(k->text);
	snapshot_unref(k->s);
	free(k);
}

static void get_note(struct vfs *v, struct call *c, const struct node *n)
{
	struct noting *k = calloc(1, sizeof(*k));

	if (!k) {
		call_done(c, -ENOMEM);
		return;
	}
	*k = (struct noting){.job = {noting_run, noting_done, NULL},
		.call = c,
		.s = snapshot_ref(node_version(n)),
		.id = n->id};
	pool_submit(v->pool, &k->job);
}

void vfs_getxattr(struct vfs *v, struct call *c)
{
	struct node *n = node_find(v, c->ino);

	if (!n)
		call_done(c, -ESTALE);
	else if (strcmp(c->name, ERROR_NAME) == 0)
		get_error(v, n, c);
	else if (strcmp(c->name, NOTE_NAME) == 0 && n->lens != LENS_NONE && n->vol->format->note)
		get_note(v, c, n);
	else if (status_is_attribute(c->name) && node_is_root(n))
		get_status(v, c);
	else
		call_done(c, strncmp(c->name, "user.", 5) == 0 ? -ENODATA : -EOPNOTSUPP);
}

struct drop {
	struct commit_task task; /* first */
	struct job job;
	struct vfs *v;
	struct node *n;
	struct call *call;
	char *path;
	int r;
};

static void drop_told(struct job *j)
{
	struct drop *d = container_of(j, struct drop, job);

	waiting_answer(d->v, d->call, NULL, d->r);
	d->n->opens--;
	node_free_unused(d->v, d->n);
	free(d->path);
	free(d);
}

static void drop_written(struct job *j)
{
	struct drop *d = container_of(j, struct drop, job);
	struct forgotten gone = {0};
	struct node *n = d->n;

	if (d->r == 0)
		draft_dismiss(d->v, n, &gone);
	/* Not to be waited for: whoever removes the file holds the directory, and waits for this
	 * call to let go of the file. */
	forgotten_tell(d->v, &gone, NULL);
	sync_want(d->v->vol);
	commit_queue_leave(n->vol);
	d->job.done = drop_told;
	node_invalidate(d->v, &n, 1, &d->job);
	node_ready(d->v, n);
}

static void drop_journal(struct job *j)
{
	struct drop *d = container_of(j, struct drop, job);

	d->r = journal_drop(&d->n->vol->journal, d->path, NULL);
}

static void drop_start(struct commit_task *t)
{
	struct drop *d = (struct drop *)t;
	struct node *n = d->n;

	/* It may have been removed, or a save may have dealt names anew. */
	d->path = file_judged(n) ? node_log_path(n) : NULL;
	if (!d->path) {
		d->r = file_judged(n) ? -ENOMEM : -ENODATA;
		commit_queue_leave(n->vol);
		node_ready(d->v, n);
		drop_told(&d->job);
		return;
	}
	d->job = (struct job){drop_journal, drop_written, NULL};
	pool_submit(d->v->pool, &d->job);
}

void vfs_removexattr(struct vfs *v, struct call *c)
{
	struct node *n = node_find(v, c->ino);
	struct drop *d;

	if (!n || strcmp(c->name, ERROR_NAME) != 0 || !n->stage || n->stage->verdict == 0 ||
		node_scratch(n)) {
		call_done(c, n ? -ENODATA : -ESTALE);
		return;
	}
	if (n->busy) {
		node_wait(n, c);
		return;
	}
	d = calloc(1, sizeof(*d));
	if (!d) {
		call_done(c, -ENOMEM);
		return;
	}
	call_keep(c);
	d->task.start = drop_start;
	d->v = v;
	d->n = n;
	d->call = c;
	n->busy = true;
	n->opens++;
	commit_queue_enter(n->vol, &d->task);
}
