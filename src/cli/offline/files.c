/* SPDX-License-Identifier: Zlib */
#include "cli/offline/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"
#include "base/io.h"
#include "base/say.h"
#include "cli/offline/walk.h"
#include "codec/text.h"

/* A directory that is being copied; its names in order, so that the same files make the same map.
 */
struct level {
	int fd;
	struct names names;
	size_t next;
	size_t path;
};

struct copy {
	struct offline *t;
	const char *shown;
	struct files_copied *done;
	struct level *levels;
	size_t n, room;
	const struct unlike *u; /* NULL: what stands there takes all */
	char *path;             /* of what is being copied, in the directory */
	char *to;               /* ... and in the map */
};

/* In any case of letters, so that what a tool made of a file comes after it. */
static int by_name(const void *a, const void *b)
{
	const char *x = *(char *const *)a, *y = *(char *const *)b;
	int r = strcasecmp(x, y);

	return r ? r : strcmp(x, y);
}

static int read_names(int fd, struct names *ret)
{
	int own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	DIR *d = own < 0 ? NULL : fdopendir(own);
	struct dirent *entry;
	int r = 0;

	*ret = (struct names){0};
	if (!d) {
		r = -errno;
		if (own >= 0)
			close(own);
		return r;
	}
	while (r == 0 && (errno = 0, entry = readdir(d))) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		if (array_room(ret->at, ret->n, ret->room) &&
			(ret->at[ret->n] = strdup(entry->d_name)))
			ret->n++;
		else
			r = -ENOMEM;
	}
	if (r == 0)
		r = -errno;
	closedir(d);
	if (r == 0 && ret->n)
		qsort(ret->at, ret->n, sizeof(*ret->at), by_name);
	if (r < 0)
		names_finish(ret);
	return r;
}

/* fd is taken. */
static int enter(struct copy *c, int fd)
{
	struct level *l;
	int r;

	if (!array_room(c->levels, c->n, c->room)) {
		close(fd);
		return -ENOMEM;
	}
	l = &c->levels[c->n];
	*l = (struct level){.fd = fd, .path = c->path ? strlen(c->path) : 0};
	r = read_names(fd, &l->names);
	if (r < 0)
		close(fd);
	else
		c->n++;
	return r;
}

static void leave(struct copy *c)
{
	struct level *l = &c->levels[--c->n];

	names_finish(&l->names);
	close(l->fd);
}

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

struct from {
	int fd;
	int failed;
};

static ssize_t from_file(void *arg, void *dst, size_t n)
{
	struct from *s = arg;
	ssize_t got = change_from_fd(&s->fd, dst, n);

	if (got < 0)
		s->failed = (int)got;
	return got;
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
	struct from s = {fd, 0};
	const struct timespec *mtime = c->t->vol->format->keeps_times ? &st->st_mtim : NULL;
	int r = st->st_size > FORMAT_MOST /* nobody takes it; it need not be read for that */
			? error_set(&e, -EFBIG, "%s", strerror(EFBIG))
			: change_put(c->t, c->to, from_file, &s, mtime, &e);

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

static int copy_one(struct copy *c, int dirfd, const char *name)
{
	CLEANUP(close_fd)
	int fd = io_openat(dirfd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0);
	struct stat st;
	int r;

	/* A link says ELOOP, a device or a socket ENXIO. */
	if (fd == -ELOOP || fd == -ENXIO) {
		tell(c, &c->done->left, "left out: neither a file nor a directory");
		return 0;
	}
	if (fd < 0 || fstat(fd, &st) < 0) {
		tell(c, &c->done->unread, strerror(fd < 0 ? -fd : errno));
		return 0;
	}
	/* What is written stands in the directory itself. */
	if (offline_is_map(c->t, &st) || offline_is_map(c->done->held, &st))
		return 0;
	if (S_ISREG(st.st_mode))
		return copy_file(c, fd, &st);
	if (!S_ISDIR(st.st_mode)) {
		tell(c, &c->done->left, "left out: neither a file nor a directory");
		return 0;
	}
	r = change_mkdir(c->t, c->to);
	if (r < 0) {
		tell_of(c, r, strerror(-r));
		return 0;
	}
	r = settle(c);
	return r < 0 ? r : enter(c, take_fd(&fd));
}

static int step(struct copy *c)
{
	struct level *l = &c->levels[c->n - 1];
	const char *name;
	char *path;

	if (l->next == l->names.n) {
		leave(c);
		return 0;
	}
	name = l->names.at[l->next++];
	if (asprintf(&path, "%.*s%s%s", (int)l->path, c->path ? c->path : "", l->path ? "/" : "",
		    name) < 0)
		return -ENOMEM;
	free(c->path);
	c->path = path;
	free(c->to);
	c->to = unlike_place(c->u, path);
	if (!c->to)
		return -ENOMEM;
	return copy_one(c, l->fd, name);
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
	struct copy c = {.t = t, .shown = shown, .done = ret, .u = u};
	int own = fcntl(dirfd, F_DUPFD_CLOEXEC, 0);
	int r = own < 0 ? -errno : enter(&c, own);

	while (r == 0 && c.n)
		r = step(&c);
	while (c.n)
		leave(&c);
	tell_together(shown, ret);
	free(c.levels);
	free(c.path);
	free(c.to);
	return r;
}
