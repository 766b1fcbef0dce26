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

void commit_own(struct vfs *v, struct node *n, bool may_wait, commit_done done, void *arg)
{
	CLEANUP(free) char *path = node_path(n), *log_path = node_log_path(n);
	CLEANUP(free) char *from = revived_from(v, n);
	const struct stage *s = n->stage;
	struct commit_request rq = {.kind = COMMIT_CLOSED,
		.logged = s->state == STAGE_LOGGED ? LOGGED_CONTENT
			  : s->verdict < 0         ? LOGGED_DRAFT
						   : LOGGED_OTHER,
		.node = n,
		.id = n->id,
		.path = path,
		.log_path = log_path,
		.from = from,
		.revives = from,
		/* What waits is in the journal, and this is to take its place there. */
		.always = n->lens != LENS_LIVE || s->ahead || (n->pending && s->verdict == 0) ||
			  accept_drops_draft(v, n),
		.may_wait = may_wait,
		.done = done,
		.arg = arg};

	if (!path || !log_path)
		done(v, n, arg, -ENOMEM);
	else
		commit_request(v, &rq);
}
