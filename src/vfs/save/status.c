/* SPDX-License-Identifier: Zlib */
#include "vfs/save/status.h"

#include <errno.h>
#include <string.h>

#include "vfs/overlay/overlay_build.h"
#include "vfs/tree/lost.h"
#include "vfs/volume/change_queue.h"

struct status {
	struct change_task task; /* first */
	struct vfs *v;
	void (*found)(void *arg, struct buffer *records);
	void *arg;
	struct overlay_build staged;
	struct buffer records;
};

static void add_outcome(void *arg, enum build_outcome fate, const char *path)
{
	static const char *const words[] = {
		[BUILD_WRITTEN] = "changed",
		[BUILD_NEW] = "new",
		[BUILD_MOVED] = "renamed",
		[BUILD_REMOVED] = "removed",
		[BUILD_REPLACED] = "removed",
		[BUILD_KEPT] = "kept",
		[BUILD_CLEARED] = "removed",
		[BUILD_RESTORED] = "kept",
	};

	status_add(arg, &(struct status_entry){words[fate], path, NULL});
}

/* Add the files that a save would refuse now. Skip entries that do not differ from the base: a
 * derived directory of raw/ has one if it was looked up. */
static void add_refused(struct status *s)
{
	for (size_t i = 1; i < s->staged.n; i++) {
		const struct build_output *b = &s->staged.result.outputs[i];
		CLEANUP(free) char *path = NULL;

		if (b->outcome == BUILD_REFUSED && !s->staged.inputs[i].is_removed &&
			oentry_differs(s->staged.oentries[i]))
			path = oentry_path(s->staged.oentries[i]);
		if (path)
			status_add(&s->records,
				&(struct status_entry){"refused", path,
					b->reason && *b->reason ? b->reason
								: "checked at the save"});
	}
}

static void status_run(struct job *j)
{
	struct status *s = (struct status *)j;
	struct error e = ERROR_INIT;

	if (overlay_build_run(&s->staged, &e) == 0) {
		overlay_build_each(&s->staged, add_outcome, &s->records);
		add_refused(s);
	} else {
		status_add(&s->records, &(struct status_entry){"refused", "", error_text(&e)});
	}
}

/* Add the scratch files that an unmount would copy out. */
static void add_scratch(struct vfs *v, struct buffer *b)
{
	for (const struct oentry *u = NULL; (u = overlay_next(v->overlay, u));) {
		char buffer[LOST_REASON_MAX];
		CLEANUP(free) char *path = NULL;

		if (!u->is_dir && u->is_scratch && lost_at_end(v->overlay, u))
			path = oentry_path(u);
		if (path)
			status_add(b, &(struct status_entry){"ignored", path,
					      lost_reason(v->overlay, u, buffer, sizeof(buffer))});
	}
}

/* Add the files whose close failed because the journal could not be written. Their bytes are only
 * in the write buffer, and the next save tries again. */
static void add_unlogged(struct vfs *v, struct buffer *b)
{
	for (const struct inode *n = NULL; (n = inode_next(v, n));) {
		CLEANUP(free) char *path = NULL;

		if (n->write_buffer && n->write_buffer->close_error &&
			n->write_buffer->state != BUFFER_CLEAN)
			path = inode_path(n);
		if (path)
			status_add(b, &(struct status_entry){"refused", path,
					      strerror(-n->write_buffer->close_error)});
	}
}

static void status_done(struct job *j)
{
	struct status *s = (struct status *)j;

	add_unlogged(s->v, &s->records);
	add_scratch(s->v, &s->records);
	overlay_build_keep_parsed(&s->staged);
	/* The records are up to date only until the task leaves the queue. */
	s->found(s->arg, &s->records);
	change_queue_leave(s->v->vol);
	overlay_build_finish(&s->staged);
	free(s);
}

static bool status_start(struct change_task *t)
{
	struct status *s = (struct status *)t;

	if (!overlay_differs(s->v->overlay))
		return false;
	s->records.error = overlay_build_begin(s->v->overlay, &s->staged, NULL);
	return !s->records.error;
}

int status_collect(struct vfs *v, void (*found)(void *arg, struct buffer *records), void *arg)
{
	struct status *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	*s = (struct status){
		.task = {.job = {status_run, status_done, NULL}, .start = status_start},
		.v = v,
		.found = found,
		.arg = arg,
		.staged.format_report = REPORT_INIT,
		.records = BUFFER_INIT};
	change_queue_enter(v->vol, &s->task);
	return 0;
}

void status_add_refusals(const struct vfs *v, struct buffer *records)
{
	for (size_t i = 0; i < v->refusals.n; i++)
		status_add(records, &(struct status_entry){"refused", v->refusals.at[i].path,
					    v->refusals.at[i].reason});
}
