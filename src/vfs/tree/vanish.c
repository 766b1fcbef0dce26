/* SPDX-License-Identifier: Zlib */
#include "vfs/tree/vanish.h"

#include <stdio.h>
#include <string.h>

/* Of a new file that was refused since nothing is in the map: its backup is all that is sound. */
static bool backs_up_draft(const struct overlay *o, const struct upper *u)
{
	static const char *const endings[] = {"~", ".bak", ".BAK", ".orig"};
	char name[NAME_MAX + 1];

	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		size_t all = strlen(u->name), end = strlen(endings[i]);
		const struct upper *of;

		if (all <= end || strcmp(u->name + all - end, endings[i]) != 0)
			continue;
		snprintf(name, sizeof(name), "%.*s", (int)(all - end), u->name);
		of = upper_find(o, u->up, name);
		return of && of->from == ENTRY_NONE && upper_refused(of) && !of->last.mem &&
		       !of->last.file;
	}
	return false;
}

static bool is_scratch(const struct upper *u)
{
	return u->dir ? u->id == ENTRY_NONE : u->scratch;
}

bool vanish_harmless(const struct overlay *o, const struct upper *u)
{
	if (backs_up_draft(o, u))
		return false;
	for (; u->up; u = u->up)
		if (is_scratch(u) && vanish_explained(u->name))
			return true;
	return false;
}

static bool meaning(const struct overlay *o, const struct upper *u, struct meaning *ret)
{
	struct dentry p = {.dir = u->up};

	if (u->dir || !u->scratch || u->up->id == ENTRY_NONE)
		return false;
	strcpy(p.name, u->name);
	return overlay_meaning(o, &p, false, ENTRY_NONE, ret) == 0;
}

bool vanish_derived(const struct overlay *o, const struct upper *u)
{
	struct meaning m;
	struct spot dir, source;
	const char *dot = strrchr(u->name, '.');
	char name[NAME_MAX + 1];

	if (!dot || !meaning(o, u, &m))
		return false;
	if (m.is != FORMAT_DERIVED)
		return m.is == FORMAT_DRAWN;
	dir = upper_spot(u->up);
	snprintf(name, sizeof(name), "%.*s", (int)(dot - u->name), u->name);
	return overlay_lookup(o, &dir, name, &source) == 0 && !source.dir &&
	       !(source.upper && source.upper->scratch);
}

bool vanish_would(const struct overlay *o, const struct upper *u)
{
	const struct stage *s = u->node ? u->node->stage : NULL;

	if (u->dir || u->whiteout)
		return false;
	if (u->scratch)
		return !vanish_harmless(o, u) && !vanish_derived(o, u);
	return upper_refused(u) || (s && s->state == STAGE_WRITTEN);
}

/* Can the format say why it is no part of the map? */
static bool explains(const struct overlay *o, const struct upper *u, struct meaning *ret)
{
	return meaning(o, u, ret) && ret->why[0];
}

const char *vanish_reason(const struct overlay *o, const struct upper *u, char *buffer, size_t room)
{
	struct meaning m;

	if (!u->scratch)
		return upper_refused(u) ? u->why : "was never closed";
	if (!explains(o, u, &m))
		return "no part of a map";
	snprintf(buffer, room, "no part of a map (%s)", m.why);
	return buffer;
}

void vanish_tell(struct vfs *v, struct node *n)
{
	CLEANUP(free) char *path = NULL, *line = NULL;
	char buffer[VANISH_REASON_MAX];
	struct meaning m;

	if (!n->stage || n->stage->told || !n->at->up || !explains(v->tree, n->at, &m) ||
		!vanish_would(v->tree, n->at))
		return;
	n->stage->told = true;
	path = node_path(n);
	if (path && asprintf(&line, "scratch: %s: %s", path,
			    vanish_reason(v->tree, n->at, buffer, sizeof(buffer))) >= 0)
		v->host->note(v->host, line);
}
