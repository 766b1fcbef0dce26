/* SPDX-License-Identifier: Zlib */
/*
 * A commit: what was written is judged on a worker against a version of the model, and then, alone
 * in the volume's commit queue, applied to the newest one and written to the journal. The new
 * version counts only once the journal has it; a version that came in between sends the commit back
 * to the judge.
 */
#include "vfs/ops/commit.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "vfs/volume/commit_queue.h"
#include "vfs/volume/sync.h"
#include "vfs/tree/attr.h"
#include "vfs/tree/object.h"
#include "vfs/tree/path.h"
#include "vfs/tree/stage.h"
#include "vfs/tree/wait.h"
#include "vfs/ops/accept.h"

struct commit {
	struct job job;
	struct commit_task task;
	struct vfs *v;
	struct volume *vol;
	struct commit_request rq;
	uint64_t renamed;       /* the volume's, when the request's names were right */
	struct extent in, kept; /* what is judged; and where the journal has it, if it waits */
	struct snapshot *base, *next;
	struct change *change;
	struct touched touched;
	struct error why;
	int r;
	bool pending;               /* it cannot be judged yet */
	bool unkept;                /* the journal could not take it */
	struct forgotten forgotten; /* the other form, which is gone */
};

static void commit_judge(struct commit *p);

/* Is it the node's own content? */
static bool is_own(const struct commit *p)
{
	return p->rq.kind >= COMMIT_CLOSED;
}

static bool is_again(const struct commit *p)
{
	return p->rq.kind >= COMMIT_AGAIN;
}

void commit_names_finish(struct commit_names *names)
{
	free(names->path);
	free(names->log_path);
	free(names->from);
	*names = (struct commit_names){0};
}

static void commit_free(struct commit *p)
{
	change_free(p->change);
	snapshot_unref(p->base);
	snapshot_unref(p->next);
	touched_finish(&p->touched);
	extent_finish(&p->in);
	extent_finish(&p->kept);
	commit_names_finish(&p->rq.names);
	free(p);
}

static void commit_end(struct job *j)
{
	struct commit *p = (struct commit *)j;
	struct vfs *v = p->v;
	struct node *n = p->rq.node;

	p->rq.done(v, n, p->rq.arg, p->r);
	n->opens--;
	commit_free(p);
	node_free_unused(v, n);
}

static void commit_forget(struct job *j)
{
	struct commit *p = (struct commit *)j;

	p->job.done = commit_end;
	forgotten_tell(p->v, &p->forgotten, &p->job);
}

struct told {
	struct node **nodes;
	size_t n, room;
};

static void told_add(struct told *t, struct node *n)
{
	n->cached = false;
	if (array_room(t->nodes, t->n, t->room))
		t->nodes[t->n++] = n;
}

/* Names in it came or went: the kernel compares the time of what it remembers of a listing. */
static void told_add_dir(const struct commit *p, struct told *t, struct node *dir)
{
	if (!dir)
		return;
	if (p->vol->replay != REPLAY_UNDER_WAY)
		node_touch(dir, ATTR_MTIME);
	told_add(t, dir);
}

/* Does its directory no longer have it, by no request for its name? */
static bool is_gone(const struct commit *p, const struct node *n)
{
	struct entry en;

	return !n->names && n->parent && n->parent->lens != LENS_NONE &&
	       p->vol->format->lookup(p->vol->now, n->parent->id, n->name, &en, NULL) == -ENOENT;
}

/* n shows something else now; or may, where all were touched. */
static void told_add_other(const struct commit *p, struct told *t, struct node *n)
{
	if (node_scratch(n) || n == p->rq.node)
		return;
	if (n->dir) {
		told_add_dir(p, t, n);
		return;
	}
	/* Who reads on what was written here before reads what is there now. */
	if (!p->touched.all && !n->writers && n->stage && n->stage->state == STAGE_CLEAN &&
		n->stage->verdict == 0 && !n->pending && !n->busy)
		stage_drop(n);
	told_add(t, n);
	if (is_gone(p, n))
		node_forget_name(p->v, n);
}

/* The kernel forgets what it holds of the file and of those that changed with it; then commit_end.
 */
static void commit_tell(struct commit *p)
{
	struct vfs *v = p->v;
	struct told t = {0};

	p->job.done = commit_end;
	told_add(&t, p->rq.node);
	if (p->forgotten.dir)
		told_add_dir(p, &t, node_find(v, p->forgotten.dir));
	for (struct node *n = NULL; p->touched.all && (n = node_next(v, n));)
		told_add_other(p, &t, n);
	for (size_t i = 0; !p->touched.all && i < p->touched.n; i++)
		for (struct node *n = NULL; (n = node_showing(v, p->vol, p->touched.ids[i], n));)
			told_add_other(p, &t, n);
	if (p->vol->reopened && (p->touched.all || p->touched.n))
		nodes_tell_unknown(v, p->touched.all ? NULL : p->touched.ids, p->touched.n);
	if (p->forgotten.dir && p->rq.may_wait)
		p->job.done = commit_forget;
	else
		forgotten_tell(v, &p->forgotten, NULL);
	node_invalidate(v, t.nodes, t.n, &p->job);
	free(t.nodes);
}

