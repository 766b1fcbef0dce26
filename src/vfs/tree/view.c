/* SPDX-License-Identifier: Zlib */
#include "vfs/tree/view.h"

#include <errno.h>
#include <string.h>

#include "base/array.h"
#include "vfs/tree/wait.h"
#include "vfs/volume/commit_queue.h"

struct refresh {
	struct commit_task task; /* first */
	struct job job;
	struct vfs *v;
	struct snapshot *base;
	struct tree_entry *entries;
	struct upper **uppers;
	size_t n;
	struct built built;
	int r;
};

static void run_waiting(struct vfs *v)
{
	struct call *c = v->view.waiting, *next;

	v->view.waiting = NULL;
	for (; c; c = next) {
		next = c->next;
		call_again(v, c);
	}
}

static void refresh_end(struct refresh *f)
{
	struct vfs *v = f->v;

	v->view.under_way = false;
	commit_queue_leave(v->vol);
	built_finish(&f->built);
	snapshot_unref(f->base);
	free(f->entries);
	free(f->uppers);
	free(f);
	run_waiting(v);
}

static void refresh_run(struct job *j)
{
	struct refresh *f = container_of(j, struct refresh, job);

	f->r = build_view(f->base, f->entries, f->n, &f->built, NULL);
}

static void forget_gone(struct vfs *v)
{
	for (struct node *n = NULL; (n = node_next(v, n));)
		if (!n->misnamed && upper_is_gone(v->tree, n->at))
			node_forget_name(v, n);
}

static void refresh_done(struct job *j)
{
	struct refresh *f = container_of(j, struct refresh, job);
	struct overlay *o = f->v->tree;

	if (f->r == 0) {
		snapshot_unref(o->shape);
		o->shape = snapshot_ref(f->built.map);
		o->shapes++;
		f->v->view.waits = f->built.n_waiting;
		for (size_t i = 1; i < f->n; i++)
			if (f->uppers[i]->from == ENTRY_NONE)
				f->uppers[i]->id = f->built.entries[i].id;
		forget_gone(f->v);
	}
	refresh_end(f);
}

/* Where memory is short, what is shown is what it was. */
static void refresh_start(struct commit_task *t)
{
	struct refresh *f = (struct refresh *)t;
	struct vfs *v = f->v;

	v->view.stale = false;
	f->base = snapshot_ref(v->tree->base);
	if (overlay_tree(v->tree, &f->entries, &f->uppers, &f->n) < 0) {
		refresh_end(f);
		return;
	}
	f->job = (struct job){refresh_run, refresh_done, NULL};
	pool_submit(v->pool, &f->job);
}

static void wait_for(struct vfs *v, struct call *c)
{
	struct refresh *f;

	c->next = NULL;
	if (v->view.waiting)
		*v->view.end = c;
	else
		v->view.waiting = c;
	v->view.end = &c->next;
	if (v->view.under_way)
		return;
	f = calloc(1, sizeof(*f));
	if (!f) {
		v->view.stale = false;
		run_waiting(v);
		return;
	}
	f->task.start = refresh_start;
	f->v = v;
	v->view.under_way = true;
	commit_queue_enter(v->vol, &f->task);
}

bool view_wait(struct vfs *v, const struct node *n, struct call *c)
{
	const struct snapshot *s;
	entry_id id;

	if (!v->view.stale || (n && (n->at->dir || n->at->of || !node_shows(n, &s, &id))))
		return false;
	call_keep(c);
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

void view_change(struct vfs *v, const struct snapshot *s, uint64_t shapes, struct snapshot *next,
	struct touched *t)
{
	struct overlay *o = v->tree;

	if (!o->base->format->follows || v->view.stale) {
		touched_finish(t);
	} else if (v->view.waits || shapes != o->shapes || (next && o->shape != s)) {
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
