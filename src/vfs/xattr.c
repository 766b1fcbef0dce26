/* SPDX-License-Identifier: Zlib */
/* Extended attributes: user.mapfs.error of a draft, user.mapfs.note of a file, user.mapfs.status of
 * the root. They are not listed, so that programs do not copy them. */
#include <errno.h>
#include <string.h>

#include "base/buffer.h"
#include "vfs/ops/close.h"
#include "vfs/ops/step.h"
#include "vfs/save/status.h"
#include "vfs/tree/write_buffer.h"
#include "vfs/tree/view.h"
#include "vfs/tree/wait.h"
#include "vfs/vfs.h"

static const char ERROR_NAME[] = "user.mapfs.error";
static const char NOTE_NAME[] = "user.mapfs.note";

/* A getxattr or removexattr that waits for status_collect. */
struct status_request {
	struct vfs *v;
	struct inode *n; /* NULL for the status of the map */
	struct call *call;
};

static void status_found(void *arg, struct buffer *records)
{
	struct status_request k = *(struct status_request *)arg;
	struct buffer b = BUFFER_INIT;

	free(arg);
	status_add_refusals(k.v, records);
	status_show(k.call->name, records, &b);
	buffer_finish_free(records);
	call_answer(k.call, &b);
}

static void get_status(struct vfs *v, struct call *c)
{
	struct status_request *k = malloc(sizeof(*k));

	call_keep(c);
	if (k)
		*k = (struct status_request){v, NULL, c};
	if (k && status_collect(v, status_found, k) == 0)
		return;
	free(k);
	call_done(c, -ENOMEM);
}

static void answer_text(struct call *c, const char *text)
{
	struct buffer b = BUFFER_INIT;

	buffer_text(&b, text);
	call_answer(c, &b);
}

static void xattr_closed(struct vfs *v, struct inode *n, void *arg, int r)
{
	if (n->write_buffer && n->write_buffer->state == BUFFER_LOGGED)
		call_done(arg, r);
	else
		vfs_getxattr(v, arg);
}

/* Check whether the content can be dropped, which restores the accepted content. */
static int may_revert(struct vfs *v, struct call *c, struct step *s)
{
	struct inode *n = inode_find(v, c->ino);

	if (!n || inode_is_scratch(n) || n->oentry->is_dir || !n->oentry->has_content)
		return n ? -ENODATA : -ESTALE;
	if (n->is_busy) {
		inode_wait(n, c);
		return 1;
	}
	return step_record(s, JOURNAL_DROP, inode_path(n), NULL);
}

struct gone {
	struct job job; /* first */
	struct call *call;
};

static void forget_done(struct job *j)
{
	struct gone *g = (struct gone *)j;

	call_done(g->call, 0);
	free(g);
}

/* Invalidate the name of a removed file before the call is answered (1), because a listing in
 * progress could bring the name back. Returns 0 if memory is exhausted. */
static int forget_reverted(struct vfs *v, struct call *c, uint64_t dir, const char *path)
{
	const char *slash = strrchr(path, '/');
	struct gone *g = malloc(sizeof(*g));

	if (!g)
		return 0;
	*g = (struct gone){.job.done = forget_done, .call = c};
	v->host->forget_name(v->host, dir, slash ? slash + 1 : path, &g->job);
	return 1;
}

static int revert_file(struct vfs *v, struct call *c, struct step *)
{
	struct inode *n = inode_find(v, c->ino), *dir = inode_parent(n);
	CLEANUP(free) char *path = inode_path(n);
	int r = path && dir ? 0 : -ENOMEM;

	if (r < 0)
		return r;
	n->references++;
	dir->references++;
	write_buffer_drop(n);
	n->is_cached = false;
	r = overlay_revert(v->overlay, path);
	view_mark_and_invalidate(v);
	n->is_name_stale = !n->oentry->parent;
	if (n->oentry->parent)
		inode_invalidate(v, &n, 1, NULL);
	else if (r == 0)
		r = forget_reverted(v, c, dir->ino, path);
	names_invalidate(v, dir);
	dir->references--;
	inode_free_unused(v, dir);
	n->references--;
	inode_free_unused(v, n);
	return r;
}

