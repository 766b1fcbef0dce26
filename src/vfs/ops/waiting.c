/* SPDX-License-Identifier: Zlib */
/*
 * Parts of new objects arrive in any order: a plane before the layer.json that says what it is a
 * plane of, a layer before the image that it names. What cannot be judged when it is closed waits
 * for the next save, and is tried then, round after round, as long as a round gets anything on:
 * first as things are, then with the format told where objects stand now, and at last for good.
 *
 * What was refused for what other files hold (error.others) is judged again after each change.
 */
#include "vfs/ops/waiting.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "vfs/volume/commit_queue.h"
#include "vfs/tree/object.h"
#include "vfs/tree/path.h"
#include "vfs/tree/placements.h"
#include "vfs/tree/stage.h"

enum phase { PHASE_BEGIN, PHASE_PLAIN, PHASE_SITUATED, PHASE_LAST, PHASE_OVER };

struct round {
	struct commit_task task; /* first */
	struct vfs *v;
	bool follows; /* one change: only as things are, what waits in dir and is refused for others
		       */
	const struct node *dir; /* may be NULL */
	enum phase phase;
	bool progress;
	uint64_t *inos; /* of this round */
	size_t n, next;
	void (*fn)(void *arg);
	void *arg;
};

static void round_begin(struct round *o);
static void round_next(struct round *o);

/* A judgement that the journal could not take, or that the disk or the memory kept from being made:
 * it is tried once more. */
static bool is_unkept(const struct node *n)
{
	return n->stage && n->stage->state == STAGE_UNKEPT && n->parent && !n->busy &&
	       !node_scratch(n);
}

static bool is_meant(const struct round *o, const struct node *n)
{
	if (!o->follows)
		return true;
	return n->stage && n->stage->verdict < 0 ? n->stage->why.others : n->parent == o->dir;
}

static size_t count_pending(const struct round *o)
{
	const struct node *k;
	size_t n = 0;

	TAILQ_FOREACH (k, &o->v->vol->pending, in_pending)
		n += is_meant(o, k);
	return n;
}

static void tried(struct vfs *v, struct node *n, void *arg, int r)
{
	struct round *o = arg;

	(void)v;
	o->progress |= r == 0 && !n->pending;
	round_next(o);
}

static void try(struct round *o, struct node *n)
{
	struct commit_request rq = {.kind = o->phase == PHASE_LAST ? COMMIT_LAST : COMMIT_AGAIN,
		.logged = n->stage->verdict < 0 ? LOGGED_DRAFT : LOGGED_CONTENT,
		.node = n,
		.id = n->id,
		.find = commit_own_names,
		.done = tried,
		.arg = o};

	if (commit_own_names(o->v, n, o, &rq.names) == 0)
		commit_request(o->v, &rq);
	else
		round_next(o);
}

static void round_next(struct round *o)
{
	while (o->next < o->n) {
		struct node *n = node_find(o->v, o->inos[o->next++]);

		if (n && n->pending && file_judged(n) && !n->busy && !stage_is_open(n->stage)) {
			if (is_unkept(n))
				commit_own(o->v, n, false, tried, o);
			else
				try(o, n);
			return;
		}
	}
	round_begin(o);
}

static void round_end(struct round *o)
{
	void (*fn)(void *arg) = o->fn;
	void *arg = o->arg;

	free(o->inos);
	free(o);
	fn(arg);
}

/* At the head of the commit queue: the format learns that this begins, where objects stand, or that
 * it is over. */
static void situate(struct commit_task *t)
{
	struct round *o = (struct round *)t;
	struct vfs *v = o->v;
	struct volume *vol = v->vol;
	struct placement *p = NULL;
	size_t n = 0;
	int r = 0;

	if (o->phase == PHASE_SITUATED)
		r = objects_place(v, &p, &n);
	if (r == 0)
		(void)vol->format->names->renamed(&vol->now, p, n, o->phase != PHASE_OVER, NULL);
	placements_free(p, n);
	v->vol->situated = o->phase == PHASE_SITUATED;
	if (o->phase == PHASE_OVER)
		objects_name(v, false);
	commit_queue_leave(vol);
	if (o->phase == PHASE_BEGIN)
		o->phase = PHASE_PLAIN;
	if (o->phase == PHASE_OVER)
		round_end(o);
	else
		round_begin(o);
}

