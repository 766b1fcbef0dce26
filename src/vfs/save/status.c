/* SPDX-License-Identifier: Zlib */
#include "vfs/save/status.h"

#include <errno.h>

#include "vfs/tree/path.h"
#include "vfs/ops/closed.h"
#include "vfs/save/changes.h"
#include "vfs/tree/vanish.h"

struct status {
	struct job job; /* first */
	struct vfs *v;
	void (*found)(void *arg, struct buffer *records);
	void *arg;
	struct changes changes;
	struct buffer records, rest; /* rest: what follows the changes */
};

static void status_run(struct job *j)
{
	static const char *const words[] = {
		[CHANGE_CONTENT] = "changed",
		[CHANGE_NEW] = "new",
		[CHANGE_MOVED] = "moved",
		[CHANGE_REMOVED] = "removed",
		[CHANGE_REPLACED] = "removed",
		[CHANGE_KEPT] = "kept",
		[CHANGE_EMPTIED] = "removed",
		[CHANGE_NEEDED] = "kept",
	};
	struct status *s = (struct status *)j;
	const struct changes *c = &s->changes;

	changes_weigh(&s->changes);
	for (size_t i = 0; i < c->n; i++) {
		const struct status_entry e = {words[c->lines[i].kind], c->lines[i].path, NULL};

		status_add(&s->records, &e);
	}
	buffer_append(&s->records, s->rest.data, s->rest.size);
}

static void status_done(struct job *j)
{
	struct status *s = (struct status *)j;

	s->found(s->arg, &s->records);
	changes_finish(&s->changes);
	buffer_finish_free(&s->rest);
	free(s);
}

/* The word for n, and why; NULL: there is nothing to say of it. */
static const char *word_for(const struct node *n, const char **ret_why, char *buffer, size_t room)
{
	if (node_scratch(n)) {
		*ret_why = vanish_reason(n, buffer, room);
		return vanish_would(n) ? "left" : NULL;
	}
	if (!n->stage)
		return NULL;
	*ret_why = error_text(&n->stage->why);
	if (n->stage->verdict < 0)
		return "draft";
	if (!n->pending)
		return NULL;
	if (!**ret_why)
		*ret_why = "it is judged at the save";
	return "waiting";
}

static void add_files(struct vfs *v, struct buffer *b)
{
	for (const struct node *n = NULL; (n = node_next(v, n));) {
		char buffer[VANISH_REASON_MAX];
		const char *why, *word = word_for(n, &why, buffer, sizeof(buffer));
		CLEANUP(free) char *path = word ? node_path(n) : NULL;

		if (path)
			status_add(b, &(struct status_entry){word, path, why});
	}
}

static void status_begin(void *arg)
{
	struct status *s = arg;

	changes_find(s->v, &s->changes);
	add_files(s->v, &s->rest);
	pool_submit(s->v->pool, &s->job);
}

int status_find(struct vfs *v, void (*found)(void *arg, struct buffer *records), void *arg)
{
	struct status *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	*s = (struct status){.job = {status_run, status_done, NULL},
		.v = v,
		.found = found,
		.arg = arg,
		.records = BUFFER_INIT,
		.rest = BUFFER_INIT};
	closed_apply(v, status_begin, s);
	return 0;
}
