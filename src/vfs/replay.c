/* SPDX-License-Identifier: Zlib */
/*
 * What an earlier mount closed and did not save comes back: its operations run again, as if a
 * program asked for them, but that the journal has them already.
 */
#include "vfs/replay.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "vfs/tree/attr.h"
#include "vfs/tree/dentry.h"
#include "vfs/tree/stage.h"
#include "vfs/ops/accept.h"
#include "vfs/ops/ops.h"

struct replay {
	struct vfs *v;
	unsigned changes, drafts, lost;
	bool name_map; /* one is in force */
};

enum { NAME_MAP_MAX = 64 << 20 };

struct asking {
	struct call call; /* first */
	bool answered;
	int r;
};

static void answered(struct call *c, int r)
{
	struct asking *a = (struct asking *)c;

	a->answered = true;
	a->r = r;
}

/* Runs the call to its end on this thread. */
static int ask(struct vfs *v, struct asking *a, vfs_op op)
{
	struct pollfd p = {.fd = pool_fd(v->pool), .events = POLLIN};

	a->call.op = op;
	a->call.reply = answered;
	a->answered = false;
	vfs_submit(v, &a->call);
	while (!a->answered) {
		(void)poll(&p, 1, 1000);
		pool_complete(v->pool);
	}
	return a->r;
}

/* The directory of a path, and its last name. */
static int find_dir(struct vfs *v, const char *path, struct node **ret, const char **ret_base)
{
	const char *slash = strrchr(path, '/');
	CLEANUP(free) char *above = strndup(path, slash ? (size_t)(slash - path) : 0);

	*ret_base = slash ? slash + 1 : path;
	return above ? names_walk(v, above, ret, NULL) : -ENOMEM;
}

/* Makes the directories of a path that are not there: of a draft in a layer that no map has yet,
 * since the journal of what a save left holds drafts alone. */
static int make_dirs(struct vfs *v, const char *path)
{
	struct asking a;
	struct node *dir, *n;
	const char *base;
	int r = 0;

	for (const char *end = strchr(path, '/'); r == 0 && end; end = strchr(end + 1, '/')) {
		CLEANUP(free) char *above = strndup(path, (size_t)(end - path));

		r = above ? names_walk(v, above, &n, NULL) : -ENOMEM;
		if (r == 0)
			node_free_unused(v, n);
		if (r != -ENOENT || find_dir(v, above, &dir, &base) < 0)
			continue;
		a = (struct asking){.call = {.ino = dir->ino, .name = base}};
		a.call.set = (struct attr){
			.mode = v->vol->dir_mode, .uid = v->vol->uid, .gid = v->vol->gid};
		r = ask(v, &a, vfs_mkdir);
		if (r == 0)
			vfs_forget(v, a.call.attr.ino, 1);
	}
	return r;
}

/* Opens the file, or makes it; the handle is c's. */
static int open_file(struct vfs *v, const char *path, struct asking *a)
{
	struct node *dir, *n;
	const char *base;
	int r = find_dir(v, path, &dir, &base);

	if (r < 0)
		return r;
	*a = (struct asking){.call = {.ino = dir->ino, .name = base, .flags = O_WRONLY}};
	r = names_resolve(v, dir, base, &n, NULL);
	if (r == 0) {
		a->call.ino = n->ino;
		r = ask(v, a, vfs_open);
		node_free_unused(v, n);
		return r;
	}
	if (r != -ENOENT) {
		node_free_unused(v, dir);
		return r;
	}
	a->call.set.mode = 0666;
	a->call.set.uid = v->vol->uid;
	a->call.set.gid = v->vol->gid;
	r = ask(v, a, vfs_create_file);
	if (r == 0)
		vfs_forget(v, a->call.attr.ino, 1);
	return r;
}

