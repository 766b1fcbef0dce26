/* SPDX-License-Identifier: Zlib */
#include "vfs/tree/path.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "vfs/tree/object.h"
#include "vfs/tree/placements.h"

void node_log_new(
	const struct node *dir, const char *name, bool is_dir, bool home, char ret[NAME_MAX + 1])
{
	size_t digits = placements_digits(dir, name, is_dir, home);
	size_t numbered = dir->vol->format->numbered ? strspn(name, "0123456789") : 0;
	const char *rest = name + digits, *bar = digits && *rest == '.' ? "_" : "";
	struct log_number number;
	int n = NAME_MAX + 1;

	if (digits && placements_number(dir, name, is_dir, home, &number))
		n = snprintf(ret, NAME_MAX + 1, "%0*d%" PRIu64 "%s%s", (int)number.zeros, 0,
			number.number, bar, rest);
	if (digits && n > NAME_MAX)
		n = snprintf(ret, NAME_MAX + 1, "00000%.*s%s%s", (int)digits, name, bar, rest);
	if (!digits && numbered && !is_dir && name[numbered] == '.')
		/* A saved map may show it of another that has no name, but not with %XX. */
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

char *path_ending(const struct volume *vol, const char *path, const char *name)
{
	const char *base = path ? strrchr(path, '/') : NULL, *ending = strrchr(name, '.');
	const char *dot = path ? strrchr(base ? base : path, '.') : NULL;
	char *ret = NULL;

	if (!dot || !ending || !vol->format->has_forms)
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
