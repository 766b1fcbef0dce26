/* SPDX-License-Identifier: Zlib */
#include "disk.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum { INODES = 64, NAMES = 48, CHANGES = 24, STEPS = 24, CUTS = 400, PATH = 300, NONE = -1 };
enum { WHOLE_SUBSETS = 4 };
/* The state of content that was not synced. */
enum { SYNCED, WRITTEN, ZEROS, HALF, MODES };

struct name {
	char path[PATH];
	int inode; /* NONE: no such name */
};

struct names {
	struct name all[NAMES];
	unsigned n;
};

/* Changes of names by one call: all of them happen, or none. */
struct deed {
	struct name changes[CHANGES];
	unsigned n;
	char dir[PATH]; /* the directory whose fsync makes them durable */
};

struct state {
	bool dir;
	mode_t mode;
	struct bytes *synced, *written; /* synced: NULL if it was never synced */
};

struct cut {
	struct names synced;
	struct deed steps[STEPS];
	unsigned n_steps;
	struct state contents[INODES];
	unsigned n;
	struct answers answers;
};

struct disk {
	int dirfd;
	const struct answers *answers;
	pthread_mutex_t lock; /* calls come from several threads */
	int fds[INODES];      /* held, so that no inode number is used again */
	ino_t inos[INODES];
	struct names seen;
	struct cut now;
	/* The last call, whose effect is not in `now` yet. */
	bool syncing_fs; /* it syncs the whole file system */
	int syncing;     /* the inode that it syncs, or NONE */
	struct bytes *to_sync;
	char syncing_dir[PATH];
	struct cut *cuts[CUTS];
	unsigned n_cuts;
};

/* Calls come from threads that cmocka does not know. */
static void sure_at(bool good, int line)
{
	if (good)
		return;
	fprintf(stderr, "disk.c:%d: not so\n", line);
	_exit(1);
}

#define sure(good) sure_at(good, __LINE__)

static struct bytes *content_of(int fd)
{
	struct bytes *b;
	struct stat st;
	uint8_t *to;

	sure(fstat(fd, &st) == 0);
	b = bytes_new((size_t)st.st_size, &to);
	sure(b != NULL);
	sure(pread(fd, to, b->size, 0) == (ssize_t)b->size);
	return b;
}

/* Find or add the inode of fd; consumes fd. */
static int disk_inode(struct disk *d, int fd, bool synced)
{
	struct state *c = &d->now.contents[d->now.n];
	struct stat st;

	sure(fstat(fd, &st) == 0);
	for (unsigned i = 0; i < d->now.n; i++)
		if (d->inos[i] == st.st_ino) {
			close(fd);
			return (int)i;
		}
	sure(d->now.n < INODES);
	d->fds[d->now.n] = fd;
	d->inos[d->now.n] = st.st_ino;
	*c = (struct state){.dir = S_ISDIR(st.st_mode), .mode = st.st_mode & 07777};
	if (!c->dir)
		c->written = content_of(fd);
	if (!c->dir && synced)
		c->synced = bytes_ref(c->written);
	return (int)d->now.n++;
}

static void scan(struct disk *d, int dirfd, const char *above, bool synced, struct names *ret)
{
	DIR *dir = fdopendir(openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	const struct dirent *e;

	sure(dir != NULL);
	while ((e = readdir(dir))) {
		struct name *n = &ret->all[ret->n];
		int fd;

		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
			continue;
		sure(ret->n++ < NAMES);
		sure(snprintf(n->path, PATH, "%s%s", above, e->d_name) < PATH - 1);
		fd = openat(dirfd, e->d_name, O_RDONLY | O_CLOEXEC);
		sure(fd >= 0);
		n->inode = disk_inode(d, fd, synced);
		if (d->now.contents[n->inode].dir) {
			char below[PATH + 1];

			snprintf(below, sizeof(below), "%s/", n->path);
			scan(d, d->fds[n->inode], below, synced, ret);
		}
	}
	closedir(dir);
}

static int find_name(const struct names *names, const char *path)
{
	for (unsigned i = 0; i < names->n; i++)
		if (strcmp(names->all[i].path, path) == 0)
			return names->all[i].inode;
	return NONE;
}

static void set(struct names *names, const struct name *to)
{
	unsigned i = 0;

	while (i < names->n && strcmp(names->all[i].path, to->path) != 0)
		i++;
	if (to->inode == NONE) {
		if (i < names->n)
			names->all[i] = names->all[--names->n];
		return;
	}
	names->n += i == names->n;
	sure(names->n <= NAMES);
	names->all[i] = *to;
}

static void dir_of(const char *path, char ret[PATH])
{
	const char *slash = strrchr(path, '/');

	snprintf(ret, PATH, "%.*s", slash ? (int)(slash - path) : 0, path);
}

static void change(struct deed *s, const char *path, int inode)
{
	struct name *n = &s->changes[s->n];
	char dir[PATH];

	sure(s->n < CHANGES);
	snprintf(n->path, PATH, "%s", path);
	n->inode = inode;
	dir_of(path, dir);
	if (s->n++ == 0 || strlen(dir) < strlen(s->dir))
		strcpy(s->dir, dir);
}

/* Record the changes of names by the last call. */
static void note_step(struct disk *d)
{
	static struct names now;
	struct deed *s = &d->now.steps[d->now.n_steps];

	now.n = 0;
	scan(d, d->dirfd, "", false, &now);
	*s = (struct deed){.n = 0};
	for (unsigned i = 0; i < d->seen.n; i++)
		if (find_name(&now, d->seen.all[i].path) == NONE)
			change(s, d->seen.all[i].path, NONE);
	for (unsigned i = 0; i < now.n; i++)
		if (find_name(&d->seen, now.all[i].path) != now.all[i].inode)
			change(s, now.all[i].path, now.all[i].inode);
	d->now.n_steps += s->n > 0;
	sure(d->now.n_steps < STEPS);
	d->seen = now;
}

/* Make the names of dir durable; of all directories if it is NULL. */
static void sync_names(struct cut *c, const char *dir)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < c->n_steps; i++) {
		const struct deed *s = &c->steps[i];

		if (dir && strcmp(s->dir, dir) != 0) {
			c->steps[kept++] = *s;
			continue;
		}
		for (unsigned k = 0; k < s->n; k++)
			set(&c->synced, &s->changes[k]);
	}
	c->n_steps = kept;
}

