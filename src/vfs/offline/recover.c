/* SPDX-License-Identifier: Zlib */
#include "vfs/offline/recover.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/disk/io.h"
#include "base/disk/io_copy.h"
#include "base/name.h"
#include "vfs/journal/read.h"
#include "vfs/overlay/overlay.h"

/* A file that made room for another one. */
struct replaced {
	char *path;
	char *refusal; /* NULL: the content was accepted */
	struct extent content;
};

struct extraction {
	int outdirfd;
	const char *file;
	void (*line)(void *arg, const char *path, const char *what);
	void *arg;
	struct overlay *tree;
	struct replaced *replaced;
	size_t n_replaced, room_replaced;
	struct oentry **files; /* those at the end, in the order of their records */
	size_t n_files, room_files, next;
};

static int lookup_nothing(
	const struct snapshot *, entry_id, const char *, struct file_attr *, struct error *)
{
	return -ENOENT;
}

static int mean_nothing(const struct snapshot *, entry_id, const char *, bool, entry_id,
	struct name_class *ret, struct error *)
{
	*ret = (struct name_class){.kind = NAME_SCRATCH};
	return 0;
}

/* The base: a map without entries, of a format in which no name has a meaning. */
static const struct format_tree no_names = {.classify = mean_nothing};
static const struct format no_format = {.lookup = lookup_nothing, .tree = &no_names};
static struct snapshot no_map = {.refs = 1, .format = &no_format};

/* The entry after u and all entries below it, in the order of overlay_next. */
static const struct oentry *end_of_subtree(const struct overlay *o, const struct oentry *u)
{
	while (!TAILQ_EMPTY(&u->children))
		u = TAILQ_LAST(&u->children, oentries);
	return overlay_next(o, u);
}

/* The first file from u on and before end. */
static struct oentry *find_file(const struct overlay *o, struct oentry *u, const struct oentry *end)
{
	while (u != end && !u->has_content)
		u = overlay_next(o, u);
	return u != end ? u : NULL;
}

static int keep_replaced(struct extraction *x, const struct oentry *u)
{
	struct replaced *f;

	if (!array_reserve(x->replaced, x->n_replaced, x->room_replaced))
		return -ENOMEM;
	f = &x->replaced[x->n_replaced++];
	*f = (struct replaced){
		oentry_path(u), u->refusal ? strdup(u->refusal) : NULL, extent_ref(&u->bytes)};
	return f->path && !f->refusal == !u->refusal ? 0 : -ENOMEM;
}

static int remove_tree(struct extraction *x, const char *path)
{
	const struct oentry *end;
	struct oentry *u;
	struct dentry p;
	int r = overlay_dentry_at(x->tree, path, &p);

	if (r < 0 || !p.exists)
		return r == -ENOMEM ? r : 0;
	end = end_of_subtree(x->tree, p.oentry);
	for (u = p.oentry; r == 0 && (u = find_file(x->tree, u, end)); u = overlay_next(x->tree, u))
		r = keep_replaced(x, u);
	return r < 0 ? r : overlay_unlink(x->tree, &p);
}

/* Remove what is in the way of a file or directory at a path. */
static int clear_way(struct extraction *x, const char *path, bool dir)
{
	struct dentry s = overlay_root(x->tree);
	char name[NAME_MAX + 1];

	for (const char *rest = path;
		path_next(&rest, name) > 0 && overlay_lookup(x->tree, &s, name, &s) == 0;) {
		CLEANUP(free) char *at = NULL;

		if (s.is_dir == (*rest || dir))
			continue;
		at = strndup(path, (size_t)(rest - path));
		return at ? remove_tree(x, at) : -ENOMEM;
	}
	return 0;
}

/*
 * Replay an operation as far as it matters for contents. A file that is removed stays until
 * something else needs its path, a directory is made when a file comes into it, and only refused
 * content can be dropped (the record of the refusal may be damaged).
 */
static int replay_operation(struct extraction *x, const struct journal_op *op)
{
	struct dentry s;
	bool found = overlay_find(x->tree, op->path, &s) == 0;
	int r = 0;

	if (op->type == JOURNAL_MKDIR || op->type == JOURNAL_REMOVE ||
		(op->type == JOURNAL_DROP && !(found && s.oentry->refusal)))
		return 0;
	if (op->content)
		r = clear_way(x, op->path, false);
	if (op->type == JOURNAL_RENAME && found) {
		r = clear_way(x, op->to, s.is_dir);
		if (r == 0 && s.is_dir)
			r = remove_tree(x, op->to);
	}
	if (r == 0)
		r = overlay_apply(x->tree, op);
	return r == -ENOMEM ? r : 0;
}

/* Put a replaced file back, unless a file is at its path, below it or above it. */
static int restore_file(struct extraction *x, const struct replaced *f)
{
	const struct journal_op op = {.type = f->refusal ? JOURNAL_DRAFT : JOURNAL_PUT,
		.path = f->path,
		.reason = f->refusal,
		.content = &f->content};
	struct dentry s;
	int r = overlay_find(x->tree, f->path, &s);

	if (r == 0 && !find_file(x->tree, s.oentry, end_of_subtree(x->tree, s.oentry)))
		r = -ENOENT;
	return r == -ENOENT ? replay_operation(x, &op) : 0;
}

static int by_record(const void *a, const void *b)
{
	const struct oentry *x = *(struct oentry *const *)a, *y = *(struct oentry *const *)b;

	return array_compare(x->bytes.off, y->bytes.off);
}