static bool is_told(const struct round *o)
{
	const struct format_names *names = o->v->vol->format->names;

	return names && names->renamed && !o->follows;
}

static void next_phase(struct round *o)
{
	o->phase = count_pending(o) && !o->follows ? o->phase + 1 : PHASE_OVER;
	o->progress = true;
	if (is_told(o) && (o->phase == PHASE_SITUATED || o->phase == PHASE_OVER))
		commit_queue_enter(o->v->vol, &o->task);
	else if (o->phase == PHASE_OVER)
		round_end(o);
	else
		round_begin(o);
}

static void round_begin(struct round *o)
{
	size_t n = count_pending(o);
	const struct node *k;

	if (!n || !o->progress) {
		next_phase(o);
		return;
	}
	o->progress = false;
	o->n = o->next = 0;
	free(o->inos);
	o->inos = malloc(n * sizeof(*o->inos));
	if (!o->inos) {
		o->phase = PHASE_LAST;
		next_phase(o);
		return;
	}
	TAILQ_FOREACH (k, &o->v->vol->pending, in_pending)
		if (is_meant(o, k))
			o->inos[o->n++] = k->ino;
	round_next(o);
}

void waiting_judge(struct vfs *v, void (*fn)(void *arg), void *arg)
{
	struct round *o = TAILQ_EMPTY(&v->vol->pending) ? NULL : calloc(1, sizeof(*o));

	if (!o) {
		fn(arg);
		return;
	}
	*o = (struct round){.task.start = situate, .v = v, .progress = true, .fn = fn, .arg = arg};
	if (is_told(o)) {
		commit_queue_enter(v->vol, &o->task);
		return;
	}
	o->phase = PHASE_PLAIN;
	round_begin(o);
}

/* What is to be judged again after a change in dir; false: nothing, and fn is not called. */
static bool judge_after(struct vfs *v, const struct node *dir, void (*fn)(void *arg), void *arg)
{
	struct round *o = TAILQ_EMPTY(&v->vol->pending) ? NULL : calloc(1, sizeof(*o));

	if (!o)
		return false;
	*o = (struct round){.v = v,
		.follows = true,
		.dir = dir,
		.phase = PHASE_PLAIN,
		.progress = true,
		.fn = fn,
		.arg = arg};
	round_begin(o);
	return true;
}

static void answer(void *arg)
{
	call_done(arg, 0);
}

void waiting_answer(struct vfs *v, struct call *c, const struct node *written, int r)
{
	const struct node *dir = written && !written->pending ? written->parent : NULL;

	call_keep(c);
	if (r < 0 || !judge_after(v, dir, answer, c))
		call_done(c, r);
}

struct follow {
	struct vfs *v;
	struct node *n;
	commit_done done;
	void *arg;
	int r;
};

static void follow_end(void *arg)
{
	struct follow *f = arg;
	struct vfs *v = f->v;
	struct node *n = f->n;

	f->done(v, n, f->arg, f->r);
	free(f);
	n->opens--;
	node_free_unused(v, n);
}

/* What waited for n is judged before it changes once more. */
static void follow(struct vfs *v, struct node *n, void *arg, int r)
{
	struct follow *f = arg;

	f->r = r;
	if (r < 0 || n->pending || !judge_after(v, n->parent, follow_end, f))
		follow_end(f);
}

void commit_close(struct vfs *v, struct node *n, commit_done done, void *arg)
{
	struct follow *f = malloc(sizeof(*f));

	if (!f) {
		done(v, n, arg, -ENOMEM);
		return;
	}
	*f = (struct follow){v, n, done, arg, 0};
	n->opens++;
	commit_own(v, n, true, follow, f);
}