static const char *find_error(const struct buffer *records, const char *path)
{
	struct status_entry e;

	for (size_t at = 0; path && status_next(records, &at, &e);)
		if (strcmp(e.path, path) == 0 && strcmp(e.word, "refused") == 0)
			return e.reason;
	return NULL;
}

static void error_found(void *arg, struct buffer *records)
{
	struct status_request k = *(struct status_request *)arg;
	CLEANUP(free) char *path = inode_path(k.n);
	const char *why = find_error(records, path);

	free(arg);
	if (why && k.call->op == vfs_removexattr)
		step_run(k.v, k.call, may_revert, revert_file);
	else if (why)
		answer_text(k.call, why);
	else
		call_done(k.call, records->error ? records->error : -ENODATA);
	buffer_finish_free(records);
	k.n->references--;
	inode_free_unused(k.v, k.n);
}

static void request_status(struct vfs *v, struct inode *n, struct call *c)
{
	struct status_request *k = malloc(sizeof(*k));

	call_keep(c);
	n->references++;
	if (k)
		*k = (struct status_request){v, n, c};
	if (k && status_collect(v, error_found, k) == 0)
		return;
	free(k);
	n->references--;
	call_done(c, -ENOMEM);
}

static void get_error(struct vfs *v, struct inode *n, struct call *c)
{
	if (n->is_busy) {
		inode_wait(n, c);
	} else if (file_is_validated(n) && n->write_buffer->state == BUFFER_LOGGED) {
		call_keep(c);
		close_content(v, n, CLOSE_VALIDATED, xattr_closed, c);
	} else if (inode_is_scratch(n) || !n->oentry->parent || n->oentry->is_dir ||
		   !oentry_differs(n->oentry)) {
		call_done(c, -ENODATA);
	} else {
		request_status(v, n, c);
	}
}

/* Get the format's note on a file, on a worker thread, because it may have to read the file. */
struct note_job {
	struct job job; /* first */
	struct call *call;
	struct snapshot *s;
	entry_id id;
	struct bytes *text;
	int r;
};

static void note_run(struct job *j)
{
	struct note_job *k = (struct note_job *)j;

	k->r = k->s->format->note(k->s, k->id, &k->text, NULL);
}

static void note_done(struct job *j)
{
	struct note_job *k = (struct note_job *)j;
	struct buffer b = BUFFER_INIT;

	if (k->r == 0) {
		buffer_append(&b, k->text->data, k->text->size);
		call_answer(k->call, &b);
	} else {
		call_done(k->call, k->r == -EIO ? -ENODATA : k->r);
	}
	bytes_unref(k->text);
	snapshot_unref(k->s);
	free(k);
}

static void get_note(struct vfs *v, struct call *c, const struct inode *n)
{
	struct note_job *k = calloc(1, sizeof(*k));
	const struct snapshot *s;
	entry_id id;

	if (!k || !inode_shows(n, &s, &id)) {
		free(k);
		call_done(c, k ? -ENODATA : -ENOMEM);
		return;
	}
	*k = (struct note_job){
		.job = {note_run, note_done, NULL}, .call = c, .s = snapshot_ref(s), .id = id};
	pool_submit(v->pool, &k->job);
}

void vfs_getxattr(struct vfs *v, struct call *c)
{
	struct inode *n = inode_find(v, c->ino);

	if (!n)
		call_done(c, -ESTALE);
	else if (view_wait(v, n, c))
		return;
	else if (strcmp(c->name, ERROR_NAME) == 0)
		get_error(v, n, c);
	else if (strcmp(c->name, NOTE_NAME) == 0 && !n->oentry->is_dir &&
		 v->overlay->base->format->note)
		get_note(v, c, n);
	else if (status_is_attribute(c->name) && inode_is_root(n))
		get_status(v, c);
	else
		call_done(c, strncmp(c->name, "user.", 5) == 0 ? -ENODATA : -EOPNOTSUPP);
}

void vfs_removexattr(struct vfs *v, struct call *c)
{
	struct inode *n = inode_find(v, c->ino);

	if (!n || strcmp(c->name, ERROR_NAME) != 0 || !n->oentry->has_content ||
		inode_is_scratch(n))
		call_done(c, n ? -ENODATA : -ESTALE);
	else
		request_status(v, n, c);
}
