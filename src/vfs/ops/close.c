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

struct commit {
	struct change_task task; /* first */
	struct validation judged;
	struct vfs *v;
	struct inode *n;
	enum close_kind kind;
	bool forgetting;       /* the name of the other form is about to be forgotten */
	bool spoiled;          /* the view: what the kernel holds of it is to be forgotten */
	struct snapshot *base; /* for which it was parsed */
	int found;             /* what find_entry said then */
	struct extent kept;    /* where the journal has it */
	char *path;
	struct error e; /* the journal could not take it */
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

static void commit_end(struct job *j)
{
	struct commit *p = (struct commit *)j;
	struct vfs *v = p->v;
	struct inode *n = p->n;

	p->done(v, n, p->arg, p->r);
	n->opens--;
	validation_finish(&p->judged);
	snapshot_unref(p->base);
	extent_finish(&p->kept);
	free(p->path);
	free(p);
	inode_free_unused(v, n);
}

/* No name is known any more that is not there. */
static void commit_forgotten(struct job *j)
{
	struct commit *p = (struct commit *)j;

	p->task.job.done = commit_end;
	if (p->spoiled)
		view_tell(p->v, &p->task.job);
	else
		commit_end(j);
}

/* The queue is left, and what waited for the file runs before the verdict is told. */
static void commit_leave(struct commit *p)
{
	struct vfs *v = p->v;
	struct inode *n = p->n;

	sync_want(v->vol);
	change_queue_leave(v->vol);
	if (!p->forgetting)
		commit_forgotten(&p->task.job);
	inode_ready(v, n);
}

/* Whoever closed a file of one form does not find the other one any more. */
static int accept(struct commit *p)
{
	struct vfs *v = p->v;
	int r;

	p->task.job.done = commit_forgotten;
	v->form_change_job = &p->task.job;
	r = overlay_accept(v->overlay, p->n->oentry);
	p->forgetting = !TAKE(v->form_change_job);
	return r;
}

/* Why it is no part of the map; NULL: it is; "": it was cut, and is not judged yet, which leaves
 * what was accepted before. */
static const char *reason(const struct commit *p)
{
	if (validation_refuses(&p->judged))
		return error_text(&p->judged.error);
	return p->kind == CLOSE_UNVALIDATED ? "" : NULL;
}

static void commit_settled(struct job *j)
{
	struct commit *p = (struct commit *)j;
	struct inode *n = p->n;
	struct oentry *u = n->oentry;
	bool refused = validation_refuses(&p->judged);

	/* It stands nowhere any more, or where it means nothing; or what kept it from being judged
	 * says nothing of it. */
	if (!file_is_validated(n) || error_is_transient(p->judged.r)) {
		p->r = file_is_validated(n) ? p->judged.r : 0;
		commit_leave(p);
		return;
	}
	if (p->e.code == 0 && (p->kept.file || p->kept.mem)) {
		p->e.code = oentry_write(u, extent_ref(&p->kept), reason(p));
		if (p->e.code == 0)
			oentry_keep_parsed(u, parsed_ref(p->judged.parsed));
	}
	if (p->e.code == 0 && !refused && p->kind == CLOSE_VALIDATED)
		p->e.code = accept(p);
	p->r = p->e.code ? p->e.code : refused ? -EINVAL : 0;
	if (p->path && (p->r == 0 || refused))
		refusals_remove(&p->v->refusals, p->path);
	n->write_buffer->close_error = p->e.code;
	if (p->e.code == 0) {
		p->spoiled = view_spoil(p->v);
		n->write_buffer->state =
			p->kind == CLOSE_UNVALIDATED ? BUFFER_LOGGED : BUFFER_CLEAN;
		n->write_buffer->expects_close = false;
		if (file_drop_write_buffer(n))
			inode_invalidate(p->v, &n, 1, NULL);
	}
	if (refused)
		note_refusal(p->v, p->path, &p->judged);
	commit_leave(p);
}

/* On a worker. */
static void commit_run(struct job *j)
{
	struct commit *p = (struct commit *)j;
	const char *why;

	/* Again, if check_entry has found another entry or base. */
	if (p->judged.map)
		validate(&p->judged);
	why = reason(p);
	if (error_is_transient(p->judged.r))
		return;
	if (why && !*why)
		why = "was cut, and is judged when it is closed or saved";
	(void)journal_append(&p->v->vol->journal,
		&(struct journal_op){
			.type = why ? JOURNAL_DRAFT : JOURNAL_PUT,
			.path = p->path,
			.reason = why,
			.content = &p->judged.bytes,
		},
		&p->kept, &p->e);
	if (p->e.code == 0 && (p->kept.file || p->kept.mem))
		validation_move(&p->judged, &p->kept);
}

/* For which entry it is to be parsed. */
static void find_entry(struct commit *p, struct validation *j)
{
	j->r = overlay_identify(p->v->overlay, p->n->oentry, &j->id, &j->parsed_id, &j->error);
	if (j->r == 0 && p->judged.bytes.size > file_max_size(p->n))
		j->r = error_set(&j->error, -EINVAL, "is larger than any such file (%ju bytes)",
			(uintmax_t)p->judged.bytes.size);
	j->map = snapshot_ref(p->v->overlay->shape);
}

/* If the entry or the base is another one than when the content was parsed, forget the parsed
 * value. */
static void check_entry(struct commit *p)
{
	struct validation now = {0}, *j = &p->judged;

	find_entry(p, &now);
	if (p->base == p->v->overlay->base && now.r == p->found && now.id == j->id &&
		now.parsed_id == j->parsed_id && !error_is_transient(j->r)) {
		validation_finish(&now);
		return;
	}
	now.bytes = j->bytes;
	j->bytes = (struct extent)EXTENT_INIT;
	validation_finish(j);
	*j = now;
}

static bool commit_start(struct change_task *t)
{
	struct commit *p = (struct commit *)t;

	if (!file_is_validated(p->n))
		return false;
	if (p->kind == CLOSE_VALIDATED)
		check_entry(p);
	p->path = inode_path(p->n);
	if (!p->path)
		p->judged.r = -ENOMEM;
	return p->path != NULL;
}

/* Beside the queue, on a worker. */
static void parse_run(struct job *j)
{
	validate(&((struct commit *)j)->judged);
}

static void parse_done(struct job *j)
{
	struct commit *p = (struct commit *)j;

	p->task.job = (struct job){commit_run, commit_settled, NULL};
	change_queue_enter(p->v->vol, &p->task);
}

/* It follows from the rest of the map: what was written is dropped, and it is there as before. */
static void drop(struct vfs *v, struct inode *n, close_done done, void *arg)
{
	CLEANUP(free) char *path = inode_path(n);

	if (path)
		volume_dropped(v->vol, path);
	n->write_buffer->state = BUFFER_CLEAN;
	n->opens++;
	if (file_drop_write_buffer(n))
		inode_invalidate(v, &n, 1, NULL);
	done(v, n, arg, 0);
	n->opens--;
	inode_free_unused(v, n);
}

void close_content(struct vfs *v, struct inode *n, enum close_kind kind, close_done done, void *arg)
{
	struct commit *p;

	if (inode_is_generated(n)) {
		drop(v, n, done, arg);
		return;
	}
	p = calloc(1, sizeof(*p));
	if (!p || spool_extent(n->write_buffer->spool, &p->judged.bytes, NULL) < 0) {
		free(p);
		done(v, n, arg, -ENOMEM);
		return;
	}
	p->task = (struct change_task){.job = {parse_run, parse_done, NULL}, .start = commit_start};
	p->v = v;
	p->n = n;
	p->kind = kind;
	p->done = done;
	p->arg = arg;
	n->is_busy = true;
	n->opens++;
	if (kind == CLOSE_VALIDATED && file_is_validated(n)) {
		p->base = snapshot_ref(v->overlay->base);
		find_entry(p, &p->judged);
		p->found = p->judged.r;
		pool_submit(v->pool, &p->task.job);
	} else {
		parse_done(&p->task.job);
	}
}
