/* SPDX-License-Identifier: Zlib */
#include "vfs/ops/close.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "vfs/tree/attr.h"
#include "vfs/tree/write_buffer.h"
#include "vfs/tree/view.h"
#include "vfs/tree/wait.h"
#include "vfs/volume/change_queue.h"
#include "vfs/volume/sync.h"

struct close_job {
	struct change_task task; /* first */
	struct validation validation;
	struct vfs *v;
	struct inode *n;
	enum close_kind kind;
	bool forgets_name;     /* the other form's name is being invalidated */
	bool invalidates_view; /* the kernel's cache must be invalidated (view_invalidate) */
	struct snapshot *base; /* for which the content was parsed */
	int entry_error;       /* result of find_entry then */
	struct extent kept;    /* content as stored in the journal */
	char *path;
	struct error store_error; /* error of the journal or the overlay */
	close_done done;
	void *arg;
	int r;
};

void validate(struct validation *j)
{
	CLEANUP(content_unref) struct content *c = NULL;

	if (j->parsed || j->r < 0)
		return;
	c = content_new(&j->bytes);
	j->r = c ? content_parse(j->map, j->id, j->parsed_id, c, &j->parsed, &j->error) : -ENOMEM;
	if (j->r == 0 && j->parsed->refusal_errno)
		j->r = parsed_error(j->parsed, &j->error);
}

void validation_move(struct validation *j, const struct extent *kept)
{
	if (j->parsed)
		content_move(j->parsed->content, kept);
}

void validation_finish(struct validation *j)
{
	parsed_unref(j->parsed);
	snapshot_unref(j->map);
	extent_finish(&j->bytes);
}

void note_refusal(struct vfs *v, const char *path, const struct validation *j)
{
	CLEANUP(free) char *line = NULL;

	if (path && asprintf(&line, "refused: %s: %s", path,
			    j->error.code ? error_text(&j->error) : strerror(-j->r)) >= 0)
		v->host->note(v->host, line);
}

static void close_end(struct job *j)
{
	struct close_job *p = (struct close_job *)j;
	struct vfs *v = p->v;
	struct inode *n = p->n;

	p->done(v, n, p->arg, p->r);
	n->references--;
	validation_finish(&p->validation);
	snapshot_unref(p->base);
	extent_finish(&p->kept);
	free(p->path);
	free(p);
	inode_free_unused(v, n);
}

/* The kernel no longer knows the name of the other form. */
static void close_forgotten(struct job *j)
{
	struct close_job *p = (struct close_job *)j;

	p->task.job.done = close_end;
	if (p->invalidates_view)
		view_invalidate(p->v, &p->task.job);
	else
		close_end(j);
}

/* Leave the queue, and run the calls that waited for the file before done(). */
static void close_leave_queue(struct close_job *p)
{
	struct vfs *v = p->v;
	struct inode *n = p->n;

	sync_request(v->vol);
	change_queue_leave(v->vol);
	if (!p->forgets_name)
		close_forgotten(&p->task.job);
	inode_ready(v, n);
}

/* Closing 03_x.png replaces 03_x.json: the other form disappears before the close returns. */
static int accept_content(struct close_job *p)
{
	struct vfs *v = p->v;
	int r;

	p->task.job.done = close_forgotten;
	v->form_change_job = &p->task.job;
	r = overlay_accept(v->overlay, p->n->oentry);
	p->forgets_name = !TAKE(v->form_change_job);
	return r;
}

/* Reason why the content is refused; NULL if it is accepted. "" if it was truncated and not
 * validated yet, so that the overlay keeps the accepted content. */
static const char *refusal_text(const struct close_job *p)
{
	if (validation_refuses(&p->validation))
		return error_text(&p->validation.error);
	return p->kind == CLOSE_UNVALIDATED ? "" : NULL;
}

static void close_apply(struct job *j)
{
	struct close_job *p = (struct close_job *)j;
	struct inode *n = p->n;
	struct oentry *u = n->oentry;
	bool refused = validation_refuses(&p->validation);

	/* The file was unlinked or became scratch; or a transient error, which says nothing about
	 * the content, prevented the validation. */
	if (!file_is_validated(n) || error_is_transient(p->validation.r)) {
		p->r = file_is_validated(n) ? p->validation.r : 0;
		close_leave_queue(p);
		return;
	}
	if (p->store_error.code == 0 && (p->kept.file || p->kept.mem)) {
		p->store_error.code = oentry_write(u, extent_ref(&p->kept), refusal_text(p));
		if (p->store_error.code == 0)
			oentry_keep_parsed(u, parsed_ref(p->validation.parsed));
	}
	if (p->store_error.code == 0 && !refused && p->kind == CLOSE_VALIDATED)
		p->store_error.code = accept_content(p);
	p->r = p->store_error.code ? p->store_error.code : refused ? -EINVAL : 0;
	if (p->path && (p->r == 0 || refused))
		refusals_remove(&p->v->refusals, p->path);
	n->write_buffer->close_error = p->store_error.code;
	if (p->store_error.code == 0) {
		p->invalidates_view = view_mark_stale(p->v);
		n->write_buffer->state =
			p->kind == CLOSE_UNVALIDATED ? BUFFER_LOGGED : BUFFER_CLEAN;
		n->write_buffer->expects_close = false;
		if (file_drop_write_buffer(n))
			inode_invalidate(p->v, &n, 1, NULL);
	}
	if (refused)
		note_refusal(p->v, p->path, &p->validation);
	close_leave_queue(p);
}

