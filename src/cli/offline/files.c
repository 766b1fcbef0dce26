/* SPDX-License-Identifier: Zlib */
#include "cli/offline/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "base/io.h"
#include "base/say.h"
#include "cli/offline/walk.h"
#include "codec/text.h"

enum { DEPTH_MAX = 1000 };

struct copy {
	struct offline *t;
	const char *shown;
	struct files_copied *done;
	const struct unlike *u; /* NULL: what stands there takes all */
	const char *path;       /* of what is being copied, in the directory */
	const char *to;         /* ... and in the map */
};

static void tell(const struct copy *c, size_t *count, const char *why)
{
	++*count;
	say(stderr, "mapfs: %s/%s: %s", c->shown, c->path, why);
}

static void tell_of(const struct copy *c, int r, const char *why)
{
	/* Nobody can write it, in any mount. */
	if (r == -EACCES || r == -EROFS)
		c->done->shut++;
	else if (r == -EPERM)
		tell(c, &c->done->left, "left out: no part of a map");
	else if (r == -EINVAL && !utf8_valid(c->path, strlen(c->path)))
		tell(c, &c->done->refused, "its name is not UTF-8");
	else if (r == -ENAMETOOLONG)
		tell(c, &c->done->left, "left out: its name is too long");
	else
		tell(c, &c->done->refused, why);
}

void files_copied_finish(struct files_copied *copied)
{
	free(copied->first_derived);
	copied_finish(&copied->all);
}

char *files_origin(
	struct offline *t, const char *shown, const struct files_copied *copied, const char *path)
{
	const char *from;
	char *name = NULL;
	struct seen a;

	if (offline_find(t, path, &a) < 0)
		return NULL;
	from = a.spot.upper ? copied_from(&copied->all, a.spot.upper->number) : NULL;
	return from && asprintf(&name, "%s/%s", shown, from) >= 0 ? name : NULL;
}

/* Two files of the directory are one of the map: what came first would be lost. */
static int refuse_second(struct copy *c, const char *first)
{
	CLEANUP(free) char *why = NULL;

	if (asprintf(&why, "is the same file of the map as %s", first) < 0)
		return -ENOMEM;
	tell(c, &c->done->refused, why);
	return 0;
}

/* What means nothing in a map is not kept until the end: there may be any number of such files.
 * Those that the kit's compiler left beside its sources are told of together. */
static void drop(struct copy *c, bool derived)
{
	if (change_remove(c->t, c->to, false) < 0)
		return;
	if (!derived)
		tell(c, &c->done->left, "left out: no part of a map");
	else if (!c->done->derived++)
		c->done->first_derived = strdup(c->path);
}

/* What became of it. */
static int settle(struct copy *c)
{
	struct copied *all = &c->done->all;
	enum change_meaning meaning;
	const char *first;
	struct seen a;
	int r = offline_find(c->t, c->to, &a);

	/* As in the base: a directory that stands there, and what is only shown. */
	if (r < 0 || !a.spot.upper)
		return r == -ENOENT ? 0 : r;
	meaning = a.spot.dir ? CHANGE_OF_MAP : change_meaning_of(c->t, &a.spot);
	if (meaning != CHANGE_OF_MAP) {
		drop(c, meaning == CHANGE_DERIVED);
		return 0;
	}
	first = a.spot.dir ? NULL : copied_from(all, a.spot.upper->number);
	return first ? refuse_second(c, first) : copied_add(all, a.spot.upper->number, c->path);
}

static int copy_file(struct copy *c, int fd, const struct stat *st)
{
	struct error e = ERROR_INIT;
	struct change_file s = {fd, 0};
	const struct timespec *mtime = c->t->vol->format->keeps_times ? &st->st_mtim : NULL;
	int r = st->st_size > FORMAT_MOST /* nobody takes it; it need not be read for that */
			? error_set(&e, -EFBIG, "%s", strerror(EFBIG))
			: change_put(c->t, c->to, change_from_file, &s, mtime, &e);

	if (s.failed)
		tell(c, &c->done->unread, strerror(-s.failed));
	else if (r == 0)
		return settle(c);
	else if (io_is_full(r))
		return r; /* so it would be with each that follows */
	else
		tell_of(c, r, error_text(&e));
	return 0;
}

static int copy_dir(struct copy *c, int fd, unsigned depth);

static int copy_one(struct copy *c, int dirfd, const char *name, unsigned depth)
{
	CLEANUP(close_fd)
	int fd = io_openat(dirfd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0);
	struct stat st;
	int r = 0;

	/* A link says ELOOP, a device or a socket ENXIO. */
	if (fd < 0 && fd != -ELOOP && fd != -ENXIO)
		r = fd;
	else if (fd >= 0 && fstat(fd, &st) < 0)
		r = -errno;
	if (r < 0) {
		tell(c, &c->done->unread, strerror(-r));
		return 0;
	}
	if (fd < 0 || (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))) {
		tell(c, &c->done->left, "left out: neither a file nor a directory");
		return 0;
	}
	/* What is written stands in the directory itself. */
	if (offline_is_map(c->t, &st) || offline_is_map(c->done->held, &st))
		return 0;
	if (S_ISREG(st.st_mode))
		return copy_file(c, fd, &st);
	r = change_mkdir(c->t, c->to);
	if (r < 0) {
		tell_of(c, r, strerror(-r));
		return 0;
	}
	r = settle(c);
	return r < 0 ? r : copy_dir(c, fd, depth + 1);
}

/* Names in order, so that the same files make the same map. */
static int copy_dir(struct copy *c, int fd, unsigned depth)
{
	CLEANUP_NAMES struct names names = {0};
	const char *above = c->path;
	int r = depth < DEPTH_MAX ? names_add_dir(&names, fd) : -ELOOP;

	for (size_t i = 0; r == 0 && i < names.n; i++) {
		CLEANUP(free) char *path = NULL, *to = NULL;

		if (asprintf(&path, "%s%s%s", above, above[0] ? "/" : "", names.at[i]) < 0)
			path = NULL;
		to = path ? unlike_place(c->u, path) : NULL;
		c->path = path;
		c->to = to;
		r = to ? copy_one(c, fd, names.at[i], depth) : -ENOMEM;
	}
	c->path = above;
	return r;
}

static void tell_together(const char *shown, const struct files_copied *done)
{
	if (done->shut)
		say(stderr, "mapfs: %s: %zu %s what is only shown: left out", shown, done->shut,
			done->shut == 1 ? "file is of" : "files are of");
	if (done->derived)
		say(stderr, "mapfs: %s: %zu %s left out that %s made of others in the map (%s)",
			shown, done->derived, done->derived == 1 ? "file is" : "files are",
			done->derived == 1 ? "is" : "are",
			done->first_derived ? done->first_derived : "");
}

int files_copy_in(struct offline *t, int dirfd, const char *shown, const struct unlike *u,
	struct files_copied *ret)
{
	struct copy c = {.t = t, .shown = shown, .done = ret, .u = u, .path = ""};
	int r = copy_dir(&c, dirfd, 0);

	tell_together(shown, ret);
	return r;
}
