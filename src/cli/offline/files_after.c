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

struct replaced {
	struct offline *t;
	const struct unlike *u;
	struct names paths;
	int failed;
};

static void find_replaced(void *arg, const char *path)
{
	struct replaced *x = arg;
	CLEANUP(free) char *to = unlike_place(x->u, path);
	struct seen a;
	int r = to ? offline_find(x->t, to, &a) : -ENOMEM;

	if (r == 0)
		return;
	if (r == -ENOENT)
		r = names_add(&x->paths, path);
	if (r < 0)
		x->failed = r;
}

int files_tell_replaced(
	struct offline *t, const char *shown, const struct unlike *u, struct files_copied *copied)
{
	struct replaced x = {.t = t, .u = u};

	copied_each(&copied->all, find_replaced, &x);
	names_sort(&x.paths);
	for (size_t i = 0; i < x.paths.n; i++)
		say(stderr, "mapfs: %s/%s: left out: another file has its place", shown,
			x.paths.at[i]);
	copied->left += x.paths.n;
	names_finish(&x.paths);
	return x.failed;
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
