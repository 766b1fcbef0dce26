/* SPDX-License-Identifier: Zlib */
/* Calls as they come in. The first that would change the map waits until the format has looked
 * whether it may be changed. */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

#include "vfs/volume/volume.h"
#include "vfs/tree/call.h"
#include "vfs/tree/inode.h"
#include "vfs/tree/wait.h"
#include "vfs/ops/ops.h"

struct proof {
	struct job job; /* first */
	struct vfs *v;
	struct snapshot *s;
	struct calls waiting;
	struct error why;
	int r;
};

static void proof_run(struct job *j)
{
	struct proof *p = (struct proof *)j;

	p->r = p->s->format->edit->check_sound(p->s, true, &p->why);
}

static void proof_done(struct job *j)
{
	struct proof *p = (struct proof *)j;
	struct vfs *v = p->v;
	struct call *c;
	/* What keeps somebody from looking says nothing of the map. */
	bool judged = p->r == 0 || p->r == -EINVAL || p->r == -EIO;

	v->vol->judged = judged;
	v->vol->proof = NULL;
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

/* The first change, and those that come while the format looks whether there may be any. */
static void prove_first(struct vfs *v, struct call *c)
{
	struct proof *p = v->vol->proof;

	if (!p) {
		p = calloc(1, sizeof(*p));
		if (!p) {
			call_done(c, -ENOMEM);
			return;
		}
		*p = (struct proof){.job = {proof_run, proof_done, NULL}, .v = v};
		p->s = snapshot_ref(v->overlay->base);
		v->vol->proof = p;
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

/* The kernel goes through the path once more, and asks for each name in it. */
static void look_again(struct vfs *, struct call *c)
{
	call_done(c, -ESTALE);
}

/* A file that is opened, or cut, by a path: perhaps by its name of before, which the kernel holds
 * for another moment. Nothing in these calls says by which. */
static struct inode *find_misnamed(struct vfs *v, const struct call *c)
{
	struct inode *n;

	if (c->op != vfs_open && (c->op != vfs_setattr || c->handle || !(c->mask & ATTR_SIZE)))
		return NULL;
	n = inode_find(v, c->ino);
	return n && n->is_name_stale ? n : NULL;
}

void vfs_submit(struct vfs *v, struct call *c)
{
	struct inode *n = find_misnamed(v, c);

	assert(volume_is_owner(v->vol));
	if (n) {
		c->op = look_again;
		if (n->forgetting)
			inode_wait(n, c);
		else
			look_again(v, c);
	} else if (!v->vol->judged && vfs_changes(c))
		prove_first(v, c);
	else
		c->op(v, c);
}
