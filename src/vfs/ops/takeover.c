/* SPDX-License-Identifier: Zlib */
/*
 * A rename that writes: the content of the moved file is put to the lens that its new name is, and
 * then the file stands there.
 */
#include "vfs/ops/takeover.h"

#include <errno.h>
#include <string.h>

#include "vfs/tree/attr.h"
#include "vfs/tree/object.h"
#include "vfs/tree/path.h"
#include "vfs/tree/place.h"
#include "vfs/tree/stage.h"
#include "vfs/tree/wait.h"
#include "vfs/ops/accept.h"
#include "vfs/ops/commit.h"
#include "vfs/ops/ops.h"
#include "vfs/ops/split.h"
#include "vfs/ops/step.h"
#include "vfs/ops/waiting.h"

/* The content of n to another lens; then n stands there. */
struct takeover {
	struct call *call;
	struct node *n;
	struct node *target; /* what stood there, or NULL */
	struct snapshot *old;
	entry_id id;
	bool fresh;  /* ... of an object that was made for it */
	bool back;   /* ... of n's own, whose file it was (move_comes_back) */
	bool logged; /* the journal knows of n's own place */
	bool loaded; /* n's stage was made for this, and goes if nothing comes of it */
};

static void took_over(struct vfs *v, const struct takeover *t, struct node *n, struct node *dir)
{
	const struct object *o = object_find(v, t->id);
	struct forgotten gone = {0};
	struct node *target = t->target;

	if (target && target->parent) {
		/* Who has the replaced file open goes on reading what it was. */
		if (!node_scratch(target))
			node_freeze(v, target, t->old);
		place_detach(v, target);
	}
	if (!node_scratch(n) && !object_second(v, n))
		(void)object_left(v, n, OBJECT_GONE);
	(void)place_node(v, n, dir, t->call->to_name);
	node_show(v, n, t->fresh ? LENS_NEW : LENS_LIVE, t->id);
	if (t->fresh || o)
		(void)object_here(v, n);
	if (n->pending)
		return;
	accept_content(v, n, &gone);
	forgotten_tell(v, &gone, NULL);
	if (file_retire(n))
		node_invalidate(v, &n, 1, NULL);
}

static void takeover_end(struct vfs *v, struct call *c, int r)
{
	struct takeover *t = c->takeover;
	struct node *dir = node_find(v, c->to_ino), *n = t->n;

	if (r == 0)
		r = dir ? 0 : -ESTALE;
	if (r == 0)
		took_over(v, t, n, dir);
	else if (t->loaded && !node_scratch(n) && n->stage && n->stage->state == STAGE_CLEAN)
		stage_drop(n); /* it has its lens; scratch has nothing else */
	if (t->target) {
		t->target->opens--;
		node_free_unused(v, t->target);
	}
	snapshot_unref(t->old);
	free(t);
	waiting_answer(v, c, n, r);
	n->opens--;
	node_free_unused(v, n);
}

static void taken_over(struct vfs *v, struct node *n, void *arg, int r)
{
	struct takeover *t = arg;

	if (r < 0) {
		takeover_end(v, t->call, r);
	} else if (t->logged) {
		/* An object's file that was moved over another one is gone from its own place. */
		step_remove(v, t->call, n, takeover_end);
	} else {
		step_run(v, t->call, takeover_end);
	}
}

/* The object of that place was removed from where the last save has it: where that was. */
static char *revived_from(struct vfs *v, const struct place *to)
{
	const struct object *o = place_of_return(to) ? object_find(v, to->id) : NULL;

	return o && o->state == OBJECT_GONE ? move_removed_log_path(v, o, to->name) : NULL;
}

/* Where t's content goes, and the object from where. */
static int find_names(
	struct vfs *v, const struct takeover *t, const struct move *m, struct commit_names *ret)
{
	ret->path = place_path(&m->to);
	ret->log_path = t->back ? move_log_path(v, m) : place_log_path(&m->to);
	ret->from = t->back ? move_left_log_path(v, object_find(v, m->n->origin))
			    : revived_from(v, &m->to);
	ret->revives = ret->from && !t->back;
	if (ret->path && ret->log_path && (ret->from || !t->back))
		return 0;
	commit_names_finish(ret);
	return -ENOMEM;
}

