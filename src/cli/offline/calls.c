/* SPDX-License-Identifier: Zlib */
#include "cli/offline/calls.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>

#include "base/array.h"
#include "base/name.h"

static void returned(struct job *j)
{
	struct pending *p = (struct pending *)(void *)((char *)j - offsetof(struct pending, job));

	p->done = true;
}

/* Plain reads are answered on a worker's thread: they come home through the pool. */
static void answered(struct call *c, int r)
{
	struct pending *p = (struct pending *)c;

	p->r = r;
	if (pthread_equal(pthread_self(), p->tree->owner))
		p->done = true;
	else
		pool_return(p->tree->pool, &p->job);
}

void offline_submit(struct offline *t, struct pending *p, vfs_op op)
{
	p->call.op = op;
	p->call.reply = answered;
	p->job = (struct job){.done = returned};
	p->tree = t;
	p->done = false;
	if (op == vfs_open)
		error_clear(&t->why);
	if (op == vfs_read)
		atomic_fetch_add(&t->reads, 1);
	vfs_submit(t->v, &p->call);
}

void offline_serve_until(struct offline *t, const bool *done)
{
	struct pollfd p = {.fd = pool_fd(t->pool), .events = POLLIN};

	while (!*done) {
		(void)poll(&p, 1, -1);
		pool_complete(t->pool);
	}
}

int offline_wait(struct pending *p)
{
	offline_serve_until(p->tree, &p->done);
	if (p->call.op == vfs_read)
		atomic_fetch_sub(&p->tree->reads, 1);
	return p->r;
}

int offline_run(struct offline *t, struct pending *p, vfs_op op)
{
	offline_submit(t, p, op);
	return offline_wait(p);
}

int offline_lookup(struct offline *t, uint64_t dir, const char *name, struct attr *ret)
{
	struct pending p = {.call = {.ino = dir, .name = name}};
	int r = offline_run(t, &p, vfs_lookup);

	if (r == 0)
		*ret = p.call.attr;
	return r;
}

void offline_forget(struct offline *t, uint64_t ino)
{
	if (ino != VFS_ROOT_INO)
		vfs_forget(t->v, ino, 1);
}

static int root_attr(struct offline *t, struct attr *ret)
{
	struct pending p = {.call = {.ino = VFS_ROOT_INO}};
	int r = offline_run(t, &p, vfs_getattr);

	if (r == 0)
		*ret = p.call.attr;
	return r;
}

/* The next name of a path that says something; 0: there is none. */
static int next_name(const char **path, char *name)
{
	do {
		size_t n;

		*path += strspn(*path, "/");
		n = strcspn(*path, "/");
		if (n > NAME_MAX)
			return -ENAMETOOLONG;
		memcpy(name, *path, n);
		name[n] = '\0';
		*path += n;
	} while (strcmp(name, ".") == 0);
	if (strcmp(name, "..") == 0)
		return -ENOENT;
	return name[0] != '\0';
}

int offline_find(struct offline *t, const char *path, struct attr *ret)
{
	char name[NAME_MAX + 1];
	int r = root_attr(t, ret), more;

	while (r == 0 && (more = next_name(&path, name)) != 0) {
		uint64_t dir = ret->ino;

		r = more < 0 ? more : S_ISDIR(ret->mode) ? 0 : -ENOTDIR;
		if (r == 0)
			r = offline_lookup(t, dir, name, ret);
		offline_forget(t, dir);
	}
	return r;
}

int offline_find_parent(struct offline *t, const char *path, uint64_t *ret_dir, char *ret_name)
{
	char name[NAME_MAX + 1];
	struct attr a;
	int r = root_attr(t, &a), more;

	ret_name[0] = '\0';
	while (r == 0 && (more = next_name(&path, name)) != 0) {
		uint64_t dir = a.ino;

		r = more < 0 ? more : S_ISDIR(a.mode) ? 0 : -ENOTDIR;
		if (r == 0 && ret_name[0]) {
			r = offline_lookup(t, dir, ret_name, &a);
			offline_forget(t, dir);
		}
		strcpy(ret_name, name);
	}
	if (r == 0 && !S_ISDIR(a.mode)) {
		offline_forget(t, a.ino);
		r = -ENOTDIR;
	}
	if (r == 0)
		*ret_dir = a.ino;
	return r;
}

void names_finish(struct names *names)
{
	for (size_t i = 0; i < names->n; i++)
		free(names->at[i]);
	free(names->at);
	*names = (struct names){0};
}

struct listing {
	struct pending p; /* first */
	struct names *names;
	uint64_t next;
	bool full, failed;
};

enum { NAMES_AT_A_TIME = 4096 };

