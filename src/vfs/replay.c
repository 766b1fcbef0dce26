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

/* What was to go is not there, what was to be made is: nothing is lost. Nor with a name of what is
 * not there: it meant nothing, and a save before left it out; or it was told as damaged. */
static bool is_done(enum journal_type type, int r)
{
	return r == -ENOENT ? type != JOURNAL_PUT && type != JOURNAL_DRAFT
			    : r == -EEXIST && type == JOURNAL_MKDIR;
}

/* It is there to be looked at, but no file of the map. */
static bool is_scratch(struct overlay *o, const struct journal_op *op)
{
	struct dentry p;

	return op->content && overlay_dentry_at(o, op->path, &p) == 0 && p.stands && p.spot.upper &&
	       p.spot.upper->scratch;
}

static int replay_one(void *arg, const struct journal_op *op)
{
	struct replay *re = arg;
	int r = overlay_apply(re->v->tree, op);

	if (r == 0 && is_scratch(re->v->tree, op))
		r = -ENOENT;
	re->drafts += r == 0 && op->type == JOURNAL_DRAFT;
	re->changes += r == 0 && op->type != JOURNAL_DRAFT && op->type != JOURNAL_DROP;
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
