/* SPDX-License-Identifier: Zlib */
#include "vfs/save/prepare.h"

#include <fcntl.h>
#include <string.h>

#include "vfs/tree/dentry.h"
#include "vfs/tree/object.h"
#include "vfs/tree/wait.h"
#include "vfs/ops/closed.h"
#include "vfs/ops/ops.h"
#include "vfs/ops/waiting.h"

/* A file that was removed and is always there is made again, as if somebody made it and wrote
 * nothing. Not before a save, since whoever unlinks a file may be about to make it anew. */
struct standing {
	struct call call; /* first */
	struct job job;   /* the next is not begun within the reply of the one before */
	struct vfs *v;
	uint64_t seen; /* those that left until then were tried */
	void (*fn)(void *arg);
	void *arg;
};

static const struct object *find_standing(const struct vfs *v, uint64_t seen)
{
	const struct object *found = NULL;
	const struct volume *vol = v->vol;
	struct entry en;

	for (const struct object *o = NULL; (o = object_next_gone(v, o));)
		if (o->state == OBJECT_GONE && o->left > seen &&
			(!found || o->left < found->left) &&
			vol->format->stat(vol->now, o->id, &en, NULL) == 0 && en.standing)
			found = o;
	return found;
}

static void standing_end(struct standing *s)
{
	waiting_judge(s->v, s->fn, s->arg);
	free(s);
}

static void standing_closed(struct call *c, int r)
{
	struct standing *s = (struct standing *)c;

	(void)r;
	pool_return(s->v->pool, &s->job);
}

static void standing_made(struct call *c, int r)
{
	struct standing *s = (struct standing *)c;
	struct node *dir = node_find(s->v, c->ino);

	/* Something else stands there. */
	if (r < 0) {
		standing_closed(c, r);
		return;
	}
	names_tell(s->v, dir);
	vfs_forget(s->v, c->attr.ino, 1);
	s->call = (struct call){.op = vfs_release, .reply = standing_closed, .handle = c->opened};
	vfs_submit(s->v, &s->call);
}

static void standing_next(struct job *j)
{
	struct standing *s = container_of(j, struct standing, job);
	const struct object *o = find_standing(s->v, s->seen);
	CLEANUP(free) char *path = o ? strdup(o->path) : NULL; /* its record is about to change */
	char *slash = path ? strrchr(path, '/') : NULL;
	const struct volume *vol = s->v->vol;
	struct node *dir;

	if (o)
		s->seen = o->left;
	if (slash)
		*slash = '\0';
	if (!slash || names_walk(s->v, path, &dir, NULL) < 0) {
		standing_end(s);
		return;
	}
	s->call = (struct call){.op = vfs_create_file,
		.reply = standing_made,
		.ino = dir->ino,
		.name = slash + 1,
		.flags = O_WRONLY | O_EXCL,
		.set = {.mode = vol->file_mode, .uid = vol->uid, .gid = vol->gid}};
	vfs_submit(s->v, &s->call);
	node_free_unused(s->v, dir);
}

static void standing_begin(void *arg)
{
	struct standing *s = arg;

	standing_next(&s->job);
}

void save_prepare(struct vfs *v, void (*fn)(void *arg), void *arg)
{
	struct standing *s = calloc(1, sizeof(*s));

	if (!s) {
		waiting_judge(v, fn, arg);
		return;
	}
	*s = (struct standing){.job.done = standing_next, .v = v, .fn = fn, .arg = arg};
	closed_apply(v, standing_begin, s);
}
