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
	bool told, done;
};

struct memory {
	unsigned n;
	struct remembered dirs[DIRS_MAX];
};

static struct remembered *find(struct box *b, uint64_t ino)
{
	for (unsigned i = 0; b->memory && i < b->memory->n; i++)
		if (b->memory->dirs[i].ino == ino)
			return &b->memory->dirs[i];
	return NULL;
}

void remember_told(struct box *b, uint64_t ino)
{
	struct remembered *d = find(b, ino);

	if (d)
		d->told = true;
}

void remember_done(struct box *b, uint64_t dir)
{
	struct remembered *d = find(b, dir);

	if (d)
		d->done = true;
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

static int ask(struct box *b, struct pending *p, vfs_op op)
{
	box_submit(b, p, op);
	return box_wait(p);
}

/* With to: the directories that are found go there. */
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
	*d = (struct remembered){.ino = l->dir->ino}; /* its parent's, until it is looked up */
	snprintf(d->path, sizeof(d->path), "%.700s%s%.255s", l->dir->path, *l->dir->path ? "/" : "",
		name);
	return true;
}

static int list(struct box *b, const struct remembered *d, struct memory *to, uint64_t *ret)
{
	struct listing l = {.p = {.call = {.ino = d->ino, .emit = emit}}, .dir = d, .to = to};
	int r = ask(b, &l.p, vfs_readdir);

	*ret = l.names;
	return r;
}

static int mtime(struct box *b, uint64_t ino, struct timespec *ret)
{
	struct pending p = {.call = {.ino = ino}};
	int r = ask(b, &p, vfs_getattr);

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
			assert_int_equal(ask(b, &p, vfs_lookup), 0);
			d->ino = p.call.attr.st_ino;
		}
		assert_int_equal(mtime(b, d->ino, &d->mtime), 0);
		assert_int_equal(list(b, d, m, &d->names), 0);
	}
	b->memory = m;
}

static bool misremembered(struct box *b, struct remembered *d)
{
	bool told = d->told;
	struct timespec now;
	uint64_t names;
	int r;

	if (d->done)
		return false;
	r = list(b, d, NULL, &names);
	d->told = told; /* who remembers does not list */
	/* What is gone nobody lists. */
	if (r < 0 || names == d->names)
		return false;
	if (!told || mtime(b, d->ino, &now) < 0)
		return true;
	return now.tv_sec == d->mtime.tv_sec && now.tv_nsec == d->mtime.tv_nsec;
}

const char *box_misremembers(struct box *b)
{
	for (unsigned i = 0; b->memory && i < b->memory->n; i++)
		if (misremembered(b, &b->memory->dirs[i]))
			return b->memory->dirs[i].path;
	return NULL;
}
