/* SPDX-License-Identifier: Zlib */
/* Inodes of a map that was closed and opened again while the kernel still knew their numbers. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/buffer.h"
#include "base/cleanup.h"
#include "vfs/tree/inode.h"

/* A directory that is being listed, and the position in it. */
struct search_dir {
	entry_id dir;
	uint64_t cookie;
	size_t path; /* length of its own path */
};

struct search {
	const struct snapshot *base;
	/* Called for each entry, with path s->path. Returns 0 to continue, 1 to stop, or -errno. */
	int (*visit)(struct search *s, const struct file_attr *en);
	entry_id wanted;
	struct ino_batch *batch;
	struct search_dir *dirs;
	size_t n, room;
	struct buffer path;
};

static int search_push_dir(struct search *s, entry_id dir, size_t path)
{
	if (!array_reserve(s->dirs, s->n, s->room))
		return -ENOMEM;
	s->dirs[s->n++] = (struct search_dir){.dir = dir, .path = path};
	return 0;
}

/* Set s->path to a name in the directory whose path is the first `above` bytes. */
static int search_set_path(struct search *s, size_t above, const char *name)
{
	s->path.size = above;
	buffer_printf(&s->path, above ? "/%s" : "%s", name);
	return s->path.error;
}

/* Visit all entries. Returns 1 if visit stopped the search. */
static int search_run(struct search *s)
{
	const struct format *f = s->base->format;
	char name[NAME_MAX + 1];
	struct file_attr en;
	int r = search_push_dir(s, ENTRY_ROOT, 0);

	while (r == 0 && s->n) {
		struct search_dir *top = &s->dirs[s->n - 1];

		r = f->list(s->base, top->dir, &top->cookie, name, &en, NULL);
		if (r <= 0) {
			s->n--;
			r = 0;
			continue;
		}
		r = search_set_path(s, top->path, name);
		if (r == 0)
			r = s->visit(s, &en);
		if (r == 0 && en.is_dir)
			r = search_push_dir(s, en.id, s->path.size);
	}
	return r;
}

static void search_finish(struct search *s)
{
	free(s->dirs);
	buffer_finish_free(&s->path);
}

static int is_wanted(struct search *s, const struct file_attr *en)
{
	return en->id == s->wanted;
}

int inode_recall(struct vfs *v, uint64_t ino, struct inode **ret)
{
	struct search s = {.base = v->overlay->base, .visit = is_wanted};
	uint64_t first = entry_ino(v->vol, ENTRY_ROOT);
	struct inode *n;
	int r = ino >> INO_DYNAMIC_SHIFT || ino <= first ? -ESTALE : 0;

	s.wanted = ino - first;
	if (r == 0)
		r = search_run(&s) > 0 ? 0 : -ESTALE;
	if (r == 0)
		r = inode_walk(v, (const char *)s.path.data, &n);
	if (r == 0 && n->ino != ino) {
		inode_free_unused(v, n);
		r = -ESTALE;
	}
	if (r == 0) {
		n->lookups++;
		*ret = n;
	}
	search_finish(&s);
	return r == -ENOENT ? -ESTALE : r;
}

enum { BATCH_MAX = 1024 };

/* Inode numbers that are invalidated together. */
struct ino_batch {
	struct vfs *v;
	size_t n;
	uint64_t inos[BATCH_MAX];
};

static void batch_sent(struct job *j)
{
	free(j);
}

static void send_batch(struct ino_batch *t)
{
	struct vfs_host *host = t->v->host;
	struct job *then = t->n ? calloc(1, sizeof(*then)) : NULL;

	if (then) {
		then->done = batch_sent;
		host->invalidate(host, t->inos, t->n, then);
	}
	t->n = 0;
}

static void add_to_batch(struct ino_batch *t, entry_id id)
{
	uint64_t ino = entry_ino(t->v->vol, id);

	if (inode_find(t->v, ino))
		return;
	t->inos[t->n++] = ino;
	if (t->n == BATCH_MAX)
		send_batch(t);
}

static int add_file(struct search *s, const struct file_attr *en)
{
	if (!en->is_dir)
		add_to_batch(s->batch, en->id);
	return 0;
}

void inodes_invalidate_unknown(struct vfs *v)
{
	struct ino_batch t = {.v = v};
	struct search s = {.base = v->overlay->base, .visit = add_file, .batch = &t};

	(void)search_run(&s);
	send_batch(&t);
	search_finish(&s);
}