/* Append the content to the journal. On a worker thread. */
static void close_run(struct job *j)
{
	struct close_job *p = (struct close_job *)j;
	const char *why;

	/* Validate again if check_entry found another entry or base. */
	if (p->validation.map)
		validate(&p->validation);
	why = refusal_text(p);
	if (error_is_transient(p->validation.r))
		return;
	if (why && !*why)
		why = "was truncated; checked when it is closed or saved";
	(void)journal_append(&p->v->vol->journal,
		&(struct journal_op){
			.type = why ? JOURNAL_DRAFT : JOURNAL_PUT,
			.path = p->path,
			.reason = why,
			.content = &p->validation.bytes,
		},
		&p->kept, &p->store_error);
	if (p->store_error.code == 0 && (p->kept.file || p->kept.mem))
		validation_move(&p->validation, &p->kept);
}

/* Find the entry for which the content is parsed. */
static void find_entry(struct close_job *p, struct validation *j)
{
	j->r = overlay_identify(p->v->overlay, p->n->oentry, &j->id, &j->parsed_id, &j->error);
	if (j->r == 0 && p->validation.bytes.size > file_max_size(p->n))
		j->r = error_set(&j->error, -EINVAL, "is too large (%ju bytes, at most %ju)",
			(uintmax_t)p->validation.bytes.size, (uintmax_t)file_max_size(p->n));
	j->map = snapshot_ref(p->v->overlay->shape);
}

/* Drop the parsed value if the entry or the base changed after the content was parsed. */
static void check_entry(struct close_job *p)
{
	struct validation now = {0}, *j = &p->validation;

	find_entry(p, &now);
	if (p->base == p->v->overlay->base && now.r == p->entry_error && now.id == j->id &&
		now.parsed_id == j->parsed_id && !error_is_transient(j->r)) {
		validation_finish(&now);
		return;
	}
	now.bytes = j->bytes;
	j->bytes = (struct extent)EXTENT_INIT;
	validation_finish(j);
	*j = now;
}

static bool close_start(struct change_task *t)
{
	struct close_job *p = (struct close_job *)t;

	if (!file_is_validated(p->n))
		return false;
	if (p->kind == CLOSE_VALIDATED)
		check_entry(p);
	p->path = inode_path(p->n);
	if (!p->path)
		p->validation.r = -ENOMEM;
	return p->path != NULL;
}

/* Validate before entering the queue. On a worker thread. */
static void parse_run(struct job *j)
{
	validate(&((struct close_job *)j)->validation);
}

static void parse_done(struct job *j)
{
	struct close_job *p = (struct close_job *)j;

	p->task.job = (struct job){close_run, close_apply, NULL};
	change_queue_enter(p->v->vol, &p->task);
}

/* Ignore what was written to a generated file, which then shows what it showed before. */
static void drop_generated(struct vfs *v, struct inode *n, close_done done, void *arg)
{
	CLEANUP(free) char *path = inode_path(n);

	if (path)
		volume_note_dropped(v->vol, path);
	n->write_buffer->state = BUFFER_CLEAN;
	n->references++;
	if (file_drop_write_buffer(n))
		inode_invalidate(v, &n, 1, NULL);
	done(v, n, arg, 0);
	n->references--;
	inode_free_unused(v, n);
}

void close_content(struct vfs *v, struct inode *n, enum close_kind kind, close_done done, void *arg)
{
	struct close_job *p;

	if (inode_is_generated(n)) {
		drop_generated(v, n, done, arg);
		return;
	}
	p = calloc(1, sizeof(*p));
	if (!p || spool_extent(n->write_buffer->spool, &p->validation.bytes, NULL) < 0) {
		free(p);
		done(v, n, arg, -ENOMEM);
		return;
	}
	p->task = (struct change_task){.job = {parse_run, parse_done, NULL}, .start = close_start};
	p->v = v;
	p->n = n;
	p->kind = kind;
	p->done = done;
	p->arg = arg;
	n->is_busy = true;
	n->references++;
	if (kind == CLOSE_VALIDATED && file_is_validated(n)) {
		p->base = snapshot_ref(v->overlay->base);
		find_entry(p, &p->validation);
		p->entry_error = p->validation.r;
		pool_submit(v->pool, &p->task.job);
	} else {
		parse_done(&p->task.job);
	}
}
