/* SPDX-License-Identifier: Zlib */
#include "cli/unmount/target.h"

#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "cli/unmount/beside.h"

/* path with its last name unresolved: to resolve a mount point is to touch the mount. NULL where
 * the last name is no plain name, or something before it is missing. */
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

static int add(struct targets *t, const char *shown, const struct mount_entry *entry)
{
	if (!array_room(t->all, t->n, t->room))
		return -ENOMEM;
	t->all[t->n++] = (struct target){.shown = shown, .entry = *entry};
	return 0;
}

int targets_add_file(struct targets *t, const char *shown, const char *path)
{
	struct mount_entry none = {0};

	snprintf(none.source, sizeof(none.source), "%s", path);
	return add(t, shown, &none);
}

static bool is_mounted(const char *point, struct mount_entry *ret)
{
	return point && mountinfo_find(MOUNTINFO, point, ret) == 0 && ret->mapfs;
}

/* source NULL: of any. */
static int add_mounts(struct targets *t, const char *shown, const char *source)
{
	FILE *mounts = fopen(MOUNTINFO, "re");
	struct mount_entry entry, top;

	if (!mounts)
		return -errno;
	while (mountinfo_next(mounts, &entry)) {
		if (!entry.mapfs || (source && strcmp(entry.source, source) != 0))
			continue;
		/* What is covered by another mount is not to be had. */
		if (is_mounted(entry.point, &top) && strcmp(top.dev, entry.dev) == 0)
			(void)add(t, shown, &entry);
	}
	fclose(mounts);
	return 0;
}

int targets_add_all(struct targets *t)
{
	return add_mounts(t, NULL, NULL);
}

int targets_add(struct targets *t, const char *name)
{
	CLEANUP(free) char *point = resolve_parent(name), *path = NULL;
	struct mount_entry entry;
	size_t before = t->n;
	struct stat st;

	if (is_mounted(point, &entry))
		return add(t, name, &entry);
	path = realpath(name, NULL);
	if (is_mounted(path, &entry))
		return add(t, name, &entry);
	if (!path || stat(path, &st) < 0 || !(S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)))
		return -ENOENT;
	(void)add_mounts(t, name, path);
	if (t->n > before)
		return 0;
	return S_ISREG(st.st_mode) ? targets_add_file(t, name, path) : -ENOENT;
}

int targets_add_below(struct targets *t, const char *folder)
{
	CLEANUP(free) char *path = realpath(folder, NULL);
	CLEANUP_NAMES struct names maps = {0};
	size_t before = t->n;

	if (path)
		beside_maps(path, &maps);
	for (size_t i = 0; i < maps.n; i++)
		(void)targets_add_file(t, NULL, maps.at[i]);
	return t->n == before ? -ENOENT : 0;
}

void targets_finish(struct targets *t)
{
	free(t->all);
	*t = (struct targets){0};
}
