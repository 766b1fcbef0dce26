/* SPDX-License-Identifier: Zlib */
#include "vfs/ops/step.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "vfs/tree/wait.h"
#include "vfs/volume/change_queue.h"
#include "vfs/volume/sync.h"

struct step {
	struct change_task task; /* first */
	struct vfs *v;
	struct call *call;
	step_may may;
	step_do fn;
	struct validation validation;
	struct inode *held;
	enum journal_type type; /* JOURNAL_HEADER: no change of names to record */
	char *path, *to;
	char *content_path; /* path of `content`; NULL: no content to record */
	struct extent content, kept;
	int r;
};

static void step_free(struct step *s)
{
	validation_finish(&s->validation);
	free(s->path);
	free(s->to);
	free(s->content_path);
	extent_finish(&s->content);
	extent_finish(&s->kept);
	free(s);
}

char *step_path(const struct dentry *p)
{
	CLEANUP(free) char *dir = oentry_path(p->parent);
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

int step_record_content(struct step *s, char *path, struct extent content)
{
	s->content_path = path;
	s->content = content;
	return path ? 0 : -ENOMEM;
}

struct validation *step_validation(struct step *s)
{
	return &s->validation;
}

void step_keep_busy(struct step *s, struct inode *n)
{
	s->held = n;
	n->is_busy = true;
	n->references++;
}

struct extent step_journaled_content(const struct step *s)
{
	return extent_ref(&s->kept);
}

static void release_held(struct vfs *v, struct inode *n)
{
	if (!n)
		return;
	inode_ready(v, n);
	n->references--;
	inode_free_unused(v, n);
}

/* Make the change and leave the queue before the reply, after which the caller may end the vfs. */
static void step_end(struct job *j)
{
	struct step *s = (struct step *)j;
	struct vfs *v = s->v;
	struct call *c = s->call;
	int r = s->r;

	if (r == 0)
		r = s->fn(v, c, s);
	sync_request(v->vol);
	change_queue_leave(v->vol);
	release_held(v, s->held);
	step_free(s);
	if (r <= 0)
		call_done(c, r);
}

static void step_write(struct job *j)
{
	struct step *s = (struct step *)j;
	struct journal *log = &s->v->vol->journal;

	if (s->validation.map)
		validate(&s->validation);
	if (validation_refuses(&s->validation))
		return;
	if (s->type != JOURNAL_HEADER)
		s->r = journal_append(log,
			&(struct journal_op){.type = s->type, .path = s->path, .to = s->to}, NULL,
			NULL);
	if (s->r == 0 && s->content_path)
		s->r = journal_append(log,
			&(struct journal_op){.type = JOURNAL_PUT,
				.path = s->content_path,
				.content = &s->content},
			&s->kept, NULL);
	if (s->r == 0 && (s->kept.file || s->kept.mem))
		validation_move(&s->validation, &s->kept);
}

static bool step_start(struct change_task *t)
{
	struct step *s = (struct step *)t;

	s->r = s->call->copy_failed ? -ENOMEM : s->may(s->v, s->call, s);
	return s->r == 0 && (s->validation.map || s->type != JOURNAL_HEADER || s->content_path);
}

void step_run(struct vfs *v, struct call *c, step_may may, step_do fn)
{
	struct step *s = calloc(1, sizeof(*s));

	if (!s) {
		call_done(c, -ENOMEM);
		return;
	}
	call_keep(c);
	*s = (struct step){
		.task = {.job = {step_write, step_end, NULL}, .start = step_start},
		.v = v,
		.call = c,
		.may = may,
		.fn = fn,
		.type = JOURNAL_HEADER,
	};
	change_queue_enter(v->vol, &s->task);
}
