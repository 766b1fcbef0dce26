/* SPDX-License-Identifier: Zlib */
/* What the mount calls files that a mount of the saved archive would call otherwise. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <strings.h>

#include "codec/text/text.h"
#include "formats/torchlight/save/write.h"

/* As a mount of the archive would read it. */
static int build_tree(
	const struct tl_map *m, const struct tl_table *t, struct tree **ret, struct error *e)
{
	CLEANUP(manifest_free) struct manifest *manifest = NULL;
	CLEANUP_BUFFER struct buffer bytes = BUFFER_INIT;
	const struct called none = {0};
	int r = tl_put_manifest(m, t, NULL, &bytes, e);

	if (r == 0)
		r = manifest_read(bytes.data, bytes.size, &manifest, e);
	for (uint32_t i = 0; r == 0 && i < t->n_rows; i++)
		manifest->entries[i].removed =
			t->rows[i].handle == TL_NONE && t->rows[i].type != MANIFEST_DIR;
	return r < 0 ? r : tree_build(manifest, &none, ret, e);
}

/* By handle, what the mounted tree calls the files. */
static const char **shown_names(const struct tl_shared *sh)
{
	const struct tree *t = sh->tree;
	const char **names = calloc((size_t)sh->manifest->n_entries + 1, sizeof(*names));

	for (uint32_t i = 0; names && i < t->n_children; i++)
		if (!t->children[i].dir)
			names[t->children[i].index] = tree_name(t, &t->children[i]);
	return names;
}

int tl_put_called(const struct tl_map *m, struct buffer *out, struct error *e)
{
	CLEANUP(free) const char **shown = shown_names(m->shared);
	CLEANUP(tl_table_unref) struct tl_table *table = NULL;
	CLEANUP(tree_free) struct tree *t = NULL;
	int r = shown ? tl_table_of(m, &table, e) : -ENOMEM;

	if (r == 0)
		r = build_tree(m, table, &t, e);
	for (uint32_t i = 0; r == 0 && i < t->n_children; i++) {
		const struct tree_child *c = &t->children[i];
		const struct tl_row *row = &table->rows[c->index];
		char own[NAME_MAX + 1];
		const char *name = own;

		if (c->dir)
			continue;
		if (row->placed)
			name_escape_whole(row->name.s, row->name.n, own, NAME_MAX);
		else
			name = shown[row->handle];
		if (strcasecmp(name, tree_name(t, c)) != 0)
			called_put(out, c->index, name);
	}
	return r;
}
