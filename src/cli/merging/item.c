/* SPDX-License-Identifier: Zlib */
#include "cli/merging/item.h"

#include <errno.h>
#include <string.h>

#include "base/array.h"
#include "cli/offline/walk.h"
#include "formats/merging.h"

enum { DEPTH_MAX = 200 };

size_t item_number(const char *name, size_t n)
{
	size_t digits = 0;

	while (digits < n && name[digits] >= '0' && name[digits] <= '9')
		digits++;
	return digits == n || name[digits] == '_' ? digits : 0;
}

struct item *item_named(const struct item *dir, const char *name)
{
	for (size_t i = 0; dir && i < dir->n; i++)
		if (strcmp(dir->below[i]->name, name) == 0)
			return dir->below[i];
	return NULL;
}

static void item_free(struct item *i)
{
	free(i->path);
	free(i->bare);
	free(i->below);
	free(i->uses);
	free(i);
}

/* From the last leaf up, without recursion. */
void side_finish(struct side *s)
{
	struct item *i = s->root, *up;

	while (i) {
		if (i->n) {
			i = i->below[--i->n];
			continue;
		}
		up = i->up;
		item_free(i);
		i = up;
	}
	s->root = NULL;
}

static bool name_object(struct item *i)
{
	const char *dot = i->dir ? NULL : strrchr(i->name, '.');
	size_t n = dot ? (size_t)(dot - i->name) : strlen(i->name);
	size_t digits = item_number(i->name, n);

	i->ending = i->name + n;
	if (!digits)
		return true;
	digits += i->name[digits] == '_' && digits < n;
	i->object = true;
	i->bare = strndup(i->name + digits, n - digits);
	return i->bare;
}

static struct item *item_new(struct item *up, const char *path, bool dir, bool numbered)
{
	struct item *i = calloc(1, sizeof(*i));
	char *slash;

	if (!i)
		return NULL;
	i->up = up;
	i->dir = dir;
	i->path = strdup(path);
	if (!i->path || (up && !array_room(up->below, up->n, up->room))) {
		item_free(i);
		return NULL;
	}
	slash = strrchr(i->path, '/');
	i->name = slash ? slash + 1 : i->path;
	i->ending = "";
	if (up) {
		i->place = up->n;
		up->below[up->n++] = i;
	}
	return !numbered || name_object(i) ? i : NULL;
}

struct item *item_made(struct item *up, const char *name)
{
	struct item *i = item_new(up, name, false, false);

	if (i)
		i->known = true;
	return i;
}

struct reading {
	struct side *side;
	const struct format_merging *how; /* may be NULL */
	struct item *dir;                 /* the last one that was visited */
	bool numbered;
};

static bool is_below(const struct item *dir, const char *path)
{
	size_t n = strlen(dir->path);

	return !dir->up || (strncmp(path, dir->path, n) == 0 && path[n] == '/');
}

static int visit(void *arg, const char *path, const struct seen *a)
{
	struct reading *g = arg;
	struct item *i;
	unsigned depth = 0;

	if (!path[0])
		return 0;
	if (g->how && g->how->hidden_in && strcmp(g->how->hidden_in, path) == 0)
		return WALK_PAST;
	while (!is_below(g->dir, path))
		g->dir = g->dir->up;
	for (i = g->dir; i; i = i->up)
		depth++;
	if (depth > DEPTH_MAX)
		return -ELOOP;
	i = item_new(g->dir, path, S_ISDIR(a->mode), g->numbered);
	if (i && i->dir)
		g->dir = i;
	return i ? 0 : -ENOMEM;
}

int side_read(struct side *s)
{
	struct reading g = {.side = s};

	s->root = g.dir = item_new(NULL, "", true, false);
	if (!s->root)
		return -ENOMEM;
	if (!s->tree.tree)
		return 0;
	g.numbered = s->tree.vol->format->numbered;
	g.how = s->tree.vol->format->merging;
	return offline_walk(&s->tree, "", visit, NULL, &g);
}
