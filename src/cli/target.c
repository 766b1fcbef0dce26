/* SPDX-License-Identifier: Zlib */
#include "cli/target.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "cli/beside.h"

/* path with its last name unresolved: to resolve a mount point is to touch the mount. NULL where
 * the last name is no plain name, or something before it is missing. */
static char *resolve_parent(const char *path)
{
	CLEANUP(free) char *copy = strdup(path);
	CLEANUP(free) char *parent = NULL;
	char *whole, *name;
	size_t n = copy ? strlen(copy) : 0;

	while (n > 1 && copy[n - 1] == '/')
		copy[--n] = '\0';
	if (!n)
		return NULL;
	name = strrchr(copy, '/');
	if (name)
		*name++ = '\0';
	else
		name = copy;
	if (!*name || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		return NULL;
	parent = realpath(name == copy ? "." : *copy ? copy : "/", NULL);
	if (!parent || asprintf(&whole, "%s/%s", strcmp(parent, "/") ? parent : "", name) < 0)
		return NULL;
	return whole;
}

static int add(struct targets *t, struct target *one)
{
	struct target *all = realloc(t->all, (t->n + 1) * sizeof(*all));

	if (all)
		t->all = all;
	if (!all || (!one->point && !one->file)) {
		free(one->point);
		free(one->file);
		return -ENOMEM;
	}
	all[t->n++] = *one;
	return 0;
}

static bool is_mounted(const char *point, struct mount_entry *ret)
{
	return point && mountinfo_find(MOUNTINFO, point, ret) == 0 && ret->mapfs;
}

/* source: NULL for any. */
static int add_mounts(struct targets *t, const char *shown, const char *source)
{
	FILE *table = fopen(MOUNTINFO, "re");
	struct target one = {0};
	struct mount_entry top;

	if (!table)
		return -errno;
	while (mountinfo_next(table, &one.entry)) {
		if (!one.entry.mapfs || (source && strcmp(one.entry.source, source) != 0))
			continue;
		/* What is covered by another mount is not to be had. */
		if (!is_mounted(one.entry.point, &top) || strcmp(top.dev, one.entry.dev) != 0)
			continue;
		one.point = strdup(one.entry.point);
		one.shown = shown ? shown : one.point;
		(void)add(t, &one);
	}
	fclose(table);
	return 0;
}

int targets_add_all(struct targets *t)
{
	return add_mounts(t, NULL, NULL);
}

int targets_add_file(struct targets *t, const char *path)
{
	struct target one = {.file = strdup(path)};

	one.shown = one.file;
	return add(t, &one);
}

static void add_file(void *arg, const char *path)
{
	(void)targets_add_file(arg, path);
}

int targets_add(struct targets *t, const char *name)
{
	struct target one = {.shown = name, .point = resolve_parent(name)};
	size_t before = t->n;
	struct stat st;

	if (is_mounted(one.point, &one.entry))
		return add(t, &one);
	free(one.point);
	one.point = realpath(name, NULL);
	if (is_mounted(one.point, &one.entry))
		return add(t, &one);
	if (!one.point || stat(one.point, &st) < 0 ||
		!(S_ISREG(st.st_mode) || S_ISDIR(st.st_mode))) {
		free(one.point);
		return -ENOENT;
	}
	one.file = TAKE(one.point);
	(void)add_mounts(t, name, one.file);
	if (t->n == before && S_ISREG(st.st_mode))
		return add(t, &one);
	free(one.file);
	return t->n == before ? -ENOENT : 0;
}

int targets_add_below(struct targets *t, const char *folder)
{
	CLEANUP(free) char *path = realpath(folder, NULL);
	size_t before = t->n;
	struct stat st;

	if (path && stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		(void)beside_each(path, add_file, t);
	return t->n == before ? -ENOENT : 0;
}

void targets_finish(struct targets *t)
{
	for (size_t i = 0; i < t->n; i++) {
		free(t->all[i].point);
		free(t->all[i].file);
	}
	free(t->all);
	*t = (struct targets){0};
}
