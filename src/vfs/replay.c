/* SPDX-License-Identifier: Zlib */
/*
 * What an earlier mount closed and did not save comes back: the operations of its journal are done
 * to the tree, in which they were done before. Nothing is judged.
 */
#include "vfs/replay.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct replay {
	struct vfs *v;
	unsigned changes, drafts, lost;
};

/* Makes the directories of a path that are not there: damage may have taken what made them. */
static int make_dirs(struct overlay *o, const char *path)
{
	int r = 0;

	for (const char *end = strchr(path, '/'); r == 0 && end; end = strchr(end + 1, '/')) {
		CLEANUP(free) char *above = strndup(path, (size_t)(end - path));

		r = above ? overlay_mkdir(o, above) : -ENOMEM;
		if (r == -EEXIST)
			r = 0;
	}
	return r;
}

static int replay_content(struct replay *re, const struct journal_op *op)
{
	struct overlay *o = re->v->tree;
	bool refused = op->type == JOURNAL_DRAFT;
	struct dentry p;
	int r = make_dirs(o, op->path);

	if (r == 0)
		r = refused ? overlay_draft(o, op->path, extent_ref(op->content), op->reason)
			    : overlay_put(o, op->path, extent_ref(op->content), NULL);
	/* It is there to be looked at, but no file of the map. */
	if (r == 0 && overlay_dentry_at(o, op->path, &p) == 0 && p.stands && p.spot.upper &&
		p.spot.upper->scratch)
		r = -ENOENT;
	re->drafts += r == 0 && refused;
	re->changes += r == 0 && !refused;
	return r;
}

static int replay_name(struct replay *re, const struct journal_op *op)
{
	struct overlay *o = re->v->tree;
	int r;

	switch (op->type) {
	case JOURNAL_MKDIR:
		r = overlay_mkdir(o, op->path);
		break;
	case JOURNAL_REMOVE:
		r = overlay_remove(o, op->path, false);
		if (r == -EISDIR)
			r = overlay_remove(o, op->path, true);
		break;
	case JOURNAL_RENAME:
		r = make_dirs(o, op->to);
		if (r == 0)
			r = overlay_rename(o, op->path, op->to);
		break;
	default:
		return 0;
	}
	re->changes += r == 0;
	return r;
}

/* What was to go is not there, what was to be made is: nothing is lost. Nor with a name of what is
 * not there: it meant nothing, and a save before left it out; or it was told as damaged. */
static bool is_done(enum journal_type type, int r)
{
	return r == -ENOENT ? type != JOURNAL_PUT && type != JOURNAL_DRAFT
			    : r == -EEXIST && type == JOURNAL_MKDIR;
}

static int replay_one(void *arg, const struct journal_op *op)
{
	struct replay *re = arg;
	int r;

	if (op->type == JOURNAL_PUT || op->type == JOURNAL_DRAFT)
		r = replay_content(re, op);
	else if (op->type == JOURNAL_DROP)
		r = overlay_revert(re->v->tree, op->path);
	else
		r = replay_name(re, op);
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

	if (!journal_exists(&vol->journal))
		return 0;
	r = journal_walk(&vol->journal, replay_one, &re, &gaps, e);
	v->view.stale = v->tree->base->format->follows;
	if (re.lost)
		journal_keep(&vol->journal);
	/* What memory was too short for has not always words. */
	if (r < 0 && e && !e->code)
		error_set(e, r, "%s", strerror(-r));
	if (r < 0)
		return error_context(e, "the journal cannot be replayed"), r;
	say(v, &re, &gaps);
	return 0;
}
