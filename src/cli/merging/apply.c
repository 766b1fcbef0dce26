/* SPDX-License-Identifier: Zlib */
#include <errno.h>
#include <string.h>

#include "base/disk/io.h"
#include "base/name.h"
#include "cli/merging/content.h"
#include "cli/merging/steps.h"
#include "cli/offline/change.h"

struct applying {
	struct merge *m;
	struct offline *t;
};

static int fail(const struct applying *a, const char *path, int r)
{
	offline_say(a->t, "%s: %s", path, strerror(-r));
	return r;
}

/* The time that theirs has, where maps keep times. */
static bool time_of(const struct merge *m, const struct merged *x, struct timespec *ret)
{
	struct offline *t = (struct offline *)&m->sides[THEIRS].tree;
	struct seen a;

	if (!t->vol->format->kept_time || x->made || offline_find(t, x->at[THEIRS]->path, &a) < 0)
		return false;
	*ret = a.mtime;
	return true;
}

/* What kept a file from being taken, and why is in the error. */
enum { UNREADABLE = 1 };

static int unreadable(const struct applying *a, int r, struct error *e)
{
	*e = (struct error)ERROR_INIT;
	error_set(e, r, "theirs cannot be read: %s", offline_reason(&a->m->sides[THEIRS].tree, r));
	return r == -ENOMEM ? r : UNREADABLE;
}

/* What was decided, or theirs as it is. UNREADABLE: that. */
static int put_any(struct applying *a, struct merged *x, const char *path, struct error *e)
{
	struct reader from;
	struct timespec mtime;
	bool timed = time_of(a->m, x, &mtime);
	int r = content_open_merged(a->m, x, merged_now, &from), failed = r;

	if (r == 0) {
		r = change_put(a->t, path, reader_take, &from, timed ? &mtime : NULL, e);
		failed = from.error;
	}
	reader_close(&from);
	return failed ? unreadable(a, failed, e) : r;
}

static int put(struct applying *a, struct merged *x)
{
	CLEANUP(free) char *path = merged_path(x, false);
	struct error e = ERROR_INIT;
	struct spot at;
	int r = path ? put_any(a, x, path, &e) : -ENOMEM;

	if (r == -ENOMEM || r == -EIO || io_is_full(r))
		return fail(a, path ? path : "", r);
	if (r == UNREADABLE || r < 0) {
		merged_keep(x);
		return r < 0 ? conflict_add(a->m, x, true, "the map does not take theirs: %s",
				       error_text(&e))
			     : conflict_add(a->m, x, false, "%s", error_text(&e));
	}
	r = overlay_find(a->t->tree, path, &at);
	x->put = r < 0 ? NULL : at.upper;
	return r < 0 ? fail(a, path, r) : 0;
}

static int move(struct applying *a, struct merged *x)
{
	const struct item *o = x->at[OURS];
	CLEANUP(free) char *was = merged_path(o->up->of, false), *from = NULL, *to = NULL;
	CLEANUP(free) char *dir = merged_path(x->up, false);
	int r = was && dir ? 0 : -ENOMEM;

	/* Which may be in a new one. */
	if (r == 0 && o->up->of != x->up)
		r = change_mkdirs(a->t, dir);
	if (r < 0)
		return fail(a, dir ? dir : "", r);
	from = path_join(was, o->name);
	to = text_printf("%s/%s%s", dir, x->now, o->ending);
	r = from && to ? overlay_rename(a->t->tree, from, to) : -ENOMEM;
	return r < 0 ? fail(a, from ? from : "", r) : 0;
}

static int make_dir(struct applying *a, const struct merged *x)
{
	CLEANUP(free) char *path = merged_path(x, false);
	int r = path ? change_mkdirs(a->t, path) : -ENOMEM;

	return r < 0 ? fail(a, path ? path : "", r) : 0;
}

static int take_away(struct applying *a, const struct merged *x)
{
	CLEANUP(free) char *path = merged_path(x, false);
	int r = -ENOMEM;

	if (path)
		r = merged_dir(x) && merged_object(x)
			    ? change_remove_tree(a->t, path)
			    : overlay_remove(a->t->tree, path, merged_dir(x));
	/* What a map always has stays. */
	if (r == -EPERM || r == -EACCES || r == -ENOTEMPTY || r == -ENOENT)
		return 0;
	return r < 0 ? fail(a, path ? path : "", r) : 0;
}

/* What is in one object may come from another, so all of them stand where they are to stand first,
 * and go last. */
static int apply_below(struct applying *a, struct merged *dir)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < dir->n_order; i++) {
		struct merged *x = dir->order[i];

		if (x->at[OURS])
			r = x->moved ? move(a, x) : 0;
		else if (merged_dir(x))
			r = make_dir(a, x);
	}
	for (size_t i = 0; r == 0 && i < dir->n; i++) {
		struct merged *x = dir->below[i];

		if (!merged_dir(x)) {
			if (x->stays && (x->made || merged_source(x) == THEIRS))
				r = put(a, x);
			continue;
		}
		if (x->stays && !x->at[OURS] && !merged_object(x))
			r = make_dir(a, x);
		if (r == 0 && (x->stays || (x->at[OURS] && !merged_object(x))))
			r = apply_below(a, x);
	}
	for (size_t i = 0; r == 0 && i < dir->n; i++)
		if (dir->below[i]->at[OURS] && !dir->below[i]->stays)
			r = take_away(a, dir->below[i]);
	return r;
}

bool apply_refused(void *arg, const struct upper *u, const char *why)
{
	struct merge *m = arg;
	size_t i = 0;

	while (i < m->n && m->all[i]->put != u)
		i++;
	if (i == m->n)
		return false;
	merged_keep(m->all[i]);
	return conflict_add(m, m->all[i], true, "the map does not take theirs: %s", why) == 0;
}

int apply_all(struct merge *m)
{
	struct applying a = {.m = m, .t = &m->sides[OURS].tree};

	return apply_below(&a, m->root);
}
