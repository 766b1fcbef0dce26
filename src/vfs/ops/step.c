/* SPDX-License-Identifier: Zlib */
#include "vfs/ops/step.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "vfs/volume/commit_queue.h"
#include "vfs/volume/sync.h"

struct step {
	struct commit_task task; /* first */
	struct job job;
	struct vfs *v;
	struct call *call;
	step_may may;
	step_do fn;
	enum journal_type type; /* JOURNAL_HEADER: no names change for the journal */
	char *path, *to;
	char *put; /* the path of the content; NULL: there is none */
	struct extent content, kept;
	void *arg;
	void (*drop)(void *arg);
	int r;
};

static void step_free(struct step *s)
{
	if (s->drop)
		s->drop(s->arg);
	free(s->path);
	free(s->to);
	free(s->put);
	extent_finish(&s->content);
	extent_finish(&s->kept);
	free(s);
}

char *step_path(const struct dentry *p)
{
	CLEANUP(free) char *dir = upper_path(p->dir);
	char *path = NULL;

	if (dir && asprintf(&path, "%s%s%s", dir, *dir ? "/" : "", p->name) < 0)
		path = NULL;
	return path;
}

int step_record(struct step *s, enum journal_type type, char *path, char *to)
{
	s->type = type;
	s->path = path;
	s->to = to;
	return path && (to || type != JOURNAL_RENAME) ? 0 : -ENOMEM;
}

int step_content(struct step *s, char *path, struct extent content)
{
	s->put = path;
	s->content = content;
	return path ? 0 : -ENOMEM;
}

void *step_arg(const struct step *s)
{
	return s->arg;
}

struct extent step_kept(const struct step *s)
{
	return extent_ref(&s->kept);
}

/* The queue goes on before the answer does: it may be the call's last word. */
static void step_end(struct step *s)
{
	struct vfs *v = s->v;
	struct call *c = s->call;
	int r = s->r;

	if (r == 0)
		r = s->fn(v, c, s);
	sync_want(v->vol);
	commit_queue_leave(v->vol);
	step_free(s);
	if (r <= 0)
		call_done(c, r);
}

static void step_write(struct job *j)
{
	struct step *s = container_of(j, struct step, job);
	struct journal *log = &s->v->vol->journal;

	if (s->type != JOURNAL_HEADER)
		s->r = journal_name(log, s->type, s->path, s->to, NULL);
	if (s->r == 0 && s->put)
		s->r = journal_put(log, s->put, &s->content, &s->kept, NULL);
}

static void step_written(struct job *j)
{
	step_end(container_of(j, struct step, job));
}

static void step_start(struct commit_task *t)
{
	struct step *s = (struct step *)t;
	struct vfs *v = s->v;

	s->r = s->call->lost ? -ENOMEM : s->may(v, s->call, s);
	if (s->r > 0) {
		commit_queue_leave(v->vol);
		step_free(s);
	} else if (s->r < 0 || (s->type == JOURNAL_HEADER && !s->put)) {
		step_end(s);
	} else {
		s->job = (struct job){step_write, step_written, NULL};
		pool_submit(v->pool, &s->job);
	}
}

void step_run_with(
	struct vfs *v, struct call *c, step_may may, step_do fn, void *arg, void (*drop)(void *arg))
{
	struct step *s = calloc(1, sizeof(*s));

	if (!s) {
		if (drop)
			drop(arg);
		call_done(c, -ENOMEM);
		return;
	}
	call_keep(c);
	*s = (struct step){.task.start = step_start,
		.v = v,
		.call = c,
		.may = may,
		.fn = fn,
		.arg = arg,
		.drop = drop,
		.type = JOURNAL_HEADER};
	commit_queue_enter(v->vol, &s->task);
}

void step_run(struct vfs *v, struct call *c, step_may may, step_do fn)
{
	step_run_with(v, c, may, fn, NULL, NULL);
}
