/* SPDX-License-Identifier: Zlib */
/*
 * Of several files of one name all but the first are shown under other ones (tree.h), which a save
 * can change: when the first goes, the second is the first.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "codec/text/text.h"
#include "formats/torchlight/finalize/finalize.h"

/* Is the file shown under another name than its own? */
static bool is_marked(const struct tl_shared *sh, uint32_t handle, const char *own)
{
	const struct tree *t = sh->tree;
	const struct tree_dir *d = &t->dirs[t->record_dirs[sh->manifest->entries[handle].record]];

	for (uint32_t i = d->first; i < d->first + d->n; i++)
		if (!t->children[i].dir && t->children[i].index == handle)
			return strcmp(tree_name(t, &t->children[i]), own) != 0;
	return false;
}

/* How many files of that place come before the handle in the table; false: it is not there. */
static bool find_rank(
	const struct tl_table *t, uint32_t handle, struct str path, struct str name, unsigned *ret)
{
	*ret = 0;
	for (uint32_t i = 0; i < t->n_records; i++) {
		const struct tl_record *r = &t->records[i];

		if (!str_equal_nocase(r->path, path))
			continue;
		for (uint32_t k = r->first; k < r->first + r->n; k++) {
			if (t->rows[k].handle == TL_NONE ||
				!str_equal_nocase(t->rows[k].name, name))
				continue;
			if (t->rows[k].handle == handle)
				return true;
			++*ret;
		}
	}
	return false;
}

int tl_shown_as(const struct snapshot *finalized, entry_id id, char *name)
{
	const struct tl_map *m = tl_map_of(finalized);
	const struct manifest *man = m->shared->manifest;
	uint32_t handle = tl_index(id);
	char own[NAME_MAX + 1];
	const char *dot;
	unsigned rank;
	struct str stored, path;

	if (id == tl_id(TL_CONTROL, TL_CONTROL_KIT))
		return -ENOENT;
	/* Only of several of one name, which the map had, do names change. */
	if (tl_kind_of(id) != TL_FILE || handle >= man->n_entries || !m->table)
		return -ENOTSUP;
	stored = manifest_name(man, &man->entries[handle]);
	path = manifest_path(man, &man->records[man->entries[handle].record]);
	if (!name_escape_whole(stored.s, stored.n, own, NAME_MAX) ||
		!is_marked(m->shared, handle, own) || strlen(own) + 12 > NAME_MAX)
		return -ENOTSUP;
	if (!find_rank(m->table, handle, path, stored, &rank))
		return -ENOENT;
	dot = strrchr(own, '.');
	if (!dot || dot == own)
		dot = own + strlen(own);
	if (rank)
		sprintf(name, "%.*s~%u%s", (int)(dot - own), own, rank + 1, dot);
	else
		strcpy(name, own);
	return 0;
}
