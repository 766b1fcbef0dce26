/* SPDX-License-Identifier: Zlib */
/* What became of an object that was removed. */
#include <string.h>

#include "vfs/save/changes.h"
#include "vfs/tree/dentry.h"
#include "vfs/tree/object.h"

/* Was it, with all that it was in, where the mount shows it? dir: what it was in. */
static bool left_home(const struct vfs *v, const struct object *o, const struct node *dir)
{
	const struct object *above;
	struct entry en;

	for (; dir; dir = dir->parent) {
		above = object_find(v, dir->id);
		if (above && above->seq)
			return false;
	}
	return v->vol->format->lookup(v->vol->now, o->dir, o->name, &en, NULL) == 0 &&
	       en.id == o->id;
}

/* The directory that stands above the path, to be freed if unused; NULL: none of the map. */
static struct node *dir_above(struct vfs *v, const char *path)
{
	CLEANUP(free) char *above = strdup(path);
	char *slash = above ? strrchr(above, '/') : NULL;
	struct node *dir;

	if (!above)
		return NULL;
	above[slash ? slash - above : 0] = '\0';
	if (names_walk(v, above, &dir, NULL) < 0)
		return NULL;
	if (!node_scratch(dir))
		return dir;
	node_free_unused(v, dir);
	return NULL;
}

/* Has what was made instead of the directory one of that name, always? */
static bool has_own(struct vfs *v, const struct node *dir, const char *name)
{
	CLEANUP(snapshot_unref) struct snapshot *s = snapshot_ref(v->vol->now);
	const struct format *f = v->vol->format;
	struct meaning m;
	struct entry en;

	if (object_meaning(v, dir->id, name, false, ENTRY_ROOT, &m) < 0)
		return false;
	/* A part has a number before anything is put to it. */
	if (!m.known &&
		(m.is != FORMAT_PART || f->tree->add(&s, dir->id, name, false, &m.id, NULL) < 0))
		return false;
	return f->stat(s, m.id, &en, NULL) == 0 && en.lasting;
}

struct change_line changes_removed(struct vfs *v, const struct object *o, const char *path)
{
	struct change_line line = {.kind = CHANGE_REMOVED};
	const struct volume *vol = v->vol;
	struct entry en;
	struct node *dir;

	if (vol->format->stat(vol->now, o->id, &en, NULL) < 0 ||
		!(en.needed || en.lasting || en.standing))
		return line;
	line.needed = en.needed;
	dir = dir_above(v, path);
	if (!dir)
		return line;
	if (dir->id != o->dir)
		line.needed |= has_own(v, dir, o->name);
	else if (!en.dir || left_home(v, o, dir))
		line.kind = en.needed ? CHANGE_NEEDED : CHANGE_EMPTIED;
	node_free_unused(v, dir);
	return line;
}
