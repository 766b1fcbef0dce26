/* SPDX-License-Identifier: Zlib */
#include "vfs/ops/commit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "vfs/tree/attr.h"
#include "vfs/tree/stage.h"
#include "vfs/tree/view.h"
#include "vfs/tree/wait.h"
#include "vfs/volume/commit_queue.h"
#include "vfs/volume/sync.h"

struct commit {
	struct commit_task task; /* first */
	struct judgement judged;
	struct vfs *v;
	struct node *n;
	enum commit_kind kind;
	bool forgetting;    /* the name of the other form is about to be forgotten */
	struct extent kept; /* where the journal has it */
	char *path;
	struct error e; /* the journal could not take it */
	commit_done done;
	void *arg;
	int r;
};

void judge(struct judgement *j)
{
	j->r = j->s->format->edit->put(j->s, j->id, &j->in, NULL, &j->next, &j->touched, &j->why);
}

void judgement_finish(struct judgement *j)
{
	snapshot_unref(j->next);
	touched_finish(&j->touched);
	snapshot_unref(j->s);
	extent_finish(&j->in);
}

void commit_tell_refusal(struct vfs *v, const char *path, const struct judgement *j)
{
	CLEANUP(free) char *line = NULL;

	if (path && asprintf(&line, "refused: %s: %s", path,
			    j->why.code ? error_text(&j->why) : strerror(-j->r)) >= 0)
		v->host->note(v->host, line);
}

static void commit_end(struct job *j)
{
	struct commit *p = (struct commit *)j;
	struct vfs *v = p->v;
	struct node *n = p->n;

	p->done(v, n, p->arg, p->r);
	n->opens--;
	judgement_finish(&p->judged);
	extent_finish(&p->kept);
	free(p->path);
	free(p);
	node_free_unused(v, n);
}

/* No name is known any more that is not there. */
static void commit_forgotten(struct job *j)
{
	struct commit *p = (struct commit *)j;

	p->task.job.done = commit_end;
	view_tell(p->v, &p->judged.touched, &p->task.job);
}

/* The queue is left, and what waited for the file runs before the verdict is told. */
static void commit_leave(struct commit *p)
{
	struct vfs *v = p->v;
	struct node *n = p->n;

	sync_want(v->vol);
	commit_queue_leave(v->vol);
	if (!p->forgetting)
		commit_forgotten(&p->task.job);
	node_ready(v, n);
}

/* Whoever closed a file of one form does not find the other one any more. */
static int accept(struct commit *p)
{
	struct vfs *v = p->v;
	int r;

	p->task.job.done = commit_forgotten;
	v->leaving = &p->task.job;
	r = overlay_accept(v->tree, p->n->at);
	p->forgetting = !TAKE(v->leaving);
	return r;
}

/* The view with it, where nothing else hangs on it: else it is made anew. Of what moved the whole
 * tree says which object it is; and what was written before has left its traces (again). */
static void update_view(struct commit *p, bool again)
{
	const struct upper *u = p->n->at;
	bool is_own = u->from == ENTRY_NONE || !u->moved;

	if (p->kind == COMMIT_JUDGED && p->judged.r == 0 && !upper_is_raw(u) && is_own && !again)
		view_change(p->v, p->judged.s, p->judged.next, &p->judged.touched);
	else
		view_spoil(p->v, &p->judged.touched);
}

/* Why it is no part of the map; NULL: it is; "": it was cut, and is not judged yet, which leaves
 * what was accepted before. */
static const char *reason(const struct commit *p)
{
	if (judgement_refuses(&p->judged))
		return error_text(&p->judged.why);
	return p->kind == COMMIT_LOGGED ? "" : NULL;
}

