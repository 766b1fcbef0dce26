/* SPDX-License-Identifier: Zlib */
#include "vfs/tree/view.h"

#include <errno.h>
#include <string.h>

#include "base/array.h"
#include "vfs/overlay/staged.h"
#include "vfs/tree/wait.h"
#include "vfs/volume/commit_queue.h"

struct refresh {
	struct commit_task task; /* first */
	struct vfs *v;
	struct staged staged;
	int r;
};

static void refresh_run(struct job *j)
{
	struct refresh *f = (struct refresh *)j;

	f->r = staged_view(&f->staged);
}

static void forget_gone(struct vfs *v)
{
	for (struct node *n = NULL; (n = node_next(v, n));)
		if (!n->misnamed && upper_is_gone(v->tree, n->at))
			node_forget_name(v, n);
}

/* Where memory is short, what is shown is what it was. */
static void refresh_done(struct job *j)
{
	struct refresh *f = (struct refresh *)j;
	const struct staged *st = &f->staged;
	struct vfs *v = f->v;

	if (f->r == 0) {
		snapshot_unref(v->tree->shape);
		v->tree->shape = snapshot_ref(st->built.map);
		v->view.waits = st->built.n_waiting;
		for (size_t i = 1; i < st->n; i++)
			if (st->uppers[i]->from == ENTRY_NONE)
				st->uppers[i]->id = st->built.entries[i].id;
		forget_gone(v);
	}
	commit_queue_leave(v->vol);
	staged_finish(&f->staged);
	free(f);
	calls_run(&v->view.waiting, v);
}

static bool refresh_start(struct commit_task *t)
{
	struct refresh *f = (struct refresh *)t;

	f->v->view.stale = false;
	f->r = staged_begin(f->v->tree, &f->staged, NULL);
	return f->r == 0;
}

static void wait_for(struct vfs *v, struct call *c)
{
	bool under_way = v->view.waiting.first;
	struct refresh *f;

	calls_add(&v->view.waiting, c);
	if (under_way)
		return;
	f = calloc(1, sizeof(*f));
	if (!f) {
		v->view.stale = false;
		calls_run(&v->view.waiting, v);
		return;
	}
	f->task = (struct commit_task){
		.job = {refresh_run, refresh_done, NULL}, .start = refresh_start};
	f->v = v;
	commit_queue_enter(v->vol, &f->task);
}

bool view_wait(struct vfs *v, const struct node *n, struct call *c)
{
	const struct snapshot *s;
	entry_id id;

	/* Who waits already waits for the one that is being made. */
	if (!v->view.stale && !v->view.waiting.first)
		return false;
	if (n && (n->at->dir || n->at->of || !node_shows(n, &s, &id)))
		return false;
	wait_for(v, c);
	return true;
}

static bool is_touched(const struct node *n, const struct touched *t)
{
	const struct snapshot *s;
	entry_id id;

	if (n->at->of || !node_shows(n, &s, &id))
		return false;
	for (size_t i = 0; !t->all && i < t->n; i++)
		if (t->ids[i] == id)
			return true;
	return t->all && (!n->at->dir || upper_is_raw(n->at));
}

void view_tell(struct vfs *v, const struct touched *t, struct job *then)
{
	struct node **nodes = NULL;
	size_t n = 0, room = 0;

	for (struct node *k = NULL; (t->all || t->n) && (k = node_next(v, k));) {
		if (!is_touched(k, t))
			continue;
		k->cached = false;
		if (upper_is_gone(v->tree, k->at))
			node_forget_name(v, k);
		else if (k->at->dir)
			names_tell(v, k);
		else if (array_room(nodes, n, room))
			nodes[n++] = k;
	}
	if (v->vol->reopened && (t->all || t->n))
		nodes_tell_unknown(v);
	if (n)
		node_invalidate(v, nodes, n, then);
	else if (then)
		pool_return(v->pool, then);
	free(nodes);
}

void view_change(struct vfs *v, const struct snapshot *s, struct snapshot *next, struct touched *t)
{
	struct overlay *o = v->tree;

	if (!o->base->format->follows || v->view.stale) {
		touched_finish(t);
	} else if (v->view.waits || (next && o->shape != s)) {
		view_spoil(v, t);
	} else if (next) {
		snapshot_unref(o->shape);
		o->shape = snapshot_ref(next);
	}
}

void view_spoil(struct vfs *v, struct touched *t)
{
	const struct touched all = {.all = true};

	if (!v->tree->base->format->follows || v->view.stale)
		return;
	v->view.stale = true;
	if (t)
		t->all = true;
	else
		view_tell(v, &all, NULL);
}
