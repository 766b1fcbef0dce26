/* SPDX-License-Identifier: Zlib */
/* The list of removed files. A file that the archive has itself is not hidden. */
#include <errno.h>
#include <string.h>

#include "formats/torchlight/finalize/plan.h"

static struct removed_path *find_listed(
	const struct finalizer *st, struct str path, struct str name, struct buffer *scratch)
{
	scratch->size = 0;
	buffer_str(scratch, path);
	buffer_str(scratch, name);
	return removed_set_find(&st->removed, str_of_buffer(scratch));
}

/* Mark p as provided. A new entry at a path that was listed at the mount is not counted. */
static void mark_provided(struct finalizer *st, struct removed_path *p, bool stays)
{
	if (!p)
		return;
	p->is_provided = true;
	st->n_provided += stays || !p->was_listed;
}

/* Mark the listed paths that the new archive has as files, and those with an entry in the mounted
 * archive whose directory did not move. */
static int mark_paths(struct finalizer *st)
{
	CLEANUP_BUFFER struct buffer scratch = BUFFER_INIT;
	const struct manifest *m = st->old;
	struct removed_path *p;
	struct str path;
	size_t at = 0;

	while (removed_next(st->sh->archive->removed, &at, &path))
		if ((p = removed_set_find(&st->removed, path)))
			p->was_listed = true;
	for (size_t i = 0; i < st->n_new_entries; i++)
		if (st->new_entries[i].type != MANIFEST_DIR)
			mark_provided(st,
				find_listed(st, str_of(st->new_entries[i].path),
					str_of(st->new_entries[i].name), &scratch),
				false);
	for (uint32_t i = 0; i < m->n_entries; i++) {
		const struct manifest_entry *x = &m->entries[i];
		uint32_t dir = st->sh->tree->record_dirs[x->record];
		bool moved = st->dirs[dir].is_moved, removed = manifest_removed(x);

		if (removed ? moved : x->type == MANIFEST_DIR || st->files[i].has_left)
			continue;
		p = find_listed(st,
			moved ? str_of(tl_new_path(st, dir, false))
			      : manifest_path(m, &m->records[x->record]),
			manifest_name(m, x), &scratch);
		if (removed && p)
			p->is_recorded = true;
		else if (!removed)
			mark_provided(st, p, !moved);
	}
	return scratch.error;
}

/* Build the list, and add entries for listed files without one. */
static int build_list(struct finalizer *st, struct bytes **ret)
{
	CLEANUP_BUFFER struct buffer out = BUFFER_INIT;
	struct str path;
	size_t at = 0;

	while (removed_next(st->m->removed, &at, &path)) {
		struct removed_path *p = removed_set_find(&st->removed, path);
		const char *slash = memrchr(path.s, '/', path.n);
		size_t dir = slash ? (size_t)(slash - path.s) + 1 : 0;
		struct str above = {path.s, dir}, name = {path.s + dir, path.n - dir};

		if (p->is_provided)
			continue;
		buffer_str(&out, path);
		buffer_byte(&out, '\n');
		if (p->is_recorded || !name.n)
			continue;
		p->is_recorded = true;
		tl_add_entry(st, (struct tl_new_entry){
					 .path = tl_own_string(st, str_dup(above)),
					 .dir = tl_finalize_find_dir(st, 0, above),
					 .name = tl_own_string(st, str_dup(name)),
					 .handle = MANIFEST_NO_FILE,
					 .type = manifest_type(name),
				 });
	}
	return st->error ? st->error : buffer_finish(&out, ret);
}

int tl_finalize_removed(struct finalizer *st, struct bytes **ret)
{
	int r = removed_set_build(st->m->removed, &st->removed);

	if (r == 0 && st->removed.n)
		r = mark_paths(st);
	return r < 0 ? r : build_list(st, ret);
}