/* A program hears EINVAL and no more, if it listens at all. */
static void tell_refusal(const struct commit *p)
{
	CLEANUP(free) char *line = NULL;

	/* Judged again, it is still what it was. */
	if (p->r < 0 && p->v->vol->replay != REPLAY_UNDER_WAY &&
		!(is_again(p) && p->rq.logged == LOGGED_DRAFT) &&
		asprintf(&line, "refused: %s: %s", p->rq.names.path,
			p->why.code ? error_text(&p->why) : strerror(-p->r)) >= 0)
		p->v->host->note(p->v->host, line);
}

static void commit_settled(struct job *j)
{
	struct commit *p = (struct commit *)j;
	struct node *n = p->rq.node;
	struct stage *s = n->stage;
	bool waited = n->pending && s && s->verdict == 0;

	assert(p->vol->commit_queue == &p->task);
	if (p->r == 0 && p->change) {
		snapshot_unref(p->vol->now);
		p->vol->now = TAKE(p->next);
	}
	/* What goes on waiting changes the map only at the save. What waited may say by now what
	 * stands there, because of others that waited: it is a change all the same. */
	if (p->r == 0 && (p->pending ? p->change && p->vol->situated : p->change || waited))
		volume_changed(p->vol, p->rq.names.path, p->rq.id);
	if (p->r < 0)
		touched_finish(&p->touched);
	if (p->r == 0 && node_derived(n))
		volume_dropped(p->vol, p->rq.names.path);
	/* What is refused may fit later: it is judged again with what waits. */
	node_pending(n, p->r == 0 ? p->pending : is_own(p));
	if (p->r == 0 && !p->pending && p->rq.id == n->id)
		accept_content(p->v, n, &p->forgotten);
	/* What is refused elsewhere is no draft here, and what goes on waiting is what it was. */
	if (s && (p->r == 0 || is_own(p)) && !(is_again(p) && p->pending)) {
		s->state = p->unkept ? STAGE_UNKEPT : STAGE_CLEAN;
		s->begun = false;
		s->ahead &= p->unkept;
		s->verdict = p->r;
		s->why = p->why;
		if (p->unkept || (p->r == 0 && !p->pending))
			stage_keep(s, NULL);
		else if (!is_again(p))
			stage_keep(s, p->kept.file ? &p->kept : &p->in);
		tell_refusal(p);
	}
	/* What it waits for may be another by now. */
	if (s && p->r == 0 && is_again(p) && p->pending)
		memcpy(s->why.text, p->why.text, sizeof(s->why.text));
	if (p->r == 0 && p->rq.id == n->id)
		(void)file_retire(n);
	sync_want(p->v->vol);
	commit_queue_leave(p->vol);
	commit_tell(p);
	node_ready(p->v, n);
}

/* On a worker: what the verdict is worth in the journal. */
static void commit_journal(struct job *j)
{
	struct commit *p = (struct commit *)j;
	struct journal *log = &p->vol->journal;
	struct error e = ERROR_INIT;
	int r = 0;

	/* What is tried again is there already, as what it was; what was closed as if accepted. */
	bool there = p->rq.logged == LOGGED_CONTENT ? p->r == 0
						    : is_again(p) && (p->pending || p->r < 0);

	if (p->v->vol->replay == REPLAY_UNDER_WAY || there)
		return;
	if (p->pending) {
		r = journal_put(log, p->rq.names.log_path, &p->in, &p->kept, &e);
	} else if (p->r < 0) {
		if (is_own(p))
			r = journal_draft(log, p->rq.names.log_path, error_text(&p->why), &p->in,
				&p->kept, &e);
	} else if (p->change || p->rq.always) {
		if (p->rq.names.from && p->rq.names.revives)
			r = journal_put(log, p->rq.names.from, &p->in, NULL, &e);
		if (r == 0 && p->rq.names.from)
			r = journal_name(
				log, JOURNAL_RENAME, p->rq.names.from, p->rq.names.log_path, &e);
		if (r == 0)
			r = journal_put(log, p->rq.names.log_path, &p->in, NULL, &e);
	} else if (p->rq.logged == LOGGED_DRAFT) {
		r = journal_drop(log, p->rq.names.log_path, &e);
	}
	if (r < 0) {
		/* What the journal does not have is not done, and may be tried again. */
		p->unkept = true;
		p->r = r;
		p->why = e;
	}
}

