/* SPDX-License-Identifier: Zlib */
#include "vfs/ops/step.h"

#include <errno.h>
#include <string.h>

#include "vfs/volume/commit_queue.h"
#include "vfs/volume/sync.h"
#include "vfs/tree/path.h"

struct step {
	struct commit_task task; /* first */
	struct job job;
	struct vfs *v;
	struct call *call;
	step_fn fn;
	enum journal_type type;
	char *path, *to;
	uint64_t renamed;      /* the volume's, when the paths were right */
	struct node *node;     /* whose path it is, once the step begins; or NULL */
	struct extent content; /* of JOURNAL_PUT */
	int r;
};

static void step_free(struct step *s)
{
	if (!s)
		return;
	free(s->path);
	free(s->to);
	extent_finish(&s->content);
	free(s);
}

static void step_end(struct step *s)
{
	struct volume *vol = s->v->vol;

	s->fn(s->v, s->call, s->r);
	sync_want(s->v->vol);
	commit_queue_leave(vol);
	step_free(s);
}

static void step_write(struct job *j)
{
	struct step *s = container_of(j, struct step, job);
	struct journal *log = &s->v->vol->journal;

	if (s->type == JOURNAL_PUT)
		s->r = journal_put(log, s->path, &s->content, NULL, NULL);
	else
		s->r = journal_name(log, s->type, s->path, s->to, NULL);
}

static void step_written(struct job *j)
{
	step_end(container_of(j, struct step, job));
}

/* What stood before it in the queue moved what it is about: it is done from the beginning. */
static void step_restart(struct step *s)
{
	struct vfs *v = s->v;
	struct call *c = s->call;

	commit_queue_leave(v->vol);
	step_free(s);
	call_again(v, c);
}

/* The path of now; of a node that is no file of the map any more there is nothing to be said. */
static void step_find(struct step *s)
{
	bool meant = s->node->parent && !node_scratch(s->node);

	s->path = meant ? node_log_path(s->node) : NULL;
	if (meant && !s->path)
		s->r = -ENOMEM;
}

static void step_start(struct commit_task *t)
{
	struct step *s = (struct step *)t;

	if (s->call->lost)
		s->r = -ENOMEM;
	if (s->node) {
		step_find(s);
	} else if (s->path && s->renamed != s->v->vol->renamed && s->r == 0) {
		step_restart(s);
		return;
	}
	if (!s->path || s->v->vol->replay == REPLAY_UNDER_WAY || s->r < 0) {
		step_end(s);
		return;
	}
	s->job = (struct job){step_write, step_written, NULL};
	pool_submit(s->v->pool, &s->job);
}

static struct step *step_new(struct vfs *v, struct call *c, enum journal_type type, step_fn fn)
{
	struct step *s = calloc(1, sizeof(*s));

	if (s)
		*s = (struct step){.task.start = step_start,
			.v = v,
			.call = c,
			.fn = fn,
			.type = type,
			.renamed = v->vol->renamed};
	return s;
}

static void step_begin(struct step *s)
{
	call_keep(s->call);
	commit_queue_enter(s->v->vol, &s->task);
}

void step_run(struct vfs *v, struct call *c, step_fn fn)
{
	struct step *s = step_new(v, c, JOURNAL_HEADER, fn);

	if (s)
		step_begin(s);
	else
		fn(v, c, -ENOMEM);
}

void step_record(struct vfs *v, struct call *c, enum journal_type type, const char *path,
	const char *to, step_fn fn)
{
	struct step *s = step_new(v, c, type, fn);

	if (s) {
		s->path = path ? strdup(path) : NULL;
		s->to = to ? strdup(to) : NULL;
	}
	if (s && s->path && !s->to == (type != JOURNAL_RENAME)) {
		step_begin(s);
	} else {
		step_free(s);
		fn(v, c, -ENOMEM);
	}
}

void step_remove(struct vfs *v, struct call *c, struct node *n, step_fn fn)
{
	struct step *s = step_new(v, c, JOURNAL_REMOVE, fn);

	if (s) {
		s->node = n;
		step_begin(s);
	} else {
		fn(v, c, -ENOMEM);
	}
}

void step_put(struct vfs *v, struct call *c, struct node *n, step_fn fn)
{
	struct step *s = step_new(v, c, JOURNAL_PUT, fn);

	n->busy = true;
	if (s && spool_extent(n->stage->spool, &s->content, NULL) == 0) {
		s->node = n;
		step_begin(s);
	} else {
		step_free(s);
		fn(v, c, -ENOMEM);
	}
}
