/* SPDX-License-Identifier: Zlib */
/* What an archive holds, in its order. */
#include <errno.h>
#include <stdlib.h>

#include "base/refs.h"
#include "formats/torchlight/model/map.h"

void tl_table_unref(struct tl_table *t)
{
	if (!t || !refs_drop(&t->refs))
		return;
	for (size_t i = 0; i < t->n_owned; i++)
		free(t->owned[i]);
	free(t->owned);
	free(t->records);
	free(t->dirs);
	free(t->rows);
	free(t);
}

/* The manifest as it was mounted. */
static int table_of_manifest(const struct tl_shared *sh, struct tl_table **ret)
{
	const struct manifest *m = sh->manifest;
	CLEANUP(tl_table_unref) struct tl_table *t = calloc(1, sizeof(*t));

	if (!t)
		return -ENOMEM;
	atomic_init(&t->refs, 1);
	t->records = calloc((size_t)m->n_records + 1, sizeof(*t->records));
	t->rows = calloc((size_t)m->n_entries + 1, sizeof(*t->rows));
	if (!t->records || !t->rows)
		return -ENOMEM;
	for (uint32_t i = 0; i < m->n_records; i++)
		t->records[i] = (struct tl_record){.path = manifest_path(m, &m->records[i]),
			.dir = sh->tree->record_dirs[i],
			.first = m->records[i].first,
			.n = m->records[i].n};
	for (uint32_t i = 0; i < m->n_entries; i++) {
		const struct manifest_entry *x = &m->entries[i];
		bool file = x->type != MANIFEST_DIR && !x->removed;

		t->rows[i] =
			(struct tl_row){manifest_name(m, x), file ? i : TL_NONE, x->type, NULL, 0};
	}
	t->n_records = m->n_records;
	t->n_rows = m->n_entries;
	*ret = TAKE(t);
	return 0;
}

int tl_table_of(const struct tl_map *m, struct tl_table **ret, struct error *e)
{
	int r;

	if (m->table) {
		refs_take(&m->table->refs);
		*ret = m->table;
		return 0;
	}
	r = table_of_manifest(m->shared, ret);
	return r < 0 ? error_set(e, r, "no memory for the archive's table") : 0;
}
