/* SPDX-License-Identifier: Zlib */
/* Walk the operations of a journal, for a replay. */
#include <errno.h>
#include <string.h>

#include "vfs/journal/journal.h"
#include "vfs/journal/read.h"

/*
 * Do later records keep their meaning if a record of this type is missing? Contents are independent
 * of each other, but a missing change of names may change what later paths mean.
 */
static bool is_independent(enum journal_type type)
{
	return type == JOURNAL_PUT || type == JOURNAL_DRAFT || type == JOURNAL_DROP ||
	       type == JOURNAL_HEADER || type == JOURNAL_SAVED;
}

struct walk {
	struct journal *j;
	int (*fn)(void *arg, const struct journal_op *op);
	void *arg;
	bool blind; /* an operation on names is missing, so skip all operations */
	struct journal_gaps *gaps;
};

static int walk_record(struct walk *w, const struct journal_record *rec)
{
	struct journal_op op;

	if (rec->damaged || !rec->type) {
		w->gaps->damaged += rec->damaged;
		w->gaps->skipped += !rec->damaged;
		w->blind |= rec->damaged && !is_independent(rec->type);
		return 0;
	}
	/* A mount that continued after the damage wrote a new header. Later records are valid. */
	if (rec->type == JOURNAL_HEADER && strcmp(rec->texts[1], w->j->identity) == 0)
		w->blind = false;
	if (!journal_record_op(rec, &op))
		return 0;
	if (w->blind) {
		w->gaps->skipped++;
		return 0;
	}
	return w->fn(w->arg, &op);
}

int journal_walk(struct journal *j, int (*fn)(void *arg, const struct journal_op *op), void *arg,
	struct journal_gaps *ret_gaps, struct error *e)
{
	struct walk w = {.j = j, .fn = fn, .arg = arg, .gaps = ret_gaps};
	struct journal_record rec;
	struct reclog_pos pos = {0};
	bool torn;
	int r;

	*ret_gaps = (struct journal_gaps){0};
	while ((r = journal_record_next(j->log, &pos, &rec, &torn, e)) > 0) {
		r = walk_record(&w, &rec);
		journal_record_finish(&rec);
		if (r < 0)
			break;
	}
	j->resume = w.blind;
	j->kept |= ret_gaps->damaged || ret_gaps->skipped;
	return r;
}
