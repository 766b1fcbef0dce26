/* SPDX-License-Identifier: Zlib */
/* Nodes of a map that was closed and opened again while the kernel went on knowing them. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "vfs/tree/dentry.h"
#include "vfs/tree/node.h"

/* A directory on the way down, and where the look at its entries goes on. */
struct step {
	entry_id dir;
	uint64_t cookie;
	size_t path; /* the length of the path above its entries */
};

struct search {
	const struct volume *vol;
	entry_id wanted;
	struct step *steps;
	size_t n, room;
	char *path;
	size_t path_room;
};

static int search_enter(struct search *s, entry_id dir, size_t path)
{
	struct step *steps = s->steps;

	if (s->n == s->room) {
		steps = reallocarray(steps, s->n + 16, sizeof(*steps));
		if (!steps)
			return -ENOMEM;
		s->steps = steps;
		s->room = s->n + 16;
	}
	steps[s->n++] = (struct step){.dir = dir, .path = path};
	return 0;
}

static int search_name(struct search *s, size_t at, const char *name, size_t *ret_end)
{
	size_t n = strlen(name);
	char *path;

	if (at + n + 2 > s->path_room) {
		path = realloc(s->path, 2 * (at + n + 2));
		if (!path)
			return -ENOMEM;
		s->path = path;
		s->path_room = 2 * (at + n + 2);
	}
	if (at)
		s->path[at++] = '/';
	memcpy(s->path + at, name, n + 1);
	*ret_end = at + n;
	return 0;
}

/* Leaves the path of the entry in s->path. */
static int search_run(struct search *s)
{
	const struct format *f = s->vol->format;
	char name[NAME_MAX + 1];
	struct entry en;
	int r = search_enter(s, ENTRY_ROOT, 0);

	while (r == 0 && s->n) {
		struct step *top = &s->steps[s->n - 1];
		size_t end;

		r = f->list(s->vol->now, top->dir, &top->cookie, name, &en, NULL);
		if (r <= 0) {
			s->n--;
			r = 0;
			continue;
		}
		r = search_name(s, top->path, name, &end);
		if (r == 0 && en.id == s->wanted)
			return 0;
		if (r == 0 && en.dir)
			r = search_enter(s, en.id, end);
	}
	return r < 0 ? r : -ESTALE;
}

int node_recall(struct vfs *v, uint64_t ino, struct node **ret)
{
	struct search s = {.vol = v->vol};
	uint64_t first = entry_ino(v->vol, ENTRY_ROOT);
	struct node *n;
	int r = ino >> INO_DYNAMIC_SHIFT || ino <= first ? -ESTALE : 0;

	s.wanted = ino - first;
	if (r == 0)
		r = search_run(&s);
	if (r == 0)
		r = names_walk(v, s.path, &n, NULL);
	if (r == 0 && n->ino != ino) {
		node_settle(v, n);
		r = -ESTALE;
	}
	if (r == 0) {
		n->lookups++;
		*ret = n;
	}
	free(s.steps);
	free(s.path);
	return r == -ENOENT ? -ESTALE : r;
}
