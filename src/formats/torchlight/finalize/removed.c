/* SPDX-License-Identifier: Zlib */
/* The list of removed files: what the archive has itself is not hidden. */
#include <errno.h>
#include <string.h>

#include "codec/text/text.h"
#include "formats/torchlight/finalize/plan.h"

/* What entries of the mounted archive, whose directory did not move, say is removed. */
static int said_removed(
	const struct finalizing *st, struct bytes **ret_text, struct removed_set *ret)
{
	const struct manifest *m = st->sh->manifest;
	CLEANUP_BUFFER struct buffer said = BUFFER_INIT;
	int r;

	for (uint32_t i = 0; i < m->n_entries; i++) {
		const struct manifest_entry *x = &m->entries[i];

		if (!x->removed || st->changed[st->sh->tree->record_dirs[x->record]])
			continue;
		buffer_str(&said, manifest_path(m, &m->records[x->record]));
		buffer_str(&said, manifest_name(m, x));
		buffer_byte(&said, '\n');
	}
	r = buffer_finish(&said, ret_text);
	return r < 0 ? r : removed_set_of(*ret_text, ret);
}

/* Appends path and name to out, where the list of removed files has that. */
static bool put_listed(const struct finalizing *st, struct str path, struct str name,
	const struct removed_set *but, struct buffer *out)
{
	size_t at = out->size;
	struct str whole;

	buffer_str(out, path);
	buffer_str(out, name);
	if (out->error)
		return false;
	whole = (struct str){(const char *)out->data + at, out->size - at};
	if (removed_set_has(&st->removed, whole) && !(but && removed_set_has(but, whole))) {
		buffer_byte(out, '\n');
		return true;
	}
	out->size = at;
	return false;
}

/* What was made or moved there. Of what the list had when it was mounted nothing is said. */
static void provide(struct finalizing *st, struct str path, struct str name,
	const struct removed_set *mounted, struct buffer *out)
{
	size_t at = out->size;

	st->n_provided += put_listed(st, path, name, mounted, out);
	if (out->size == at)
		(void)put_listed(st, path, name, NULL, out);
}

/* Which of the list the archive will have: what was made or moved there, and what stays, unless the
 * list had it when it was mounted. */
static int find_provided(struct finalizing *st, struct buffer *out)
{
	const struct manifest *m = st->sh->manifest;
	struct removed_set mounted = {0};
	int r = removed_set_of(st->sh->removed, &mounted);

	for (size_t i = 0; r == 0 && i < st->homes.n; i++)
		provide(st, str_of(st->homes.all[i].path), str_of(st->homes.all[i].name), &mounted,
			out);
	for (uint32_t i = 0; r == 0 && i < m->n_entries; i++) {
		const struct manifest_entry *x = &m->entries[i];
		uint32_t dir = st->sh->tree->record_dirs[x->record];
		const char *moved = NULL;

		if (x->type == MANIFEST_DIR || x->removed || st->drop[i])
			continue;
		if (st->changed[dir] && !(moved = tl_finalized_path(st, dir)))
			r = -ENOMEM;
		else if (moved)
			provide(st, str_of(moved), manifest_name(m, x), &mounted, out);
		else
			st->n_provided += put_listed(st, manifest_path(m, &m->records[x->record]),
				manifest_name(m, x), &mounted, out);
	}
	removed_set_finish(&mounted);
	return r;
}

/* The list without those. */
static int leave_out(const struct finalizing *st, struct buffer *provided, struct bytes **ret)
{
	CLEANUP(bytes_unref) struct bytes *text = NULL;
	CLEANUP_BUFFER struct buffer out = BUFFER_INIT;
	struct removed_set set = {0};
	struct str path;
	size_t at = 0;
	int r = buffer_finish(provided, &text);

	if (r == 0)
		r = removed_set_of(text, &set);
	while (r == 0 && removed_next(st->m->removed, &at, &path)) {
		if (removed_set_has(&set, path))
			continue;
		buffer_str(&out, path);
		buffer_byte(&out, '\n');
	}
	removed_set_finish(&set);
	return r < 0 ? r : buffer_finish(&out, ret);
}

/* Removed files that no entry says yet. */
static int add_rows(struct finalizing *st, const struct bytes *list)
{
	CLEANUP(bytes_unref) struct bytes *text = NULL;
	struct removed_set said = {0};
	struct str path;
	size_t at = 0;
	int r = said_removed(st, &text, &said);

	while (r == 0 && removed_next(list, &at, &path)) {
		const char *slash = memrchr(path.s, '/', path.n);
		size_t dir = slash ? (size_t)(slash - path.s) + 1 : 0;
		struct str name = {path.s + dir, path.n - dir};

		if (removed_set_has(&said, path) || dir == path.n)
			continue;
		r = tl_homes_add(st, &st->homes,
			(struct tl_home){
				.path = tl_table_own(st->table, str_dup((struct str){path.s, dir})),
				.name = tl_table_own(st->table, str_dup(name)),
				.handle = TL_NONE,
				.seq = (uint32_t)st->homes.n,
				.type = manifest_type(name),
			});
	}
	removed_set_finish(&said);
	return r;
}

int tl_finalize_removed(struct finalizing *st, struct bytes **ret)
{
	CLEANUP_BUFFER struct buffer provided = BUFFER_INIT;
	CLEANUP(bytes_unref) struct bytes *list = bytes_ref(st->m->removed);
	int r = list->size ? find_provided(st, &provided) : 0;

	if (r == 0 && provided.size) {
		bytes_unref(list);
		list = NULL;
		r = leave_out(st, &provided, &list);
	}
	if (r == 0)
		r = provided.error ? provided.error : add_rows(st, list);
	if (r == 0) {
		removed_set_finish(&st->removed);
		r = removed_set_of(list, &st->removed);
	}
	if (r == 0) {
		tl_homes_sort(&st->homes);
		*ret = TAKE(list);
	}
	return r;
}
