/* SPDX-License-Identifier: Zlib */
#include "vfs/tree/kept.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "vfs/tree/path.h"

/* What follows `from` in a path below it moves to what follows `to`. */
static void move_path(const struct vfs *v, char **path, const char *from, const char *to)
{
	int (*compare)(const char *, const char *, size_t) =
		v->vol->format->nocase ? strncasecmp : strncmp;
	size_t n = strlen(from);
	char *moved;

	if (*path && compare(*path, from, n) == 0 && (*path)[n] == '/' &&
		asprintf(&moved, "%s%s", to, *path + n) >= 0) {
		free(*path);
		*path = moved;
	}
}

void kept_moved(struct vfs *v, const struct node *dir, const char *path, const char *log_path)
{
	CLEANUP(free) char *to = node_path(dir), *log_to = node_log_path(dir);

	for (struct object *o = NULL; to && log_to && (o = object_next_gone(v, o));) {
		const struct object *in = object_find(v, o->dir);

		/* What was removed with its directory is told by what that was called. */
		if (in && in->state == OBJECT_GONE)
			continue;
		move_path(v, &o->path, path, to);
		move_path(v, &o->log_path, log_path, log_to);
	}
}

struct object *kept_in(const struct vfs *v, const struct node *dir)
{
	struct object *o = NULL;

	while ((o = object_next_gone(v, o)))
		if (o->state == OBJECT_KEPT && o->dir == dir->id)
			break;
	return o;
}

void kept_gone(struct vfs *v, struct object *o)
{
	if (o->since == OBJECT_MADE) {
		object_forget(v, o->id);
	} else {
		o->state = OBJECT_GONE;
		o->seq = o->left = ++v->vol->next_seq;
		o->told = false;
		v->vol->restructured = true;
	}
	objects_name(v, true);
}