static int find_files(struct extraction *x)
{
	int r = 0;

	for (size_t i = x->n_replaced; r == 0 && i-- > 0;)
		r = restore_file(x, &x->replaced[i]);
	for (struct oentry *u = x->tree->root; r == 0 && (u = find_file(x->tree, u, NULL));
		u = overlay_next(x->tree, u))
		if (array_reserve(x->files, x->n_files, x->room_files))
			x->files[x->n_files++] = u;
		else
			r = -ENOMEM;
	if (r == 0 && x->n_files)
		qsort(x->files, x->n_files, sizeof(struct oentry *), by_record);
	return r;
}

static int open_dir(void *, int dirfd, const char *name, struct error *e)
{
	return io_make_dir(dirfd, name, 0777, NULL, e);
}

static int copy_out(int outdirfd, const char *path, const struct extent *content, struct error *e)
{
	CLEANUP(close_fd) int parent = -1, out = -1;
	char base[NAME_MAX + 1];
	int r;

	parent = path_open_parent(outdirfd, path, open_dir, NULL, base, e);
	if (parent < 0)
		return parent;
	out = io_openat(parent, base, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0666);
	r = out < 0 ? out : io_copy(content->file->fd, content->off, content->size, out);
	return r < 0 ? error_set(e, r, "%s: %s", path, strerror(-r)) : 0;
}

/* Copy the file whose content this record has, if it has that of a file. */
static int extract_content(struct extraction *x, const struct extent *content, struct error *e)
{
	const struct oentry *u = x->next < x->n_files ? x->files[x->next] : NULL;
	CLEANUP(free) char *path = NULL;
	int r;

	if (!u || u->bytes.off != content->off)
		return 0;
	x->next++;
	path = oentry_path(u);
	if (!path)
		return error_set(e, -ENOMEM, "out of memory");
	r = x->outdirfd < 0 ? 0 : copy_out(x->outdirfd, path, content, e);
	if (r == 0)
		x->line(x->arg, path, u->refusal ? u->refusal : "applied");
	return r;
}

static int extract_one(struct extraction *x, const struct journal_op *op, struct error *e)
{
	char what[PATH_MAX + 32];

	switch (op->type) {
	case JOURNAL_PUT:
	case JOURNAL_DRAFT:
		return extract_content(x, op->content, e);
	case JOURNAL_MKDIR:
		x->line(x->arg, op->path, "created");
		return 0;
	case JOURNAL_REMOVE:
		x->line(x->arg, op->path, "removed");
		return 0;
	case JOURNAL_RENAME:
		snprintf(what, sizeof(what), "renamed to %s", op->to);
		x->line(x->arg, op->path, what);
		return 0;
	default:
		return 0;
	}
}

/* Read all records: first to find the names at the end, then (`copying`) to copy and report. */
static int read_all(struct extraction *x, struct reclog *log, bool copying, struct error *e)
{
	struct journal_record rec;
	struct journal_op op;
	struct reclog_pos pos = {0};
	bool torn = false;
	int r, done = 0;

	while (done == 0 && (r = journal_record_next(log, &pos, &rec, &torn, e)) > 0) {
		if (rec.damaged && copying)
			x->line(x->arg, x->file, "is damaged: some records are missing here");
		else if (journal_record_op(&rec, &op))
			done = copying ? extract_one(x, &op, e) : replay_operation(x, &op);
		journal_record_finish(&rec);
	}
	if (done < 0)
		return copying ? done : error_set(e, done, "out of memory");
	if (r == 0 && torn && copying)
		x->line(x->arg, x->file, "ends in an incomplete record");
	return r;
}

static void finish_extraction(struct extraction *x)
{
	for (size_t i = 0; i < x->n_replaced; i++) {
		free(x->replaced[i].path);
		free(x->replaced[i].refusal);
		extent_finish(&x->replaced[i].content);
	}
	free(x->replaced);
	free(x->files);
	overlay_destroy(x->tree);
}

int recover_extract(int dirfd, const char *file, int outdirfd,
	void (*line)(void *arg, const char *path, const char *what), void *arg, struct error *e)
{
	struct extraction x = {.outdirfd = outdirfd, .file = file, .line = line, .arg = arg};
	CLEANUP(reclog_close) struct reclog *log = NULL;
	int r = reclog_open_readonly(dirfd, file, &log, e);

	if (r == 0 && overlay_create(&no_map, &x.tree) < 0)
		r = error_set(e, -ENOMEM, "out of memory");
	if (r == 0)
		r = read_all(&x, log, false, e);
	if (r == 0 && find_files(&x) < 0)
		r = error_set(e, -ENOMEM, "out of memory");
	if (r == 0)
		r = read_all(&x, log, true, e);
	finish_extraction(&x);
	return r;
}

int recover_discard(int dirfd, const char *file,
	void (*line)(void *arg, const char *path, const char *what), void *arg, struct error *e)
{
	CLEANUP(close_fd) int lock = journal_lock(dirfd, file);
	int r = lock == -EWOULDBLOCK ? error_set(e, -EBUSY, "%s is in use by a mount", file)
				     : recover_extract(dirfd, file, -1, line, arg, e);

	if (r < 0)
		return r;
	r = io_unlink(dirfd, file);
	return r < 0 ? error_set(e, r, "cannot remove %s: %s", file, strerror(-r)) : 0;
}
