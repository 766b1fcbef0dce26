/* SPDX-License-Identifier: Zlib */
#include "tools/merge/merge_item.h"

#include <errno.h>
#include <string.h>

#include "base/array.h"
#include "tools/merge/schema.h"
#include "tools/tools.h"
#include "vfs/offline/walk.h"

size_t item_number(const char *name, size_t n)
{
	size_t digits = 0;

	while (digits < n && name[digits] >= '0' && name[digits] <= '9')
		digits++;
	return digits == n || name[digits] == '_' ? digits : 0;
}

struct merge_item *item_named(const struct merge_item *dir, const char *name)
{
	for (size_t i = 0; dir && i < dir->n; i++)
		if (strcmp(dir->children[i]->name, name) == 0)
			return dir->children[i];
	return NULL;
}

static void item_free(struct merge_item *i)
{
	for (size_t k = 0; k < i->n; k++)
		item_free(i->children[k]);
	free(i->path);
	free(i->bare);
	free(i->children);
	free(i->uses);
	free(i);
}

void side_finish(struct side *s)
{
	offline_close(&s->tree);
	if (s->root)
		item_free(s->root);
}

static bool name_object(struct merge_item *i)
{
	const char *dot = i->is_dir ? NULL : strrchr(i->name, '.');
	size_t n = dot ? (size_t)(dot - i->name) : strlen(i->name);
	size_t digits = item_number(i->name, n);

	i->ending = i->name + n;
	if (!digits)
		return true;
	digits += i->name[digits] == '_' && digits < n;
	i->is_object = true;
	i->bare = strndup(i->name + digits, n - digits);
	return i->bare;
}

struct merge_item *item_new(struct merge_item *parent, const char *path, bool dir)
{
	struct merge_item *i = calloc(1, sizeof(*i));
	char *slash;

	if (!i)
		return NULL;
	i->parent = parent;
	i->side = parent ? parent->side : BASE;
	i->is_dir = dir;
	i->path = strdup(path);
	if (!i->path || (parent && !array_reserve(parent->children, parent->n, parent->room))) {
		item_free(i);
		return NULL;
	}
	slash = strrchr(i->path, '/');
	i->name = slash ? slash + 1 : i->path;
	i->ending = "";
	if (parent) {
		i->position = parent->n;
		parent->children[parent->n++] = i;
	}
	return i;
}

struct reading {
	struct side *side;
	struct merge_item *in; /* the directory */
	bool numbered;
};

static int add_visited(void *arg, const char *path, const struct offline_file *a)
{
	struct reading *g = arg;
	const struct merge_schema *how = tools_of(g->side->tree.vol->format)->merge;
	bool dir = S_ISDIR(a->mode);
	struct merge_item *i;

	if (how && how->hidden_in && strcmp(how->hidden_in, path) == 0)
		return WALK_PAST;
	i = path[0] ? item_new(g->in, path, dir) : g->side->root;
	if (!i || (i->parent && g->numbered && !name_object(i)))
		return -ENOMEM;
	if (dir)
		g->in = i;
	return 0;
}

static int leave_dir(void *arg, const char *, const struct offline_file *)
{
	struct reading *g = arg;

	g->in = g->in->parent;
	return 0;
}

int side_read(struct side *s, enum which in, bool numbered)
{
	struct reading g = {.side = s, .numbered = numbered};
	int r;

	s->root = item_new(NULL, "", true);
	if (!s->root)
		return -ENOMEM;
	s->root->side = in;
	r = s->tree.overlay ? offline_walk(&s->tree, "", add_visited, leave_dir, &g) : -ENOENT;
	return r == -ENOENT ? 0 : r;
}
