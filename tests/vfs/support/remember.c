/* SPDX-License-Identifier: Zlib */
#include "remember.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

enum { DIRS_MAX = 256, PATH_SIZE = 1024 };

struct remembered {
	uint64_t ino;
	char path[PATH_SIZE];
	uint64_t names; /* a sum of hashes */
	struct timespec mtime;
	bool is_invalidated, is_changed;
};

struct memory {
	unsigned n;
	struct remembered dirs[DIRS_MAX];
};

static struct remembered *find_directory(struct box *b, uint64_t ino)
{
	for (unsigned i = 0; b->memory && i < b->memory->n; i++)
		if (b->memory->dirs[i].ino == ino)
			return &b->memory->dirs[i];
	return NULL;
}

void remember_invalidated(struct box *b, uint64_t ino)
{
	struct remembered *d = find_directory(b, ino);

	if (d)
		d->is_invalidated = true;
}

void remember_changed(struct box *b, uint64_t dir)
{
	struct remembered *d = find_directory(b, dir);

	if (d)
		d->is_changed = true;
}

void remember_drop(struct box *b)
{
	free(b->memory);
	b->memory = NULL;
}

void box_forget_listings(struct box *b)
{
	/* The root is never looked up. */
	for (unsigned i = 1; b->memory && i < b->memory->n; i++)
		vfs_forget(b->v, b->memory->dirs[i].ino, 1);
	remember_drop(b);
}

static int run_call(struct box *b, struct pending *p, vfs_op op)
{
	box_submit(b, p, op);
	return box_wait(p);
}

/* If `to` is set, found directories are added to it. */
struct listing {
	struct pending p; /* first */
	const struct remembered *dir;
	struct memory *to;
	uint64_t names;
};

static bool emit(struct call *c, const char *name, const struct stat *a, uint64_t next)
{
	struct listing *l = (struct listing *)c;
	struct remembered *d;

	(void)next;
	if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		return true;
	l->names += hash_text(S_ISDIR(a->st_mode), name);
	if (!l->to || !S_ISDIR(a->st_mode))
		return true;
	assert_in_range(l->to->n, 0, DIRS_MAX - 1);
	d = &l->to->dirs[l->to->n++];
	/* the inode of its parent, until it is looked up */
	*d = (struct remembered){.ino = l->dir->ino};
	snprintf(d->path, sizeof(d->path), "%.700s%s%.255s", l->dir->path, *l->dir->path ? "/" : "",
		name);
	return true;
}

static int list_directory(
	struct box *b, const struct remembered *d, struct memory *to, uint64_t *ret)
{
	struct listing l = {.p = {.call = {.ino = d->ino, .emit = emit}}, .dir = d, .to = to};
	int r = run_call(b, &l.p, vfs_readdir);

	*ret = l.names;
	return r;
}

static int mtime(struct box *b, uint64_t ino, struct timespec *ret)
{
	struct pending p = {.call = {.ino = ino}};
	int r = run_call(b, &p, vfs_getattr);

	*ret = p.call.attr.st_mtim;
	return r;
}

void box_remember(struct box *b)
{
	struct memory *m = calloc(1, sizeof(*m));

	box_forget_listings(b);
	assert_non_null(m);
	m->dirs[0].ino = VFS_ROOT_INO;
	m->n = 1;
	for (unsigned i = 0; i < m->n; i++) {
		struct remembered *d = &m->dirs[i];
		const char *slash = strrchr(d->path, '/');
		struct pending p = {.call = {.ino = d->ino, .name = slash ? slash + 1 : d->path}};

		if (i) {
			assert_int_equal(run_call(b, &p, vfs_lookup), 0);
			d->ino = p.call.attr.st_ino;
		}
		assert_int_equal(mtime(b, d->ino, &d->mtime), 0);
		assert_int_equal(list_directory(b, d, m, &d->names), 0);
	}
	b->memory = m;
}

static bool is_stale(struct box *b, struct remembered *d)
{
	bool is_invalidated = d->is_invalidated;
	struct timespec now;
	uint64_t names;
	int r;

	if (d->is_changed)
		return false;
	r = list_directory(b, d, NULL, &names);
	d->is_invalidated = is_invalidated; /* listing a directory does not invalidate it */
	/* A removed directory is not listed. */
	if (r < 0 || names == d->names)
		return false;
	if (!is_invalidated || mtime(b, d->ino, &now) < 0)
		return true;
	return now.tv_sec == d->mtime.tv_sec && now.tv_nsec == d->mtime.tv_nsec;
}

const char *box_find_stale_listing(struct box *b)
{
	for (unsigned i = 0; b->memory && i < b->memory->n; i++)
		if (is_stale(b, &b->memory->dirs[i]))
			return b->memory->dirs[i].path;
	return NULL;
}