/* Not the content's fault, nor that of what it is written to: the same bytes may be accepted when
 * the disk, the memory or whatever else was short is well again. */
static bool passing(int r)
{
	return r < 0 && r != -EINVAL && r != -EAGAIN && r != -EFBIG && r != -ENOENT;
}

/* Does anything that is no draft wait beside n? Drafts alone were judged at a save. */
static bool closed_beside(const struct node *n)
{
	const struct node *k;

	TAILQ_FOREACH (k, &n->vol->pending, in_pending)
		if (k != n && k->parent == n->parent && k->stage && k->stage->verdict == 0)
			return true;
	return false;
}

/* Do its names mean something else than when they were found? */
static bool has_moved(const struct commit *p)
{
	return p->rq.find && p->renamed != p->vol->renamed;
}

static void commit_apply(struct commit_task *t)
{
	struct commit *p = container_of(t, struct commit, task);

	if (p->base != p->vol->now || objects_unnamed(p->v) || has_moved(p)) {
		commit_queue_leave(p->vol);
		commit_judge(p);
		return;
	}
	/* Closed is kept, and judged as soon as what it needs is there; its author sees no error.
	 */
	p->pending = p->r == -EAGAIN && p->rq.kind != COMMIT_LAST;
	if (p->pending) {
		p->r = 0;
		if (p->rq.logged == LOGGED_DRAFT && !closed_beside(p->rq.node))
			change_free(TAKE(p->change));
	} else if (p->r == -EAGAIN) /* what it waited for is not there: a refusal like any other */
		p->r = error_of_others(&p->why, -EINVAL);
	if (p->r == 0 && p->change) {
		p->next = snapshot_ref(p->vol->now);
		p->r = p->vol->format->edit->apply(&p->next, p->change, &p->touched, &p->why);
	}
	p->unkept = passing(p->r);
	p->job = (struct job){commit_journal, commit_settled, NULL};
	pool_submit(p->v->pool, &p->job);
}

static void commit_parse(struct job *j)
{
	struct commit *p = (struct commit *)j;

	p->why = (struct error)ERROR_INIT;
	p->r = p->vol->format->edit->parse(p->base, p->rq.id, &p->in, &p->change, &p->why);
}

static void commit_parsed(struct job *j)
{
	struct commit *p = (struct commit *)j;

	if (p->rq.kind == COMMIT_DRY) {
		p->r = p->r == -EAGAIN ? 0 : p->r;
		node_ready(p->v, p->rq.node);
		commit_end(j);
	} else {
		commit_queue_enter(p->vol, &p->task);
	}
}

static void commit_named(struct commit_task *t)
{
	struct commit *p = container_of(t, struct commit, task);

	objects_tell(p->v);
	p->task.start = commit_apply;
	commit_queue_leave(p->vol);
	commit_judge(p);
}

/* What stood before it in the queue renamed something, or was a save: where does it go now? false:
 * it ends here, since its file stands nowhere any more, or for want of memory. */
static bool commit_follow(struct commit *p)
{
	struct node *n = p->rq.node;

	commit_names_finish(&p->rq.names);
	p->renamed = p->vol->renamed;
	p->r = 0;
	if (!is_own(p) || file_judged(n))
		p->r = p->rq.find(p->v, n, p->rq.arg, &p->rq.names);
	if (p->rq.names.path)
		return true;
	node_ready(p->v, n);
	commit_end(&p->job);
	return false;
}

static void commit_judge(struct commit *p)
{
	if (has_moved(p) && !commit_follow(p))
		return;
	/* What it refers to is found by the names of now. */
	if (objects_unnamed(p->v)) {
		p->task.start = commit_named;
		commit_queue_enter(p->vol, &p->task);
		return;
	}
	change_free(TAKE(p->change));
	snapshot_unref(p->base);
	p->base = snapshot_ref(p->vol->now);
	p->job = (struct job){commit_parse, commit_parsed, NULL};
	pool_submit(p->v->pool, &p->job);
}

void commit_request(struct vfs *v, const struct commit_request *rq)
{
	struct node *n = rq->node;
	struct commit *p = calloc(1, sizeof(*p));
	struct commit_names names = rq->names;
	int r = p ? 0 : -ENOMEM;

	/* Renamed here, from where it may be larger. */
	if (r == 0 && spool_size(n->stage->spool) > file_most_of(n->vol, rq->id))
		r = -EINVAL;
	if (r == 0)
		r = spool_extent(n->stage->spool, &p->in, NULL);
	if (r < 0) {
		free(p);
		commit_names_finish(&names);
		rq->done(v, n, rq->arg, r);
		return;
	}
	p->v = v;
	p->vol = n->vol;
	p->rq = *rq;
	p->task.start = commit_apply;
	p->renamed = n->vol->renamed;
	n->busy = true;
	n->opens++;
	commit_judge(p);
}