static int replay_content(struct replay *re, const struct journal_op *op)
{
	struct vfs *v = re->v;
	struct asking a;
	struct node *n;
	int r = make_dirs(v, op->path);

	if (r == 0)
		r = open_file(v, op->path, &a);
	if (r < 0)
		return r;
	a.call.handle = a.call.opened;
	n = a.call.handle->node;
	r = op->content->size > file_most(n) ? -EFBIG : stage_fill(n, op->content, NULL);
	if (r == 0 && op->type == JOURNAL_PUT) {
		n->stage->state = STAGE_WRITTEN;
		node_touch(n, ATTR_MTIME);
	} else if (r == 0) {
		n->stage->verdict = error_set(&n->stage->why, -EINVAL, "%s", op->reason);
		stage_keep(n->stage, op->content);
		/* Perhaps: the journal does not say. */
		n->stage->why.others = true;
		node_pending(n, true);
	}
	n->opens++; /* to see what became of it */
	(void)ask(v, &a, vfs_release);
	/* It is there to be looked at, but no file of the map. */
	if (r == 0 && node_scratch(n))
		r = -ENOENT;
	if (r == 0 && n->stage && n->stage->verdict < 0)
		re->drafts++;
	else if (r == 0)
		re->changes++;
	n->opens--;
	node_free_unused(v, n);
	return r;
}

static int replay_drop(struct vfs *v, const char *path)
{
	struct forgotten gone = {0};
	struct node *n;
	int r = names_walk(v, path, &n, NULL);

	if (r < 0)
		return r;
	n->opens++;
	if (n->stage && n->stage->verdict < 0)
		draft_dismiss(v, n, &gone);
	forgotten_tell(v, &gone, NULL);
	n->opens--;
	node_free_unused(v, n);
	return 0;
}

/* A directory that went had nothing in it. What a save wrote shows all parts that are always there,
 * also those that the earlier mount did not: they go with it. */
static void remove_parts(struct vfs *v, struct node *dir)
{
	const struct volume *vol = v->vol;
	char name[NAME_MAX + 1];
	uint64_t cookie = 0;
	struct entry en;

	while (dir->lens != LENS_NONE &&
		vol->format->list(vol->now, dir->id, &cookie, name, &en, NULL) > 0) {
		struct asking a = {.call = {.ino = dir->ino, .name = name}};

		if ((en.needed || en.lasting) && !dentry_find(v, dir->ino, name))
			(void)ask(v, &a, vfs_unlink);
	}
}

/* 0: the directory holds no file, nor does one below. remove: then it goes, with them. */
static int bare_dir(struct vfs *v, struct node *dir, const char *name, bool remove)
{
	const struct volume *vol = v->vol;
	struct asking a = {.call = {.ino = dir->ino, .name = name}};
	char below[NAME_MAX + 1];
	uint64_t cookie = 0;
	struct entry en;
	struct node *n;
	int r = names_resolve(v, dir, name, &n, NULL);

	if (r < 0)
		return r;
	r = n->dir && !n->fixed && n->lens != LENS_NONE && dentry_count(v, n->ino) == 0
		    ? 0
		    : -ENOTEMPTY;
	n->opens++;
	while (r == 0 && vol->format->list(vol->now, n->id, &cookie, below, &en, NULL) > 0)
		if (!dentry_find(v, n->ino, below))
			r = bare_dir(v, n, below, remove);
	n->opens--;
	node_free_unused(v, n);
	return r == 0 && remove ? ask(v, &a, vfs_rmdir) : r;
}

/*
 * A directory of which only the removal list tells is shown by the map that was saved, and was not
 * by the earlier mount, where the one around it could go, or another one come to its place.
 */
static int replay_rename(struct vfs *v, const struct asking *what, struct node *to)
{
	const char *name = what->call.to_name;
	struct asking a = *what; /* which is not its own once it was asked */
	int r = ask(v, &a, vfs_rename);

	if (r != -ENOTEMPTY || bare_dir(v, to, name, false) < 0 || bare_dir(v, to, name, true) < 0)
		return r;
	a = *what;
	return ask(v, &a, vfs_rename);
}

static int replay_rmdir(struct vfs *v, struct asking *a, struct node *dir)
{
	const char *name = a->call.name;
	int r = ask(v, a, vfs_rmdir);

	if (r != -ENOTEMPTY || bare_dir(v, dir, name, false) < 0)
		return r;
	return bare_dir(v, dir, name, true);
}

