/* SPDX-License-Identifier: Zlib */
/* Nodes of a map that was closed and opened again while the kernel went on knowing them. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/buffer.h"
#include "base/cleanup.h"
#include "vfs/tree/inode.h"

/* A directory on the way down, and where the look at its entries goes on. */
struct step {
	entry_id dir;
	uint64_t cookie;
	size_t path; /* the length of the path above its entries */
};

struct search {
	const struct snapshot *base;
	/* Of an entry, whose path is s->path; 1: that was it, 0: go on, or -errno. */
	int (*visit)(struct search *s, const struct file_attr *en);
	entry_id wanted;
	struct telling *telling;
	struct step *steps;
	size_t n, room;
	struct buffer path;
};

static int search_enter(struct search *s, entry_id dir, size_t path)
{
	if (!array_room(s->steps, s->n, s->room))
		return -ENOMEM;
	s->steps[s->n++] = (struct step){.dir = dir, .path = path};
	return 0;
}

/* The path of what is next ends in this name. */
static int search_name(struct search *s, size_t above, const char *name)
{
	s->path.size = above;
	buffer_printf(&s->path, above ? "/%s" : "%s", name);
	return s->path.error;
}

/* Of all entries; 1 where visit said so. */
static int search_run(struct search *s)
{
	const struct format *f = s->base->format;
	char name[NAME_MAX + 1];
	struct file_attr en;
	int r = search_enter(s, ENTRY_ROOT, 0);

	while (r == 0 && s->n) {
		struct step *top = &s->steps[s->n - 1];

		r = f->list(s->base, top->dir, &top->cookie, name, &en, NULL);
		if (r <= 0) {
			s->n--;
			r = 0;
			continue;
		}
		r = search_name(s, top->path, name);
		if (r == 0)
			r = s->visit(s, &en);
		if (r == 0 && en.is_dir)
			r = search_enter(s, en.id, s->path.size);
	}
	return r;
}

static void search_finish(struct search *s)
{
	free(s->steps);
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

enum { TELL_AT_A_TIME = 1024 };

/* Numbers that are told to the kernel together. */
struct telling {
	struct vfs *v;
	size_t n;
	uint64_t inos[TELL_AT_A_TIME];
};

static void told(struct job *j)
{
	free(j);
}

static void tell(struct telling *t)
{
	struct vfs_host *host = t->v->host;
	struct job *then = t->n ? calloc(1, sizeof(*then)) : NULL;

	if (then) {
		then->done = told;
		host->invalidate(host, t->inos, t->n, then);
	}
	t->n = 0;
}

static void tell_one(struct telling *t, entry_id id)
{
	uint64_t ino = entry_ino(t->v->vol, id);

	if (inode_find(t->v, ino))
		return;
	t->inos[t->n++] = ino;
	if (t->n == TELL_AT_A_TIME)
		tell(t);
}

static int tell_file(struct search *s, const struct file_attr *en)
{
	if (!en->is_dir)
		tell_one(s->telling, en->id);
	return 0;
}

void inodes_invalidate_unknown(struct vfs *v)
{
	struct telling t = {.v = v};
	struct search s = {.base = v->overlay->base, .visit = tell_file, .telling = &t};

	(void)search_run(&s);
	tell(&t);
	search_finish(&s);
}
