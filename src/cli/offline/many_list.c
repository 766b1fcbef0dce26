/* SPDX-License-Identifier: Zlib */
#include "cli/offline/many_list.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"
#include "base/io.h"
#include "base/say.h"
#include "cli/offline/names.h"
#include "cli/offline/streams.h"

enum { DEPTH_MAX = 1000 };

static void wrong(struct many_list *l, const char *name, int r, const char *why)
{
	say(stderr, "mapfs: %s: %s", name, why ? why : strerror(-r));
	l->wrong = r;
}

static bool is_map(const char *name)
{
	const char *dot = strrchr(name, '.');

	if (name[0] == '.' || strstr(name, ".mapfs-") || !dot)
		return false;
	for (size_t i = 0; formats[i]; i++)
		for (const char *const *end = formats[i]->endings; *end; end++)
			if (strcasecmp(*end, dot + 1) == 0)
				return true;
	return false;
}

/* Strings are taken, also on failure. */
static int add(struct many_list *l, char *shown, char *path)
{
	if (!shown || !path || !array_room(l->maps, l->n, l->room)) {
		free(shown);
		free(path);
		return -ENOMEM;
	}
	l->maps[l->n++] = (struct many_map){shown, path, l->n_tops - 1};
	return 0;
}

static char *joined(const char *dir, const char *name)
{
	size_t n = strlen(dir);
	char *path;

	while (n > 1 && dir[n - 1] == '/')
		n--;
	if (asprintf(&path, "%.*s%s%s", (int)n, dir, n && dir[n - 1] != '/' ? "/" : "", name) < 0)
		return NULL;
	return path;
}

static int add_below(struct many_list *l, const char *folder, const char *below, int dirfd,
	const char *name, int depth);

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct many_map *)a)->shown, ((const struct many_map *)b)->shown);
}

/* What is in the directory at `below` of the folder. */
static int add_dir(struct many_list *l, const char *folder, const char *below, int fd, int depth)
{
	CLEANUP_NAMES struct names names = {0};
	int r = depth < DEPTH_MAX ? names_add_dir(&names, fd) : -ELOOP;

	if (r < 0 && r != -ENOMEM) {
		CLEANUP(free) char *path = below[0] ? joined(folder, below) : NULL;

		wrong(l, path ? path : folder, r, NULL);
		return 0;
	}
	for (size_t i = 0; r == 0 && i < names.n; i++) {
		const char *name = names.at[i];
		struct stat st;

		if (name[0] == '.' || fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		if (S_ISDIR(st.st_mode)) {
			r = add_below(l, folder, below, fd, name, depth);
		} else if (S_ISREG(st.st_mode) && is_map(name)) {
			char *path = joined(below, name);

			r = add(l, path ? joined(folder, path) : NULL, path);
		}
	}
	return r;
}

static int add_below(struct many_list *l, const char *folder, const char *below, int dirfd,
	const char *name, int depth)
{
	CLEANUP(free) char *path = joined(below, name);
	CLEANUP(close_fd) int fd = io_openat(dirfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
	CLEANUP(free) char *shown = NULL;

	if (!path)
		return -ENOMEM;
	if (fd >= 0)
		return add_dir(l, folder, path, fd, depth + 1);
	shown = joined(folder, path);
	wrong(l, shown ? shown : folder, fd, NULL);
	return 0;
}

static int add_folder(struct many_list *l, const char *folder, int top)
{
	size_t first = l->n;
	int r = add_dir(l, folder, "", top, 0);

	qsort(l->maps + first, l->n - first, sizeof(*l->maps), by_name);
	return r;
}

static bool is_last_top(const struct many_list *l, int fd)
{
	struct stat a, b;

	return l->n_tops && fstat(l->tops[l->n_tops - 1].fd, &a) == 0 && fstat(fd, &b) == 0 &&
	       a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* Maps that are named one by one mostly stand in one directory. */
static int add_top(struct many_list *l, int fd, unsigned flags)
{
	if (is_last_top(l, fd)) {
		close(fd);
		return 0;
	}
	if (!array_room(l->tops, l->n_tops, l->room_tops)) {
		close(fd);
		return -ENOMEM;
	}
	l->tops[l->n_tops++] = (struct sandbox_rule){fd, flags};
	return 0;
}

int many_list_add(struct many_list *l, const char *name)
{
	/* Whose the maps are is not known before they are seen. */
	unsigned flags = geteuid() == 0 ? SANDBOX_RIGHTS : 0;
	struct error e = ERROR_INIT;
	char *file = NULL;
	int fd, r = offline_locate(name, &fd, &file, &e);

	if (r == 0) {
		/* What is in no directory has to be within reach by itself. */
		if (streams_named(name))
			r = add_top(l, fcntl(atoi(file), F_DUPFD_CLOEXEC, 0), 0);
		if (r == 0)
			r = add_top(l, fd, flags);
		if (r == 0)
			return add(l, strdup(name), file);
		free(file);
		return r;
	}
	if (r != -EISDIR) {
		wrong(l, name, r, error_text(&e));
		return 0;
	}
	fd = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0) {
		wrong(l, name, -errno, NULL);
		return 0;
	}
	r = add_top(l, fd, flags);
	return r < 0 ? r : add_folder(l, name, fd);
}

void many_list_finish(struct many_list *l)
{
	for (size_t i = 0; i < l->n; i++) {
		free(l->maps[i].shown);
		free(l->maps[i].path);
	}
	for (size_t i = 0; i < l->n_tops; i++)
		close(l->tops[i].fd);
	free(l->maps);
	free(l->tops);
	*l = (struct many_list){0};
}
