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

struct leaving {
	const struct staged *s;
	leave_fn fn;
	void *arg;
};

static int leave(const struct leaving *l, enum journal_type type, const char *path,
	const struct extent *content, const char *second)
{
	return l->fn(l->arg, &(struct journal_op){type, path, second, second, content});
}

static int leave_file(const struct leaving *l, size_t i)
{
	const struct upper *u = l->s->uppers[i];
	const struct built_entry *b = &l->s->built.entries[i];
	const char *why = b->why ? b->why : upper_refused(u) ? u->why : "it cannot be in the map";
	CLEANUP(free) char *path = staged_kept_path(l->s, i), *now = upper_path(u);
	bool kept = b->fate == BUILD_KEPT, draft = !kept || u->why;
	int r = path && now ? 0 : -ENOMEM;

	if (r == 0 && (kept || !b->last) && (u->last.mem || u->last.file))
		r = leave(l, JOURNAL_PUT, path, &u->last, NULL);
	if (r == 0 && u->written)
		r = leave(l, draft ? JOURNAL_DRAFT : JOURNAL_PUT, path, &u->in, why);
	return r == 0 && kept ? leave(l, JOURNAL_RENAME, path, NULL, now) : r;
}

static int leave_dir(const struct leaving *l, size_t i)
{
	CLEANUP(free) char *path = upper_path(l->s->uppers[i]);

	return path ? leave(l, JOURNAL_MKDIR, path, NULL, NULL) : -ENOMEM;
}

/* Directories, for what is in them: only those that were made can be none of the map's. */
static int leave_dirs(const struct leaving *l)
{
	const struct staged *s = l->s;
	CLEANUP(free) bool *holds = calloc(s->n, sizeof(*holds));
	int r = holds ? 0 : -ENOMEM;

	for (size_t i = 1; r == 0 && i < s->n; i++)
		for (size_t k = i; is_left(s, i) && k; k = s->entries[k].up)
			holds[k] = true;
	for (size_t i = 1; r == 0 && i < s->n; i++)
		if (holds[i] && s->entries[i].dir && s->entries[i].from == ENTRY_NONE)
			r = leave_dir(l, i);
	return r;
}

int save_leave(const struct staged *s, leave_fn fn, void *arg)
{
	const struct leaving l = {s, fn, arg};
	int r = leave_dirs(&l);

	for (size_t i = 1; r == 0 && i < s->n; i++)
		if (is_left(s, i) && !s->entries[i].dir)
			r = leave_file(&l, i);
	return r;
}
