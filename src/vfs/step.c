/* SPDX-License-Identifier: Zlib */
#include "vfs/step.h"

#include <errno.h>
#include <string.h>

#include "vfs/put.h"

struct step {
	struct lane_task task; /* first */
	struct job job;
	struct vfs *v;
	struct call *call;
	step_fn fn;
	enum journal_type type;
	char *path, *to;
	int r;
};

#define STEP_OF(j) ((struct step *)(void *)((char *)(j)-offsetof(struct step, job)))

static void step_end(struct step *s)
{
	struct volume *vol = s->v->vol;

	s->fn(s->v, s->call, s->r);
	vfs_unsynced(s->v);
	lane_leave(vol);
	free(s->path);
	free(s->to);
	free(s);
}

static void step_write(struct job *j)
{
	struct step *s = STEP_OF(j);

	s->r = journal_name(&s->v->vol->journal, s->type, s->path, s->to, NULL);
}

static void step_written(struct job *j)
{
	step_end(STEP_OF(j));
}

static void step_start(struct lane_task *t)
{
	struct step *s = (struct step *)t;

	if (!s->path || s->v->replaying) {
		step_end(s);
		return;
	}
	s->job = (struct job){step_write, step_written, NULL};
	pool_submit(s->v->pool, &s->job);
}

static void step_enter(
	struct vfs *v, struct call *c, enum journal_type type, char *path, char *to, step_fn fn)
{
	struct step *s = calloc(1, sizeof(*s));

	if (!s) {
		free(path);
		free(to);
		call_done(c, -ENOMEM);
		return;
	}
	call_keep(c);
	*s = (struct step){
		.task.start = step_start,
		.v = v,
		.call = c,
		.fn = fn,
		.type = type,
		.path = path,
		.to = to,
	};
	lane_enter(v->vol, &s->task);
}

void step_run(struct vfs *v, struct call *c, step_fn fn)
{
	step_enter(v, c, JOURNAL_HEADER, NULL, NULL, fn);
}

void step_record(struct vfs *v, struct call *c, enum journal_type type, const char *path,
	const char *to, step_fn fn)
{
	char *copy = path ? strdup(path) : NULL, *to_copy = to ? strdup(to) : NULL;

	if (!copy || (!to_copy && (to || type == JOURNAL_RENAME))) {
		free(copy);
		free(to_copy);
		call_done(c, -ENOMEM);
		return;
	}
	step_enter(v, c, type, copy, to_copy, fn);
}
