/* SPDX-License-Identifier: Zlib */
#include "vfs/save/left.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "vfs/volume/outcome.h"
#include "vfs/volume/report.h"
#include "vfs/tree/vanish.h"
#include "vfs/save/left_dir.h"

struct left {
	struct left_dir dir;
	char **paths; /* that are there, whole */
	size_t n, room;
};

static void forget(struct left *l)
{
	while (l->n)
		free(l->paths[--l->n]);
}

void left_destroy(struct left *l)
{
	if (!l)
		return;
	forget(l);
	free(l->paths);
	left_dir_finish(&l->dir);
	free(l);
}

static bool is_wanted(const struct vfs *v, const struct upper *u, bool open_too)
{
	return vanish_would(v->tree, u) && (open_too || !u->node || !u->node->writers);
}

static void refuse(struct report *report, const char *what, const struct error *e)
{
	report_add(report, REPORT_REFUSED, "%s could not be copied out: %s", what, error_text(e));
	report_code(report, OUTCOME_SAVE_FAILED);
}

static void copy_one(struct left *l, const struct upper *u, struct report *report)
{
	CLEANUP(free) char *path = upper_path(u);
	struct error e = ERROR_INIT;
	int r;

	if (path && array_room(l->paths, l->n, l->room))
		r = left_dir_copy(&l->dir, u, path, &e);
	else
		r = error_set(&e, -ENOMEM, "out of memory");
	if (r == 0) {
		l->paths[l->n++] = TAKE(path);
		return;
	}
	if (path)
		left_dir_remove(&l->dir, path);
	refuse(report, path ? path : "what would vanish", &e);
}

/* Copies all, and leaves no more than whole files there: no copies for an end that did not come of
 * what would not vanish any more. */
static void copy_all(struct vfs *v, bool open_too, struct report *report)
{
	struct left *l = v->vol->left;
	const struct upper *u = NULL;
	struct error e = ERROR_INIT;
	struct spot s;

	if (!l) {
		l = v->vol->left = calloc(1, sizeof(*l));
		if (!l) {
			error_set(&e, -ENOMEM, "out of memory");
			refuse(report, "what would vanish", &e);
			return;
		}
		left_dir_init(&l->dir, v);
	}
	for (size_t i = 0; i < l->n; i++)
		if (overlay_find(v->tree, l->paths[i], &s) < 0 || !s.upper ||
			!is_wanted(v, s.upper, open_too))
			left_dir_remove(&l->dir, l->paths[i]);
	forget(l);
	while ((u = overlay_next(v->tree, u)))
		if (is_wanted(v, u, open_too))
			copy_one(l, u, report);
}

void left_prepare(struct vfs *v, struct report *report)
{
	enum outcome before = report->code;

	report->code = OUTCOME_DONE;
	copy_all(v, false, report);
	/* There is no end yet, and nothing is to look as if it were kept. */
	if (report->code == OUTCOME_SAVE_FAILED)
		left_drop(v);
	report_code(report, before);
}

void left_drop(struct vfs *v)
{
	struct left *l = v->vol->left;

	for (size_t i = 0; l && i < l->n; i++)
		left_dir_remove(&l->dir, l->paths[i]);
	if (l)
		forget(l);
}

static void tell_dropped(struct vfs *v, struct report *report)
{
	if (v->vol->dropped)
		report_add(report, REPORT_NOTE,
			"what was written to %s was dropped: it follows from the rest of the map",
			v->vol->dropped);
}

static void count_derived(struct vfs *v, struct report *report)
{
	CLEANUP(free) char *path = NULL;
	size_t count = 0;

	for (const struct upper *u = NULL; (u = overlay_next(v->tree, u));)
		if (vanish_derived(v->tree, u) && !count++)
			path = upper_path(u);
	if (count)
		report_add(report, REPORT_NOTE,
			"%zu %s left out that %s made of others in the map (%s)", count,
			count == 1 ? "file is" : "files are", count == 1 ? "is" : "are",
			path ? path : "");
}

static void tell_left(struct vfs *v, const struct left *l, struct report *report)
{
	char buffer[VANISH_REASON_MAX];
	struct spot s;

	for (size_t i = 0; i < l->n; i++) {
		if (overlay_find(v->tree, l->paths[i], &s) < 0)
			continue;
		report_add(report, REPORT_LEFT, "%s/%s: %s", l->dir.name, l->paths[i],
			vanish_reason(v->tree, s.upper, buffer, sizeof(buffer)));
		report_code(report, OUTCOME_LEFT);
	}
}

void left_copy(struct vfs *v, struct report *report)
{
	struct error e = ERROR_INIT;
	int r;

	tell_dropped(v, report);
	count_derived(v, report);
	copy_all(v, true, report);
	if (!v->vol->left)
		return;
	/* The journal goes once this is done, so it has to be on disk. */
	r = left_dir_sync(&v->vol->left->dir, &e);
	tell_left(v, v->vol->left, report);
	if (r < 0)
		refuse(report, "what would vanish", &e);
}
