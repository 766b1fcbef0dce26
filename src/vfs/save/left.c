/* SPDX-License-Identifier: Zlib */
#include "vfs/save/left.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "vfs/volume/outcome.h"
#include "vfs/volume/report.h"
#include "vfs/tree/vanish.h"
#include "vfs/save/left_dir.h"

struct left_file {
	struct left_file *next;
	char *path, *why;
	struct error e; /* it could not be copied */
	bool wanted;
};

struct left {
	struct left_dir dir;
	struct left_file *files;
};

static void file_free(struct left_file *f)
{
	free(f->path);
	free(f->why);
	free(f);
}

void left_destroy(struct left *l)
{
	if (!l)
		return;
	for (struct left_file *f = l->files, *next; f; f = next) {
		next = f->next;
		file_free(f);
	}
	left_dir_finish(&l->dir);
	free(l);
}

static struct left_file *file_of(struct left *l, const char *path)
{
	struct left_file **at = &l->files;

	while (*at && strcmp((*at)->path, path) != 0)
		at = &(*at)->next;
	if (*at)
		return *at;
	*at = calloc(1, sizeof(**at));
	if (*at && !((*at)->path = strdup(path)))
		free(TAKE(*at));
	return *at;
}

/* False: no memory to say so. */
static bool copy_one(const struct vfs *v, struct left *l, const struct upper *u)
{
	CLEANUP(free) char *path = upper_path(u);
	struct left_file *f = path ? file_of(l, path) : NULL;
	char buffer[VANISH_REASON_MAX];
	char *why = f ? strdup(vanish_reason(v->tree, u, buffer, sizeof(buffer))) : NULL;

	if (!why)
		return false;
	free(f->why);
	f->why = why;
	f->wanted = true;
	f->e = (struct error)ERROR_INIT;
	(void)left_dir_copy(&l->dir, u, path, &f->e);
	return true;
}

/* What was copied for an end that did not come, and would not vanish any more. */
static void remove_unwanted(struct left *l)
{
	for (struct left_file **at = &l->files, *f = *at; f; f = *at) {
		if (f->wanted && !f->e.code) {
			at = &f->next;
			continue;
		}
		left_dir_remove(&l->dir, f->path);
		if (f->wanted) {
			at = &f->next;
			continue;
		}
		*at = f->next;
		file_free(f);
	}
}

/* Copies all, and leaves no more than whole files there. */
static int copy_all(struct vfs *v, bool open_too, struct error *e)
{
	bool failed = false;

	if (!v->vol->left) {
		v->vol->left = calloc(1, sizeof(*v->vol->left));
		if (!v->vol->left)
			return error_set(e, -ENOMEM, "out of memory");
		left_dir_init(&v->vol->left->dir, v);
	}
	for (struct left_file *f = v->vol->left->files; f; f = f->next)
		f->wanted = false;
	for (const struct upper *u = NULL; (u = overlay_next(v->tree, u));)
		if (vanish_would(v->tree, u) && (open_too || !u->node || !u->node->writers))
			failed |= !copy_one(v, v->vol->left, u);
	remove_unwanted(v->vol->left);
	return failed ? error_set(e, -ENOMEM, "out of memory") : 0;
}

static void refuse(struct report *report, const struct error *e)
{
	report_add(report, REPORT_REFUSED, "what would vanish could not be copied out: %s",
		error_text(e));
	report_code(report, OUTCOME_SAVE_FAILED);
}

static bool refuse_files(const struct left *l, struct report *report)
{
	bool any = false;

	for (const struct left_file *f = l->files; f; f = f->next) {
		if (!f->e.code)
			continue;
		report_add(report, REPORT_REFUSED, "%s could not be copied out: %s", f->path,
			error_text(&f->e));
		report_code(report, OUTCOME_SAVE_FAILED);
		any = true;
	}
	return any;
}

void left_prepare(struct vfs *v, struct report *report)
{
	struct error e = ERROR_INIT;

	if (copy_all(v, false, &e) < 0)
		refuse(report, &e);
	else if (!refuse_files(v->vol->left, report))
		return;
	/* There is no end yet, and nothing is to look as if it were kept. */
	left_drop(v);
}

void left_drop(struct vfs *v)
{
	for (struct left_file *f = v->vol->left ? v->vol->left->files : NULL; f; f = f->next)
		f->wanted = false;
	if (v->vol->left)
		remove_unwanted(v->vol->left);
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

void left_copy(struct vfs *v, struct report *report)
{
	struct error e = ERROR_INIT;
	struct left *l;
	int r = copy_all(v, true, &e);

	if (r < 0)
		refuse(report, &e);
	tell_dropped(v, report);
	count_derived(v, report);
	l = v->vol->left;
	if (!l)
		return;
	(void)refuse_files(l, report);
	r = left_dir_show(&l->dir, &e);
	for (const struct left_file *f = l->files; f; f = f->next) {
		if (f->e.code)
			continue;
		report_add(report, REPORT_LEFT, "%s/%s: %s", l->dir.name, f->path, f->why);
		report_code(report, OUTCOME_LEFT);
	}
	/* The journal goes once this is done, so it has to be on disk. */
	if (r < 0)
		refuse(report, &e);
}
