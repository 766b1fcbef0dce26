/* SPDX-License-Identifier: Zlib */
/* What is closed is put to the lens of its own file. */
#include <errno.h>

#include "vfs/tree/object.h"
#include "vfs/tree/path.h"
#include "vfs/tree/stage.h"
#include "vfs/ops/accept.h"
#include "vfs/ops/commit.h"
#include "vfs/ops/move.h"

/* n is made at the old path of an object that the last save has elsewhere, and that was removed
 * from there: where that was. */
static char *revived_from(struct vfs *v, const struct node *n)
{
	const struct object *o = n->lens == LENS_MADE ? object_find(v, n->id) : NULL;

	if (!o || o->node != n || !o->was_gone || o->seq || !n->vol->renumbered)
		return NULL;
	return move_removed_log_path(v, o, n->name);
}

int commit_own_names(struct vfs *v, struct node *n, void *arg, struct commit_names *ret)
{
	(void)v;
	(void)arg;
	*ret = (struct commit_names){.path = node_path(n), .log_path = node_log_path(n)};
	if (ret->path && ret->log_path)
		return 0;
	commit_names_finish(ret);
	return -ENOMEM;
}

static int find(struct vfs *v, struct node *n, void *arg, struct commit_names *ret)
{
	int r = commit_own_names(v, n, arg, ret);

	if (r == 0) {
		ret->from = revived_from(v, n);
		ret->revives = ret->from;
	}
	return r;
}

void commit_own(struct vfs *v, struct node *n, bool may_wait, commit_done done, void *arg)
{
	const struct stage *s = n->stage;
	struct commit_request rq = {.kind = COMMIT_CLOSED,
		.logged = s->state == STAGE_LOGGED ? LOGGED_CONTENT
			  : s->verdict < 0         ? LOGGED_DRAFT
						   : LOGGED_OTHER,
		.node = n,
		.id = n->id,
		.find = find,
		/* What waits is in the journal, and this is to take its place there. */
		.always = n->lens != LENS_LIVE || s->ahead || (n->pending && s->verdict == 0) ||
			  accept_drops_draft(v, n),
		.may_wait = may_wait,
		.done = done,
		.arg = arg};
	int r = find(v, n, arg, &rq.names);

	if (r < 0)
		done(v, n, arg, r);
	else
		commit_request(v, &rq);
}
