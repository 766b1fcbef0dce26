/* SPDX-License-Identifier: Zlib */
/* Replay the journal of an earlier mount: apply its operations in order, without validation. */
#include "vfs/replay.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "vfs/journal/tally.h"

struct replay {
	struct vfs *v;
	struct journal_tally tally;
	unsigned lost;
};

static void replay_finish(struct replay *re)
{
	journal_tally_finish(&re->tally);
}

/* Did a failed operation lose nothing? True if the directory exists already, or if the file to be
 * removed or renamed does not: an earlier save left it out, because its name had no meaning, or its
 * content is reported as damaged. */
static bool is_already_done(enum journal_type type, int r)
{
	return r == -ENOENT ? type != JOURNAL_PUT && type != JOURNAL_DRAFT
			    : r == -EEXIST && type == JOURNAL_MKDIR;
}

/* Is the content that was applied a scratch file now, and so no part of the map? */
static bool is_scratch(struct overlay *o, const struct journal_op *op)
{
	struct dentry p;

	return op->content && overlay_dentry_at(o, op->path, &p) == 0 && p.exists && p.oentry &&
	       p.oentry->is_scratch;
}

static int replay_one(void *arg, const struct journal_op *op)
{
	struct replay *re = arg;
	int r = overlay_apply(re->v->overlay, op);

	if (r == 0 && is_scratch(re->v->overlay, op))
		r = -ENOENT;
	re->lost += r < 0 && !is_already_done(op->type, r);
	if (r == 0)
		r = journal_tally_add(&re->tally, op);
	return r == -ENOMEM ? r : 0;
}

static void note_restored(struct vfs *v, struct journal_tally *tally)
{
	unsigned changes, drafts;
	char line[256], refused[64] = "";

	journal_tally_count(tally, &changes, &drafts);
	if (drafts)
		snprintf(refused, sizeof(refused), "%s%u %s", changes ? " and " : "", drafts,
			drafts == 1 ? "refused file" : "refused files");
	if (changes)
		snprintf(line, sizeof(line),
			"restored %u %s%s of an earlier mount from the journal", changes,
			changes == 1 ? "change" : "changes", refused);
	else
		snprintf(line, sizeof(line), "restored %s of an earlier mount from the journal",
			refused);
	if (changes || drafts)
		v->host->note(v->host, line);
}

static void note_results(struct vfs *v, struct replay *re, const struct journal_gaps *gaps)
{
	unsigned lost = re->lost + gaps->skipped;
	char line[256];

	note_restored(v, &re->tally);
	if (gaps->damaged) {
		snprintf(line, sizeof(line),
			"the journal is damaged in %u %s; it is kept (see mapfs recover)",
			gaps->damaged, gaps->damaged == 1 ? "place" : "places");
		v->host->note(v->host, line);
	}
	if (lost) {
		snprintf(line, sizeof(line),
			"cannot replay %u %s of the journal; it is kept (see mapfs recover)", lost,
			lost == 1 ? "operation" : "operations");
		v->host->note(v->host, line);
	}
}

int vfs_replay(struct vfs *v, struct error *e)
{
	struct volume *vol = v->vol;
	__attribute__((cleanup(replay_finish))) struct replay re = {.v = v};
	struct journal_gaps gaps;
	int r;

	if (!journal_exists(&vol->journal))
		return 0;
	r = journal_walk(&vol->journal, replay_one, &re, &gaps, e);
	v->view.stale = v->overlay->base->format->has_dependent_files;
	if (re.lost)
		journal_keep(&vol->journal);
	/* An error from exhausted memory may have no text. */
	if (r < 0 && e && !e->code)
		error_set(e, r, "%s", strerror(-r));
	if (r < 0)
		return error_context(e, "cannot replay the journal"), r;
	note_results(v, &re, &gaps);
	return 0;
}