static void commit_settled(struct job *j)
{
	struct commit *p = (struct commit *)j;
	struct node *n = p->n;
	struct upper *u = n->at;
	bool refused = judgement_refuses(&p->judged), again = u->written;

	/* It stands nowhere any more, or where it means nothing; or what kept it from being judged
	 * says nothing of it. */
	if (!file_judged(n) || error_is_transient(p->judged.r)) {
		p->r = file_judged(n) ? p->judged.r : 0;
		commit_leave(p);
		return;
	}
	if (p->e.code == 0 && (p->kept.file || p->kept.mem))
		p->e.code = upper_write(u, extent_ref(&p->kept), reason(p));
	if (p->e.code == 0 && !refused && p->kind == COMMIT_JUDGED)
		p->e.code = accept(p);
	p->r = p->e.code ? p->e.code : refused ? -EINVAL : 0;
	if (p->path && (p->r == 0 || refused))
		refusals_remove(&p->v->refusals, p->path);
	n->stage->unkept = p->e.code;
	if (p->e.code == 0) {
		update_view(p, again);
		n->stage->state = p->kind == COMMIT_LOGGED ? STAGE_LOGGED : STAGE_CLEAN;
		n->stage->begun = false;
		if (file_retire(n))
			node_invalidate(p->v, &n, 1, NULL);
	}
	if (refused)
		commit_tell_refusal(p->v, p->path, &p->judged);
	commit_leave(p);
}

/* On a worker. */
static void commit_run(struct job *j)
{
	struct commit *p = (struct commit *)j;
	const char *why = reason(p);

	if (p->judged.s && p->judged.r == 0) {
		judge(&p->judged);
		why = reason(p);
	}
	if (error_is_transient(p->judged.r))
		return;
	if (why && !*why)
		why = "was cut, and is judged when it is closed or saved";
	(void)journal_append(&p->v->vol->journal,
		&(struct journal_op){
			.type = why ? JOURNAL_DRAFT : JOURNAL_PUT,
			.path = p->path,
			.reason = why,
			.content = &p->judged.in,
		},
		&p->kept, &p->e);
}

/* For which entry it is to be judged. */
static void find_entry(struct commit *p)
{
	struct judgement *j = &p->judged;

	j->r = overlay_identify(p->v->tree, p->n->at, &j->id, &j->why);
	if (j->r == 0 && j->in.size > file_most(p->n))
		j->r = error_set(&j->why, -EINVAL, "is larger than any such file (%ju bytes)",
			(uintmax_t)j->in.size);
	j->s = snapshot_ref(p->v->tree->shape);
}

static bool commit_start(struct commit_task *t)
{
	struct commit *p = (struct commit *)t;

	if (!file_judged(p->n))
		return false;
	if (p->kind == COMMIT_JUDGED)
		find_entry(p);
	p->path = node_path(p->n);
	if (!p->path)
		p->judged.r = -ENOMEM;
	return p->path != NULL;
}

/* It follows from the rest of the map: what was written is dropped, and it is there as before. */
static void drop(struct vfs *v, struct node *n, commit_done done, void *arg)
{
	CLEANUP(free) char *path = node_path(n);

	if (path)
		volume_dropped(v->vol, path);
	n->stage->state = STAGE_CLEAN;
	n->opens++;
	if (file_retire(n))
		node_invalidate(v, &n, 1, NULL);
	done(v, n, arg, 0);
	n->opens--;
	node_free_unused(v, n);
}

void commit_close(struct vfs *v, struct node *n, enum commit_kind kind, commit_done done, void *arg)
{
	struct commit *p;

	if (node_derived(n)) {
		drop(v, n, done, arg);
		return;
	}
	p = calloc(1, sizeof(*p));
	if (!p || spool_extent(n->stage->spool, &p->judged.in, NULL) < 0) {
		free(p);
		done(v, n, arg, -ENOMEM);
		return;
	}
	p->task = (struct commit_task){
		.job = {commit_run, commit_settled, NULL}, .start = commit_start};
	p->v = v;
	p->n = n;
	p->kind = kind;
	p->done = done;
	p->arg = arg;
	n->busy = true;
	n->opens++;
	commit_queue_enter(v->vol, &p->task);
}
