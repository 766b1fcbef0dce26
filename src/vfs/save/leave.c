/* SPDX-License-Identifier: Zlib */
/* What a map that is saved does not hold, and its journal does: operations on its tree. */
#include <errno.h>
#include <string.h>

#include "vfs/save/save.h"

static bool is_left(const struct staged *s, size_t i)
{
	enum build_fate fate = s->built.entries[i].fate;

	return !s->entries[i].gone && (fate == BUILD_REFUSED || fate == BUILD_KEPT);
}

bool save_leaves(const struct staged *s)
{
	for (size_t i = 1; i < s->n; i++)
		if (is_left(s, i))
			return true;
	return false;
}

static int leave_file(const struct staged *s, size_t i, struct journal *j, struct error *e)
{
	const struct upper *u = s->uppers[i];
	const struct built_entry *b = &s->built.entries[i];
	const char *why = b->why ? b->why : upper_refused(u) ? u->why : "it cannot be in the map";
	CLEANUP(free) char *path = staged_kept_path(s, i), *now = upper_path(u);
	bool kept = b->fate == BUILD_KEPT;
	int r = 0;

	if (!path || !now)
		return error_set(e, -ENOMEM, "out of memory");
	if ((kept || !b->last) && (u->last.mem || u->last.file))
		r = journal_put(j, path, &u->last, NULL, e);
	if (r == 0 && u->written)
		r = kept && !u->why ? journal_put(j, path, &u->in, NULL, e)
				    : journal_draft(j, path, why, &u->in, NULL, e);
	return r == 0 && kept ? journal_name(j, JOURNAL_RENAME, path, now, e) : r;
}

static int leave_dir(const struct staged *s, size_t i, struct journal *j, struct error *e)
{
	CLEANUP(free) char *path = upper_path(s->uppers[i]);

	return path ? journal_name(j, JOURNAL_MKDIR, path, NULL, e)
		    : error_set(e, -ENOMEM, "out of memory");
}

/* Directories, for what is in them: only those that were made can be none of the map's. */
static int leave_dirs(const struct staged *s, struct journal *j, struct error *e)
{
	CLEANUP(free) bool *holds = calloc(s->n, sizeof(*holds));
	int r = holds ? 0 : error_set(e, -ENOMEM, "out of memory");

	for (size_t i = 1; r == 0 && i < s->n; i++)
		for (size_t k = i; is_left(s, i) && k; k = s->entries[k].up)
			holds[k] = true;
	for (size_t i = 1; r == 0 && i < s->n; i++)
		if (holds[i] && s->entries[i].dir && s->entries[i].from == ENTRY_NONE)
			r = leave_dir(s, i, j, e);
	return r;
}

int save_leave(const struct staged *s, struct journal *j, struct error *e)
{
	int r = leave_dirs(s, j, e);

	for (size_t i = 1; r == 0 && i < s->n; i++)
		if (is_left(s, i) && !s->entries[i].dir)
			r = leave_file(s, i, j, e);
	return r;
}