/* All bytes that were written when the call was made. */
static void sync_all(struct cut *c)
{
	sync_names(c, NULL);
	for (unsigned i = 0; i < c->n; i++) {
		struct state *s = &c->contents[i];

		if (s->dir)
			continue;
		bytes_unref(s->synced);
		s->synced = bytes_ref(s->written);
	}
}

static void take_effect(struct disk *d)
{
	struct state *c;

	if (d->syncing_fs)
		sync_all(&d->now);
	note_step(d);
	for (unsigned i = 0; i < d->now.n; i++) {
		c = &d->now.contents[i];
		if (c->dir)
			continue;
		bytes_unref(c->written);
		c->written = content_of(d->fds[i]);
	}
	if (d->syncing == NONE)
		return;
	c = &d->now.contents[d->syncing];
	if (c->dir) {
		sync_names(&d->now, d->syncing_dir);
	} else {
		bytes_unref(c->synced);
		c->synced = bytes_ref(d->to_sync);
	}
}

static void take_cut(struct disk *d)
{
	struct cut *c = malloc(sizeof(*c));

	sure(c && d->n_cuts < CUTS);
	*c = d->now;
	c->answers = *d->answers;
	for (unsigned i = 0; i < c->n; i++) {
		if (c->contents[i].synced)
			bytes_ref(c->contents[i].synced);
		if (c->contents[i].written)
			bytes_ref(c->contents[i].written);
	}
	d->cuts[d->n_cuts++] = c;
}

/* The scan does not list the directory itself. */
static void note_sync(struct disk *d, int fd)
{
	struct stat st, top;

	d->syncing = NONE;
	sure(fstat(fd, &st) == 0);
	sure(fstat(d->dirfd, &top) == 0);
	for (unsigned i = 0; i < d->now.n; i++)
		if (d->inos[i] == st.st_ino)
			d->syncing = (int)i;
	d->syncing_dir[0] = '\0';
	for (unsigned i = 0; i < d->seen.n && d->syncing != NONE; i++)
		if (d->seen.all[i].inode == d->syncing)
			strcpy(d->syncing_dir, d->seen.all[i].path);
	bytes_unref(d->to_sync);
	d->to_sync = d->syncing != NONE && !d->now.contents[d->syncing].dir
			     ? content_of(d->fds[d->syncing])
			     : NULL;
}

static int watch(struct io_call *c, void *arg)
{
	struct disk *d = arg;

	pthread_mutex_lock(&d->lock);
	take_effect(d);
	take_cut(d);
	d->syncing = NONE;
	d->syncing_fs = c->op == IO_SYNC_FS;
	if (c->op == IO_SYNC)
		note_sync(d, c->fd);
	pthread_mutex_unlock(&d->lock);
	return 0;
}

struct disk *disk_watch(int dirfd, const struct answers *answers)
{
	struct disk *d = calloc(1, sizeof(*d));

	sure(d != NULL);
	pthread_mutex_init(&d->lock, NULL);
	d->dirfd = dirfd;
	d->answers = answers;
	d->syncing = NONE;
	/* The top directory is an inode too, so that its fsync is recorded. */
	(void)disk_inode(d, openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), true);
	scan(d, dirfd, "", true, &d->seen);
	d->now.synced = d->seen;
	io_set_hook(watch, d);
	return d;
}

void disk_end(struct disk *d)
{
	io_set_hook(NULL, NULL);
	take_effect(d);
	take_cut(d);
}

static void drop_contents(struct cut *c)
{
	for (unsigned i = 0; i < c->n; i++) {
		bytes_unref(c->contents[i].synced);
		bytes_unref(c->contents[i].written);
	}
}

