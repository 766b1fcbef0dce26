/* SPDX-License-Identifier: Zlib */
/* Once all files of a directory are in the map: what of them is not, and what else is. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "base/io.h"
#include "base/say.h"
#include "cli/offline/files.h"
#include "cli/offline/walk.h"

int files_tell_replaced(
	struct offline *t, const char *shown, const struct unlike *u, struct files_copied *copied)
{
	CLEANUP_NAMES struct names paths = {0};
	const struct copied *all = &copied->all;
	int r = 0;

	for (size_t i = 0; r == 0 && i < all->n; i++) {
		CLEANUP(free) char *to = all->from[i] ? unlike_place(u, all->from[i]) : NULL;
		struct seen a;

		if (!all->from[i])
			continue;
		r = to ? offline_find(t, to, &a) : -ENOMEM;
		if (r == -ENOENT)
			r = names_add(&paths, all->from[i]);
	}
	names_sort(&paths);
	for (size_t i = 0; i < paths.n; i++)
		say(stderr, "mapfs: %s/%s: left out: another file has its place", shown,
			paths.at[i]);
	copied->left += paths.n;
	return r;
}

struct others {
	struct offline *t;
	int dirfd;
	const struct unlike *u;
	const struct copied *copied;
	bool shut;         /* nobody can write the map's own directory, and we do */
	struct names gone; /* paths */
};

static int find_other(void *arg, const char *path, const struct seen *a)
{
	struct others *o = arg;
	struct stat st;
	int fd, r;

	if (!path[0]) {
		o->shut = !(a->mode & 0222);
		return 0;
	}
	/* All that is there is the directory's. */
	if (unlike_has(o->u, path))
		return WALK_PAST;
	if (a->spot.upper && copied_from(o->copied, a->spot.upper->number))
		return 0;
	fd = io_openat(o->dirfd, path, O_PATH | O_NOFOLLOW, 0);
	if (fd >= 0) {
		bool same = fstat(fd, &st) == 0 && S_ISDIR(st.st_mode) == S_ISDIR(a->mode);

		close(fd);
		return same ? 0 : -EEXIST;
	}
	if (fd != -ENOENT && fd != -ENOTDIR)
		return fd;
	/* What nobody can write is not the tree's to say. */
	if (!(a->mode & 0222) && !o->shut)
		return WALK_PAST;
	r = names_add(&o->gone, path);
	return r < 0 ? r : WALK_PAST;
}

int files_remove_others(
	struct offline *t, int dirfd, const struct unlike *u, const struct files_copied *copied)
{
	struct others o = {.t = t, .dirfd = dirfd, .u = u, .copied = &copied->all};
	int r = offline_walk(t, "", find_other, NULL, &o);

	for (size_t i = 0; r == 0 && i < o.gone.n; i++) {
		r = change_remove_tree(t, o.gone.at[i]);
		/* What is always there, and what is only shown. */
		if (r == -EPERM || r == -EACCES || r == -EROFS || r == -ENOTEMPTY)
			r = 0;
	}
	names_finish(&o.gone);
	return r;
}