static int find_again(struct vfs *v, struct node *n, void *arg, struct commit_names *ret)
{
	const struct takeover *t = arg;
	struct move m;
	int r = move_find(v, t->call, &m);

	if (r < 0)
		return r;
	if (t->fresh) /* it has been added, and nobody knows */
		m.to.kind = PLACE_NEW;
	r = m.n == n ? find_names(v, t, &m, ret) : -ENOENT;
	if (m.to.target)
		node_free_unused(v, m.to.target);
	node_free_unused(v, m.n);
	return r;
}

/* n's stage is there. At the head of the commit queue, for the object that may have to be made. */
static void take_over_live(struct vfs *v, struct call *c, int r)
{
	struct volume *vol = v->vol;
	struct commit_names names = {0};
	struct commit_request rq;
	struct takeover *t = NULL;
	struct move m;

	if (r == 0)
		r = move_find(v, c, &m);
	/* Since then somebody else began to change it, or was the last to close it. */
	if (r == 0 && (m.n->busy || !m.n->stage)) {
		call_again(v, c);
		return;
	}
	if (r == 0) {
		t = calloc(1, sizeof(*t));
		r = t ? 0 : -ENOMEM;
	}
	if (r == 0) {
		t->back = move_comes_back(v, &m);
		t->fresh = m.to.kind == PLACE_NEW && !t->back;
		t->id = t->back ? m.n->origin : m.to.id;
		r = find_names(v, t, &m, &names);
	}
	if (r == 0) {
		if (t->fresh)
			r = vol->format->tree->add(
				&vol->now, m.to.dir->id, m.to.name, false, &t->id, NULL);
	}
	if (r < 0) {
		commit_names_finish(&names);
		free(t);
		call_done(c, r);
		return;
	}
	t->call = c;
	c->takeover = t;
	t->n = m.n;
	m.n->opens++;
	t->target = m.to.target;
	t->old = snapshot_ref(vol->now);
	t->loaded = c->loaded;
	node_keep_time(m.n); /* a rename is no write */
	/* A new file is in the journal if it was refused: as a draft. */
	t->logged = !node_scratch(m.n) &&
		    (m.n->lens != LENS_NEW || m.n->stage->verdict < 0 || m.n->stage->ahead);
	if (t->target)
		t->target->opens++;
	rq = (struct commit_request){
		.kind = COMMIT_TAKEOVER,
		.node = m.n,
		.id = t->id,
		.names = names,
		.find = find_again,
		.always = true,
		.done = taken_over,
		.arg = t,
	};
	commit_request(v, &rq);
}

static void judged_first(struct vfs *v, struct node *n, void *arg, int r)
{
	struct call *c = arg;

	c->judged = true;
	if (r < 0 && c->loaded && !node_scratch(n))
		stage_drop(n);
	if (r < 0)
		call_done(c, r);
	else
		call_again(v, c);
}

/* What is refused splits nothing off. */
static void judge_first(struct vfs *v, struct call *c, const struct move *m)
{
	struct node *n = m->n;
	struct commit_request rq = {.kind = COMMIT_DRY,
		.node = n,
		.id = move_comes_back(v, m) ? n->origin : m->to.id,
		.done = judged_first,
		.arg = c};

	call_keep(c);
	commit_request(v, &rq);
}

void move_take_over(struct vfs *v, struct call *c, const struct move *m)
{
	struct node *n = m->n, *target = m->to.target;
	bool had = n->stage != NULL;
	struct entry en = {.writable = true};
	int r = 0;

	if (target && !node_scratch(target))
		r = node_entry(target, &en, NULL);
	if (r == -EIO)
		r = 0; /* the other form: it is about to be */
	if (r == 0 && target && !en.writable && !target->stage)
		r = -EACCES;
	if (r == 0 && !had)
		c->loaded = true;
	if (r == 0)
		r = stage_begin(v, n, false, c);
	if (r > 0)
		return;
	if (r == 0 && !c->judged &&
		(split_needed(v, &m->to) || split_returns(v, &m->to) || move_comes_back(v, m))) {
		judge_first(v, c, m);
		return;
	}
	if (r == 0 && move_comes_back(v, m) && move_leave_second(v, c, n))
		return;
	if (r == 0)
		r = split_off(v, &m->to, c);
	if (r > 0)
		return;
	if (r < 0)
		call_done(c, r);
	else
		step_run(v, c, take_over_live);
}
