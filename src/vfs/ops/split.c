/* SPDX-License-Identifier: Zlib */
#include "vfs/ops/split.h"

#include <errno.h>
#include <string.h>

#include "vfs/tree/object.h"
#include "vfs/tree/stage.h"
#include "vfs/tree/wait.h"
#include "vfs/ops/commit.h"
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

	if (r < 0 || !o || o->state != OBJECT_HERE || !o->node->stage) {
		call_done(c, r < 0 ? r : -EAGAIN);
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
	object_forget(v, c->split);
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

int split_off(struct vfs *v, const struct place *p, struct call *c)
{
	struct object *o = object_find(v, p->id);
	int r;

	if (!split_needed(v, p))
		return 0;
	if (o->node->busy) {
		node_wait(o->node, c);
		return 1;
	}
	r = stage_begin(v, o->node, false, c);
	if (r != 0)
		return r;
	c->split = p->id;
	step_run(v, c, split_live);
	return 1;
}