static bool emit(struct call *c, const char *name, const struct attr *a, uint64_t next)
{
	struct listing *l = (struct listing *)c;
	struct names *names = l->names;

	(void)a;
	l->next = next;
	if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		return true;
	if (!array_room(names->at, names->n, names->room) || !(names->at[names->n] = strdup(name)))
		l->failed = true;
	else
		names->n++;
	l->full = names->n % NAMES_AT_A_TIME == 0;
	return !l->full && !l->failed;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int offline_names(struct offline *t, uint64_t dir, bool sorted, struct names *ret)
{
	struct listing l = {.p = {.call = {.ino = dir, .emit = emit}}, .names = ret};
	int r;

	*ret = (struct names){0};
	do {
		l.full = false;
		l.p.call.off = l.next;
		r = offline_run(t, &l.p, vfs_readdir);
		if (r == 0 && l.failed)
			r = -ENOMEM;
	} while (r == 0 && l.full);
	if (r < 0)
		names_finish(ret);
	else if (ret->n && sorted)
		qsort(ret->at, ret->n, sizeof(*ret->at), by_name);
	return r;
}

/* Several pieces are under way: some are read while one is written to where it goes. Each is small
 * enough for malloc to give the memory of the last one again (command_begin), and large enough to
 * hand it from thread to thread for little. */
enum { PIECE = 256 << 10, PIECES = 8 };

struct reading {
	struct offline *t;
	struct handle *handle;
	uint64_t size, next;
	struct pending pieces[PIECES];
	unsigned first, n; /* of those under way */
};

static void reading_ask(struct reading *g)
{
	struct pending *p = &g->pieces[(g->first + g->n++) % PIECES];

	*p = (struct pending){.call = {.handle = g->handle, .off = g->next, .size = PIECE}};
	g->next += PIECE;
	offline_submit(g->t, p, vfs_read);
}

/* 1: there is more. */
static int reading_take(struct reading *g, offline_data fn, void *arg)
{
	struct pending *p = &g->pieces[g->first];
	int r = offline_wait(p);

	g->first = (g->first + 1) % PIECES;
	g->n--;
	if (r == 0 && p->call.out_size)
		r = fn(arg, p->call.out, p->call.out_size);
	if (r == 0 && p->call.out_size == PIECE)
		r = 1;
	free(p->call.out);
	return r;
}

static int read_pieces(struct reading *g, offline_data fn, void *arg)
{
	int r = 1;

	while (r > 0) {
		/* A size that is not known counts as none. */
		if (!g->n)
			reading_ask(g);
		while (g->n < PIECES && g->next < g->size)
			reading_ask(g);
		r = reading_take(g, fn, arg);
	}
	while (g->n) {
		(void)offline_wait(&g->pieces[g->first]);
		free(g->pieces[g->first].call.out);
		g->first = (g->first + 1) % PIECES;
		g->n--;
	}
	return r;
}

int offline_read(struct offline *t, const struct attr *file, offline_data fn, void *arg)
{
	struct pending p = {.call = {.ino = file->ino, .flags = O_RDONLY}};
	struct reading g = {.t = t, .size = file->size};
	int r = offline_run(t, &p, vfs_open);

	if (r < 0)
		return r;
	g.handle = p.call.opened;
	r = read_pieces(&g, fn, arg);
	p = (struct pending){.call = {.handle = g.handle}};
	(void)offline_run(t, &p, vfs_release);
	return r;
}

struct whole {
	struct buffer text;
	size_t most;
};

static int add_piece(void *arg, const void *data, size_t n)
{
	struct whole *w = arg;

	if (n > w->most - w->text.size)
		return -EFBIG;
	buffer_append(&w->text, data, n);
	return w->text.error;
}

int offline_read_all(struct offline *t, const struct attr *file, size_t most, struct bytes **ret)
{
	struct whole w = {BUFFER_INIT, most};
	int r = offline_read(t, file, add_piece, &w);

	/* For regexec, which may look for a NUL. */
	buffer_append(&w.text, "", 1);
	if (r == 0)
		r = buffer_finish(&w.text, ret);
	if (r == 0)
		(*ret)->size--;
	buffer_finish_free(&w.text);
	return r;
}

int offline_getxattr(struct offline *t, uint64_t ino, const char *name, char **ret)
{
	struct pending p = {.call = {.ino = ino, .name = name}};
	int r = offline_run(t, &p, vfs_getxattr);
	char *text = r == 0 ? calloc(1, p.call.out_size + 1) : NULL;

	if (r == 0 && !text)
		r = -ENOMEM;
	if (r == 0 && p.call.out_size)
		memcpy(text, p.call.out, p.call.out_size);
	if (r == 0)
		*ret = text;
	free(p.call.out);
	return r;
}
