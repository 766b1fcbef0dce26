/* SPDX-License-Identifier: Zlib */
#include "vfs/tree/path.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "vfs/tree/object.h"

/* Are digits alone a position there, and no name? */
static bool is_position(const struct node *dir, const char *name)
{
	struct meaning m;

	return object_meaning(dir->vol->vfs, dir->id, name, false, ENTRY_ROOT, &m) == 0 &&
	       m.position;
}

void node_log_new(
	const struct node *dir, const char *name, bool is_dir, bool home, char ret[NAME_MAX + 1])
{
	size_t digits = dir->vol->format->numbered ? strspn(name, "0123456789") : 0;
	const char *rest = name + digits;
	int n = NAME_MAX + 1;

	if (digits && (*rest == '_' || !*rest))
		n = snprintf(ret, NAME_MAX + 1, "00000%s", name);
	else if (!digits || is_dir || *rest != '.')
		; /* no number */
	else if (strrchr(rest, '.') == rest && (home || is_position(dir, name)))
		n = snprintf(ret, NAME_MAX + 1, "00000%.*s_%s", (int)digits, name, rest);
	else /* A saved map may show it of another that has no name, but not with %XX. */
		n = snprintf(ret, NAME_MAX + 1, "%%%02X%s", (unsigned char)*name, name + 1);
	if (n > NAME_MAX)
		snprintf(ret, NAME_MAX + 1, "%s", name);
}

void node_log_ending(const char *name, char shown[NAME_MAX + 1])
{
	const char *now = strrchr(name, '.');
	char *then = strrchr(shown, '.');

	/* A .PNG is the .png that it will be called. */
	if (now && then && strcasecmp(now, then) != 0 &&
		(size_t)(then - shown) + strlen(now) <= NAME_MAX)
		strcpy(then, now);
}

char *path_ending(const char *path, const char *name)
{
	const char *base = path ? strrchr(path, '/') : NULL, *ending = strrchr(name, '.');
	const char *dot = path ? strrchr(base ? base : path, '.') : NULL;
	char *ret = NULL;

	if (!dot || !ending)
		return path ? strdup(path) : NULL;
	return asprintf(&ret, "%.*s%s", (int)(dot - path), path, ending) < 0 ? NULL : ret;
}

/* The name of n, or the one that it has in the finalized map (in space). */
static const char *name_of(
	const struct node *n, const struct snapshot *finalized, char space[NAME_MAX + 1])
{
	const struct format *f = n->vol->format;
	const struct object *o;

	if (!finalized || !f->names || node_scratch(n))
		return n->name;
	/* Moved since that was saved, the record says. */
	o = finalized == n->vol->before ? object_find(n->vol->vfs, n->id) : NULL;
	if (!(o && o->moved) && f->names->shown_as(finalized, n->id, space) == 0) {
		if (!n->dir)
			node_log_ending(n->name, space);
		return space;
	}
	o = object_find(n->vol->vfs, n->id);
	node_log_new(n->parent, n->name, n->dir, o && o->seq == 0, space);
	return space;
}

char *node_path_in(const struct node *n, const struct snapshot *finalized)
{
	char space[NAME_MAX + 1];
	size_t size = 1;
	char *path, *at;

	for (const struct node *i = n; !node_is_root(i); i = i->parent) {
		if (!i->parent)
			return NULL;
		size += strlen(name_of(i, finalized, space)) + 1;
	}
	path = malloc(size);
	if (!path)
		return NULL;
	at = path + size - 1;
	*at = '\0';
	for (const struct node *i = n; !node_is_root(i); i = i->parent) {
		const char *name = name_of(i, finalized, space);
		size_t len = strlen(name);

		if (*at)
			*--at = '/';
		at -= len;
		memcpy(at, name, len);
	}
	memmove(path, at, strlen(at) + 1);
	return path;
}

char *node_path(const struct node *n)
{
	return node_path_in(n, NULL);
}

char *node_log_path(const struct node *n)
{
	return node_path_in(n, n->vol->renumbered ? n->vol->before : NULL);
}