static int replay_name(struct replay *re, const struct journal_op *op)
{
	struct vfs *v = re->v;
	struct asking a = {0};
	struct node *dir, *to, *n;
	bool is_dir = false;
	int r = find_dir(v, op->path, &dir, &a.call.name);

	if (r < 0)
		return r;
	a.call.ino = dir->ino;
	a.call.set.mode = 0777;
	dir->opens++;
	if (op->type == JOURNAL_REMOVE && names_resolve(v, dir, a.call.name, &n, NULL) == 0) {
		is_dir = n->dir;
		n->opens++;
		if (is_dir)
			remove_parts(v, n);
		n->opens--;
		node_free_unused(v, n);
	}
	if (op->type == JOURNAL_RENAME) {
		r = find_dir(v, op->to, &to, &a.call.to_name);
		if (r == 0) {
			a.call.to_ino = to->ino;
			/* What is replaced may be all that keeps it: no kernel looked it up. */
			to->opens++;
			r = replay_rename(v, &a, to);
			to->opens--;
			node_free_unused(v, to);
		}
	} else if (op->type == JOURNAL_MKDIR) {
		r = ask(v, &a, vfs_mkdir);
		if (r == 0)
			vfs_forget(v, a.call.attr.ino, 1);
	} else {
		r = is_dir ? replay_rmdir(v, &a, dir) : ask(v, &a, vfs_unlink);
	}
	dir->opens--;
	node_free_unused(v, dir);
	re->changes += r == 0;
	return r;
}

/* What comes next was written by a mount that called things otherwise. */
static int replay_name_map(struct replay *re, const struct extent *text)
{
	struct volume *vol = re->v->vol;
	CLEANUP(bytes_unref) struct bytes *name_map = NULL;
	int r = text ? extent_load(text, NAME_MAP_MAX, &name_map, NULL) : 0;

	re->name_map = text && text->size;
	if (r == 0 && vol->format->names && vol->format->names->read_name_map)
		r = vol->format->names->read_name_map(&vol->now, name_map, NULL);
	return r;
}

/* What was to go is not there, what was to be made is: nothing is lost. */
static bool is_done(enum journal_type type, int r)
{
	return r == -ENOENT ? type == JOURNAL_REMOVE || type == JOURNAL_DROP
			    : r == -EEXIST && type == JOURNAL_MKDIR;
}

static int replay_one(void *arg, const struct journal_op *op)
{
	struct replay *re = arg;
	int r;

	switch (op->type) {
	case JOURNAL_PUT:
	case JOURNAL_DRAFT:
		r = replay_content(re, op);
		break;
	case JOURNAL_DROP:
		r = replay_drop(re->v, op->path);
		break;
	case JOURNAL_NAME_MAP:
		r = replay_name_map(re, op->content);
		break;
	default:
		r = replay_name(re, op);
		break;
	}
	re->lost += r < 0 && !is_done(op->type, r);
	return r == -ENOMEM ? r : 0;
}

static void say(struct vfs *v, const struct replay *re, const struct journal_gaps *gaps)
{
	unsigned lost = re->lost + gaps->skipped;
	char line[256];

	if (re->changes || re->drafts) {
		snprintf(line, sizeof(line),
			"%u %s and %u %s of an earlier mount came back from the journal",
			re->changes, re->changes == 1 ? "change" : "changes", re->drafts,
			re->drafts == 1 ? "draft" : "drafts");
		v->host->note(v->host, line);
	}
	if (gaps->damaged) {
		snprintf(line, sizeof(line),
			"the journal is damaged: %u %s of it cannot be read; it is kept (see mapfs "
			"recover)",
			gaps->damaged, gaps->damaged == 1 ? "place" : "places");
		v->host->note(v->host, line);
	}
	if (lost) {
		snprintf(line, sizeof(line),
			"%u %s of the journal could not be done again; it is kept (see "
			"mapfs recover)",
			lost, lost == 1 ? "operation" : "operations");
		v->host->note(v->host, line);
	}
}

int vfs_replay(struct vfs *v, struct error *e)
{
	struct volume *vol = v->vol;
	struct replay re = {.v = v};
	struct journal_gaps gaps;
	int r;

	if (vol->replay != REPLAY_WAITS)
		return 0;
	vol->replay = REPLAY_UNDER_WAY;
	r = journal_walk(&vol->journal, replay_one, &re, &gaps, e);
	vol->replay = REPLAY_NONE;
	if (re.lost)
		journal_keep(&vol->journal);
	/* What is appended from now on is in this mount's own words. */
	if (r == 0 && re.name_map) {
		struct bytes *own = bytes_copy("", 0);

		r = own ? replay_name_map(&re, NULL) : -ENOMEM;
		if (own)
			journal_read_by(&vol->journal, own);
	}
	/* What memory was too short for has not always words. */
	if (r < 0 && e && !e->code)
		error_set(e, r, "%s", strerror(-r));
	if (r < 0)
		return error_context(e, "the journal cannot be replayed"), r;
	say(v, &re, &gaps);
	return 0;
}
