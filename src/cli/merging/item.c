/* SPDX-License-Identifier: Zlib */
#include "cli/merging/item.h"

#include <errno.h>
#include <string.h>

#include "base/array.h"
#include "base/name.h"
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

static int read_below(
	struct side *s, struct item *dir, const struct seen *seen, bool numbered, unsigned depth)
{
	const struct format_merging *how = s->tree.vol->format->merging;
	CLEANUP_NAMES struct names names = {0};
	int r = depth < DEPTH_MAX ? offline_names(&s->tree, seen, true, &names) : -ELOOP;

	for (size_t k = 0; r == 0 && k < names.n; k++) {
		CLEANUP(free) char *path = path_join(dir->path, names.at[k]);
		struct item *i;
		struct seen a;

		r = path ? offline_lookup(&s->tree, seen, names.at[k], &a) : -ENOMEM;
		if (r < 0 || (how && how->hidden_in && strcmp(how->hidden_in, path) == 0))
			continue;
		i = item_new(dir, path, S_ISDIR(a.mode), numbered);
		r = !i ? -ENOMEM : i->dir ? read_below(s, i, &a, numbered, depth + 1) : 0;
	}
	return r;
}

int side_read(struct side *s, bool numbered)
{
	struct seen a;
	int r;

	s->root = item_new(NULL, "", true, false);
	if (!s->root)
		return -ENOMEM;
	r = s->tree.tree ? offline_find(&s->tree, "", &a) : -ENOENT;
	return r == -ENOENT ? 0 : r < 0 ? r : read_below(s, s->root, &a, numbered, 0);
}
