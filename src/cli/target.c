/* SPDX-License-Identifier: Zlib */
#include "cli/target.h"

#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "cli/journals.h"

/* Resolve symbolic links in a path except for its last name: resolving a mount point accesses the
 * mount. Returns NULL if the last name is "." or the like, or a directory is missing. */
static char *resolve_parent(const char *path)
{
	CLEANUP(free) char *last = strdup(path), *rest = strdup(path), *parent = NULL;
	const char *name = last ? basename(last) : "";
	char *whole;

	if (!*path || !*name || strcmp(name, "/") == 0 || strcmp(name, ".") == 0 ||
		strcmp(name, "..") == 0)
		return NULL;
	parent = rest ? realpath(dirname(rest), NULL) : NULL;
	if (!parent || asprintf(&whole, "%s/%s", strcmp(parent, "/") ? parent : "", name) < 0)
		return NULL;
	return whole;
}

static int add_target(struct targets *t, const char *shown, const struct mount_entry *entry)
{
	if (!array_reserve(t->all, t->n, t->room))
		return -ENOMEM;
	t->all[t->n++] = (struct target){.argument = shown, .entry = *entry};
	return 0;
}

int targets_add_file(struct targets *t, const char *argument, const char *path)
{
	struct mount_entry none = {0};

	snprintf(none.source, sizeof(none.source), "%s", path);
	return add_target(t, argument, &none);
}

static bool is_mounted(const char *point, struct mount_entry *ret)
{
	return point && mountinfo_find_point(MOUNTINFO, point, ret) == 0 && ret->is_mapfs;
}

bool target_is_mounted(const struct mount_entry *entry)
{
	struct mount_entry now;

	return is_mounted(entry->point, &now) && strcmp(now.dev, entry->dev) == 0;
}

/* Add the mounts of a source, or all mounts if it is NULL. */
static int add_mounts(struct targets *t, const char *shown, const char *source)
{
	FILE *mounts = fopen(MOUNTINFO, "re");
	struct mount_entry entry;

	if (!mounts)
		return -errno;
	while (mountinfo_next(mounts, &entry)) {
		if (!entry.is_mapfs || (source && strcmp(entry.source, source) != 0))
			continue;
		/* A mount that is covered by another one cannot be reached. */
		if (target_is_mounted(&entry))
			(void)add_target(t, shown, &entry);
	}
	fclose(mounts);
	return 0;
}

int targets_add(struct targets *t, const char *name)
{
	CLEANUP(free) char *point = name ? resolve_parent(name) : NULL, *path = NULL;
	struct mount_entry entry;
	size_t before = t->n;
	struct stat st;

	if (!name)
		return add_mounts(t, NULL, NULL);
	if (is_mounted(point, &entry))
		return add_target(t, name, &entry);
	path = realpath(name, NULL);
	if (is_mounted(path, &entry))
		return add_target(t, name, &entry);
	if (!path || stat(path, &st) < 0 || !(S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)))
		return -ENOENT;
	(void)add_mounts(t, name, path);
	if (t->n > before)
		return 0;
	return S_ISREG(st.st_mode) ? targets_add_file(t, name, path) : -ENOENT;
}

int targets_add_below(struct targets *t, const char *folder, bool to_show)
{
	CLEANUP(free) char *path = realpath(folder, NULL);
	CLEANUP_NAMES struct names maps = {0};
	size_t before = t->n;
	struct stat st;
	int r = path ? journals_add_maps(path, true, &maps) : 0;

	for (size_t i = 0; i < maps.n; i++) {
		size_t n = t->n;

		if (to_show)
			(void)add_mounts(t, NULL, maps.items[i]);
		if (t->n == n)
			(void)targets_add_file(t, NULL, maps.items[i]);
	}
	if (r < 0 || t->n > before)
		return r;
	return to_show && path && stat(path, &st) == 0 && S_ISDIR(st.st_mode)
		       ? targets_add_file(t, NULL, path)
		       : -ENOENT;
}

void targets_finish(struct targets *t)
{
	free(t->all);
	*t = (struct targets){0};
}
