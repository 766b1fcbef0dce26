/* SPDX-License-Identifier: Zlib */
#include "vfs/tree/vanish.h"

#include <stdio.h>
#include <string.h>

#include "vfs/tree/attr.h"
#include "vfs/tree/dentry.h"
#include "vfs/tree/object.h"
#include "vfs/tree/path.h"
#include "vfs/tree/stage.h"

/* Of a new file that was refused since nothing is in the map: its backup is all that is sound. */
static bool backs_up_draft(const struct node *n)
{
	static const char *const endings[] = {"~", ".bak", ".BAK", ".orig"};
	char name[NAME_MAX + 1];

	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		size_t all = strlen(n->name), end = strlen(endings[i]);
		const struct dentry *d;

		if (all <= end || strcmp(n->name + all - end, endings[i]) != 0)
			continue;
		snprintf(name, sizeof(name), "%.*s", (int)(all - end), n->name);
		d = dentry_find(n->vol->vfs, n->parent->ino, name);
		return d && d->node && d->node->lens == LENS_NEW && d->node->stage &&
		       d->node->stage->verdict < 0;
	}
	return false;
}

static bool explained(const struct node *n)
{
	if (n->parent && backs_up_draft(n))
		return false;
	for (; n && n->name; n = n->parent)
		if (node_scratch(n) && vanish_explained(n->name))
			return true;
	return false;
}

static bool stands(const struct node *dir, const char *name)
{
	const struct volume *vol = dir->vol;
	const struct dentry *d = dentry_find(vol->vfs, dir->ino, name);
	struct entry en;

	if (d)
		return d->node && !node_scratch(d->node);
	return vol->format->lookup(vol->now, dir->id, name, &en, NULL) == 0;
}

bool vanish_derived(const struct node *n)
{
	struct meaning m;
	const struct node *dir = n->parent;
	const char *dot = n->name ? strrchr(n->name, '.') : NULL;
	char source[NAME_MAX + 1];

	if (n->dir || !dot || !dir || node_scratch(dir) || !node_scratch(n) ||
		object_meaning(n->vol->vfs, dir->id, n->name, false, ENTRY_ROOT, &m) < 0 ||
		(m.is != FORMAT_DERIVED && m.is != FORMAT_DRAWN))
		return false;
	if (m.is == FORMAT_DRAWN)
		return true;
	snprintf(source, sizeof(source), "%.*s", (int)(dot - n->name), n->name);
	return stands(dir, source);
}

bool vanish_would(const struct node *n)
{
	if (n->dir || (!n->parent && !node_is_root(n)))
		return false;
	if (node_scratch(n))
		return !explained(n) && !vanish_derived(n);
	return n->stage && (n->stage->verdict < 0 || n->stage->state == STAGE_WRITTEN);
}

/* Which endings would have made a part of the map of n, for people; NULL: none. */
static const char *accepted(const struct node *n)
{
	const struct node *dir = n->parent;
	struct meaning m;

	if (n->dir || !dir || node_scratch(dir) || !node_scratch(n) ||
		object_meaning(n->vol->vfs, dir->id, n->name, false, ENTRY_ROOT, &m) < 0)
		return NULL;
	return m.accepts;
}

const char *vanish_reason(const struct node *n, char *buffer, size_t room)
{
	const char *endings;

	if (!node_scratch(n))
		return n->stage->verdict < 0 ? error_text(&n->stage->why) : "was never closed";
	endings = accepted(n);
	if (!endings)
		return "no part of a map";
	snprintf(buffer, room, "no part of a map (%s/ takes %s)", n->parent->name, endings);
	return buffer;
}

void vanish_tell(struct vfs *v, struct node *n)
{
	CLEANUP(free) char *path = NULL, *line = NULL;
	char buffer[VANISH_REASON_MAX];

	if (n->told || v->vol->replay == REPLAY_UNDER_WAY || !n->stage || !accepted(n) ||
		!vanish_would(n))
		return;
	n->told = true;
	path = node_path(n);
	if (path && asprintf(&line, "scratch: %s: %s", path,
			    vanish_reason(n, buffer, sizeof(buffer))) >= 0)
		v->host->note(v->host, line);
}
