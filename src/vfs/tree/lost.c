/* SPDX-License-Identifier: Zlib */
#include "vfs/tree/lost.h"

#include <stdio.h>
#include <string.h>

/* Is it the backup of a new file whose content was refused? Then no other valid content exists. */
static bool is_backup_of_draft(const struct overlay *o, const struct oentry *u)
{
	static const char *const endings[] = {"~", ".bak", ".BAK", ".orig"};
	char name[NAME_MAX + 1];

	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		size_t all = strlen(u->name), end = strlen(endings[i]);
		const struct oentry *of;

		if (all <= end || strcmp(u->name + all - end, endings[i]) != 0)
			continue;
		snprintf(name, sizeof(name), "%.*s", (int)(all - end), u->name);
		of = oentry_find(o, u->parent, name);
		return of && of->origin == ENTRY_NONE && oentry_is_refused(of) &&
		       !of->accepted.mem && !of->accepted.file;
	}
	return false;
}

static bool is_scratch(const struct oentry *u)
{
	return u->is_dir ? u->id == ENTRY_NONE : u->is_scratch;
}

bool lost_is_harmless(const struct overlay *o, const struct oentry *u)
{
	if (is_backup_of_draft(o, u))
		return false;
	for (; u->parent; u = u->parent)
		if (is_scratch(u) && is_editor_file(u->name))
			return true;
	return false;
}

static bool classify(const struct overlay *o, const struct oentry *u, struct name_class *ret)
{
	struct dentry p = {.parent = u->parent};

	if (u->is_dir || !u->is_scratch || u->parent->id == ENTRY_NONE)
		return false;
	strcpy(p.name, u->name);
	return overlay_classify(o, &p, false, ENTRY_NONE, ret) == 0;
}

bool is_by_product(const struct overlay *o, const struct oentry *u)
{
	struct name_class m;
	struct dentry dir, source;
	const char *dot = strrchr(u->name, '.');
	char name[NAME_MAX + 1];

	if (!dot || !classify(o, u, &m))
		return false;
	if (m.kind != NAME_BY_PRODUCT)
		return m.kind == NAME_GENERATED;
	dir = oentry_dentry(u->parent);
	snprintf(name, sizeof(name), "%.*s", (int)(dot - u->name), u->name);
	return overlay_lookup(o, &dir, name, &source) == 0 && !source.is_dir &&
	       !(source.oentry && source.oentry->is_scratch);
}

bool lost_at_end(const struct overlay *o, const struct oentry *u)
{
	const struct write_buffer *s = u->inode ? u->inode->write_buffer : NULL;

	if (u->is_dir || u->is_whiteout)
		return false;
	if (u->is_scratch)
		return !lost_is_harmless(o, u) && !is_by_product(o, u);
	return oentry_is_refused(u) || (s && s->state == BUFFER_WRITTEN);
}

/* Does the format give a reason why the name has no meaning? */
static bool has_reason(const struct overlay *o, const struct oentry *u, struct name_class *ret)
{
	return classify(o, u, ret) && ret->reason[0];
}

const char *lost_reason(const struct overlay *o, const struct oentry *u, char *buffer, size_t room)
{
	struct name_class m;

	if (!u->is_scratch)
		return oentry_is_refused(u) ? u->refusal : "was never closed";
	if (!has_reason(o, u, &m))
		return "not part of a map";
	snprintf(buffer, room, "not part of a map (%s)", m.reason);
	return buffer;
}

void lost_note(struct vfs *v, struct inode *n)
{
	CLEANUP(free) char *path = NULL, *line = NULL;
	char buffer[LOST_REASON_MAX];
	struct name_class m;

	if (!n->write_buffer || n->write_buffer->is_warned || !n->oentry->parent ||
		!has_reason(v->overlay, n->oentry, &m) || !lost_at_end(v->overlay, n->oentry))
		return;
	n->write_buffer->is_warned = true;
	path = inode_path(n);
	if (path && asprintf(&line, "ignored: %s: %s", path,
			    lost_reason(v->overlay, n->oentry, buffer, sizeof(buffer))) >= 0)
		v->host->note(v->host, line);
}