void disk_free(struct disk *d)
{
	for (unsigned i = 0; i < d->n_cuts; i++) {
		drop_contents(d->cuts[i]);
		free(d->cuts[i]);
	}
	drop_contents(&d->now);
	for (unsigned i = 0; i < d->now.n; i++)
		close(d->fds[i]);
	bytes_unref(d->to_sync);
	pthread_mutex_destroy(&d->lock);
	free(d);
}

unsigned disk_cuts(const struct disk *d)
{
	return d->n_cuts;
}

const struct answers *disk_answers(const struct disk *d, unsigned cut)
{
	return &d->cuts[cut]->answers;
}

/*
 * All subsets of a few steps; with many steps each prefix, each suffix, each step alone and all but
 * each.
 */
static unsigned n_subsets(unsigned steps)
{
	return steps <= WHOLE_SUBSETS ? 1U << steps : 4 * steps + 1;
}

static bool in_subset(unsigned subset, unsigned steps, unsigned i)
{
	if (steps <= WHOLE_SUBSETS)
		return subset >> i & 1;
	if (subset == 4 * steps)
		return true;
	switch (subset / steps) {
	case 0:
		return i < subset % steps;
	case 1:
		return i >= subset % steps;
	case 2:
		return i == subset % steps;
	default:
		return i != subset % steps;
	}
}

unsigned disk_states(const struct disk *d, unsigned cut)
{
	return MODES * n_subsets(d->cuts[cut]->n_steps);
}

static struct names *names_of(const struct cut *c, unsigned state)
{
	static struct names ret;

	ret = c->synced;
	for (unsigned i = 0; i < c->n_steps; i++)
		if (in_subset(state / MODES, c->n_steps, i))
			for (unsigned k = 0; k < c->steps[i].n; k++)
				set(&ret, &c->steps[i].changes[k]);
	return &ret;
}

/* The content in this state, of *ret_size bytes; malloc'ed. */
static uint8_t *get_content(const struct state *c, unsigned mode, size_t *ret_size)
{
	size_t old = c->synced ? c->synced->size : 0, new = c->written->size;
	uint8_t *to = calloc(1, old + new + 1);
	bool clean = c->synced && bytes_equal_data(c->written, c->synced->data, old);

	sure(to != NULL);
	*ret_size = mode == SYNCED ? old : new;
	if (clean || mode == WRITTEN)
		memcpy(to, c->written->data, new);
	else if (old)
		memcpy(to, c->synced->data, mode == SYNCED || old < new ? old : new);
	/* The content was written from its beginning, as far as the write got. */
	if (mode == HALF && !clean) {
		*ret_size = old < new ? old + (new - old) / 2 : new;
		memcpy(to, c->written->data, old < new ? *ret_size : new / 2);
	}
	return to;
}

static bool has_parent(const struct cut *c, const struct names *names, const char *path)
{
	char dir[PATH];
	int inode;

	dir_of(path, dir);
	inode = dir[0] ? find_name(names, dir) : 0;
	return inode != NONE && c->contents[inode].dir && (!dir[0] || has_parent(c, names, dir));
}

typedef void (*each_file)(void *arg, const char *path, const struct state *c, unsigned mode);

/* Directories come before their files. */
static void walk_names(const struct cut *c, unsigned state, each_file fn, void *arg)
{
	const struct names *names = names_of(c, state);

	for (unsigned depth = 0; depth < 4; depth++)
		for (unsigned i = 0; i < names->n; i++) {
			const struct name *n = &names->all[i];
			unsigned slashes = 0;

			for (const char *s = n->path; *s; s++)
				slashes += *s == '/';
			if (slashes == depth && has_parent(c, names, n->path))
				fn(arg, n->path, &c->contents[n->inode], state % MODES);
		}
}

static void restore_one(void *arg, const char *path, const struct state *c, unsigned mode)
{
	const int *dirfd = arg;
	uint8_t *data;
	size_t n;

	if (c->dir) {
		sure(mkdirat(*dirfd, path, c->mode) == 0);
		return;
	}
	data = get_content(c, mode, &n);
	put_file(*dirfd, path, data, n);
	sure(fchmodat(*dirfd, path, c->mode, 0) == 0);
	free(data);
}

void disk_restore(const struct disk *d, unsigned cut, unsigned state, int dirfd)
{
	walk_names(d->cuts[cut], state, restore_one, &dirfd);
}

/* The result does not depend on the order of names. */
static void print_one(void *arg, const char *path, const struct state *c, unsigned mode)
{
	uint64_t *sum = arg;
	uint32_t name = (uint32_t)crc32(0, (const Bytef *)path, (uInt)strlen(path)), content = 1;

	if (!c->dir) {
		size_t n;
		uint8_t *data = get_content(c, mode, &n);

		content = (uint32_t)crc32((uLong)n, data, (uInt)n);
		free(data);
	}
	*sum += ((uint64_t)name << 32 | content) * 0x9e3779b97f4a7c15U;
}

uint64_t disk_print(const struct disk *d, unsigned cut, unsigned state)
{
	const struct answers *answers = &d->cuts[cut]->answers;
	uint64_t sum = crc32(0, (const Bytef *)answers, sizeof(*answers));

	walk_names(d->cuts[cut], state, print_one, &sum);
	return sum;
}
