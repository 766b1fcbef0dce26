/* SPDX-License-Identifier: Zlib */
#include "vfs/ops/split.h"

#include <errno.h>
#include <string.h>

#include "vfs/tree/object.h"
#include "vfs/tree/path.h"
#include "vfs/tree/stage.h"
#include "vfs/tree/wait.h"
#include "vfs/ops/commit.h"
#include "vfs/ops/move.h"
#include "vfs/ops/step.h"

static void split_done(struct vfs *v, struct node *n, void *arg, int r)
{
	(void)n;
	(void)r; /* a refusal leaves a draft of the new object, with its reason */
	call_again(v, arg);
}

/* The renamed file becomes a new object: its content, which is in its stage now, is put there. */
static void split_live(struct vfs *v, struct call *c, int r)
{
	struct object *o = object_find(v, c->split);
	struct volume *vol = v->vol;
	struct node *n;
	entry_id fresh;

	c->split_told = true;
	if (r < 0) {
		call_done(c, r);
		return;
	}
	/* Since then its file went, or somebody else was the last to close it. */
	if (!o || o->state != OBJECT_HERE || !o->node->stage) {
		call_again(v, c);
		return;
	}
	n = o->node;
	r = vol->format->tree->add(&vol->now, n->parent->id, n->name, n->dir, &fresh, NULL);
	/* A part has one place only: what was moved away from it is no part any more. */
	if (r == 0 && fresh == c->split)
		r = -EXDEV;
	if (r < 0) {
		call_done(c, r);
		return;
	}
	if (o->away)
		r = object_left(v, n, OBJECT_KEPT); /* the journal says where it goes */
	else
		object_forget(v, c->split);
	if (r < 0) {
		call_done(c, r);
		return;
	}
	node_show(v, n, LENS_NEW, fresh);
	n->stage->state = STAGE_WRITTEN;
	r = object_here(v, n);
	if (r < 0)
		call_done(c, r);
	else if (n->writers || n->busy) /* its own close puts it */
		call_again(v, c);
	else
		commit_own(v, n, false, split_done, c);
}

bool split_needed(const struct vfs *v, const struct place *p)
{
	const struct object *o = p->kind == PLACE_ID ? object_find(v, p->id) : NULL;
	char other[NAME_MAX + 1];

	/* At its old path (seq 0) it is no other file's; nor where that very file is to be
	 * replaced, be it by its other form. */
	if (!o || o->state != OBJECT_HERE || o->seq == 0 || o->node->dir || o->node == p->target)
		return false;
	return o->node->parent != p->dir || !object_alternate(v, p->dir->id, p->name, other) ||
	       strcmp(o->node->name, other) != 0;
}

bool split_returns(const struct vfs *v, const struct place *p)
{
	const struct object *o = place_of_return(p) ? object_find(v, p->id) : NULL;

	return o && o->state != OBJECT_GONE;
}

static void returned(struct vfs *v, struct call *c, int r)
{
	c->split_told = true;
	if (r < 0)
		call_done(c, r);
	else
		call_again(v, c);
}

/* The saved map has the object elsewhere, and a mount of that knows of no other place of it. */
static void record_return(struct vfs *v, const struct place *p, struct call *c, step_fn fn)
{
	const struct object *o = object_find(v, p->id);
	CLEANUP(free) char *to = place_new_path(p), *shown = path_ending(v->vol, to, o->name);
	CLEANUP(free) char *from = o->node ? node_log_path(o->node) : move_left_log_path(v, o);

	step_record(v, c, JOURNAL_RENAME, from, shown, fn);
}

int split_off(struct vfs *v, const struct place *p, struct call *c)
{
	struct object *o = object_find(v, p->id);
	bool told;
	int r;

	if (!split_needed(v, p)) {
		if (!split_returns(v, p) || (c->split == p->id && c->split_told))
			return 0;
		c->split = p->id;
		record_return(v, p, c, returned);
		return 1;
	}
	if (o->node->busy) {
		node_wait(o->node, c);
		return 1;
	}
	r = stage_begin(v, o->node, false, c);
	if (r != 0)
		return r;
	told = c->split == p->id && c->split_told;
	c->split = p->id;
	if (split_returns(v, p) && !told)
		record_return(v, p, c, split_live);
	else
		step_run(v, c, split_live);
	return 1;
}
