/* SPDX-License-Identifier: Zlib */
/* Submission of calls. The first call that would change the map waits until the format has checked
 * that the map may be changed. */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

#include "vfs/volume/volume.h"
#include "vfs/tree/call.h"
#include "vfs/tree/inode.h"
#include "vfs/tree/wait.h"
#include "vfs/ops/ops.h"

struct map_check {
	struct job job; /* first */
	struct vfs *v;
	struct snapshot *s;
	struct calls waiting;
	struct error why;
	int r;
};

static void proof_run(struct job *j)
{
	struct map_check *p = (struct map_check *)j;

	p->r = p->s->format->edit->check_sound(p->s, true, &p->why);
}

static void proof_done(struct job *j)
{
	struct map_check *p = (struct map_check *)j;
	struct vfs *v = p->v;
	struct call *c;
	/* Other errors say nothing about the map: fail the calls, and check at the next change. */
	bool judged = p->r == 0 || p->r == -EINVAL || p->r == -EIO;

	v->vol->is_soundness_known = judged;
	v->vol->map_check = NULL;
	if (p->r < 0 && judged) {
		volume_refuse_changes(v->vol, &p->why);
		v->host->note(v->host, error_text(&v->vol->unsound));
	}
	while ((c = calls_take(&p->waiting)))
		if (judged)
			call_again(v, c);
		else
			call_done(c, p->r);
	snapshot_unref(p->s);
	free(p);
}

/* Queue a change until the check of the map is done; start the check if needed. */
static void check_map_first(struct vfs *v, struct call *c)
{
	struct map_check *p = v->vol->map_check;

	if (!p) {
		p = calloc(1, sizeof(*p));
		if (!p) {
			call_done(c, -ENOMEM);
			return;
		}
		*p = (struct map_check){.job = {proof_run, proof_done, NULL}, .v = v};
		p->s = snapshot_ref(v->overlay->base);
		v->vol->map_check = p;
		pool_submit(v->pool, &p->job);
	}
	calls_add(&p->waiting, c);
}

bool vfs_changes(const struct call *c)
{
	static const vfs_op ops[] = {
		vfs_create_file, vfs_mkdir, vfs_unlink, vfs_rmdir, vfs_rename, vfs_setattr};

	for (size_t i = 0; i < sizeof(ops) / sizeof(*ops); i++)
		if (c->op == ops[i])
			return true;
	return c->op == vfs_open && (c->flags & (O_ACCMODE | O_TRUNC)) != O_RDONLY;
}

/* ESTALE makes the kernel walk the path again, with a lookup of each name. */
static void answer_stale(struct vfs *, struct call *c)
{
	call_done(c, -ESTALE);
}

/* Find an inode that is opened or truncated by a path, perhaps by an old name that the kernel still
 * caches. The call does not say by which name. */
static struct inode *find_stale_name(struct vfs *v, const struct call *c)
{
	struct inode *n;

	if (c->op != vfs_open && (c->op != vfs_setattr || c->handle || !(c->mask & ATTR_SIZE)))
		return NULL;
	n = inode_find(v, c->ino);
	return n && n->is_name_stale ? n : NULL;
}

void vfs_submit(struct vfs *v, struct call *c)
{
	struct inode *n = find_stale_name(v, c);

	assert(volume_is_owner(v->vol));
	if (n) {
		c->op = answer_stale;
		if (n->pending_forgets)
			inode_wait(n, c);
		else
			answer_stale(v, c);
	} else if (!v->vol->is_soundness_known && vfs_changes(c))
		check_map_first(v, c);
	else
		c->op(v, c);
}
