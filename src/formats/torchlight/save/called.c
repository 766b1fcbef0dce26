/* SPDX-License-Identifier: Zlib */
/* What the mount calls files and directories that a mount of the saved archive would call
 * otherwise. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "codec/text/text.h"
#include "formats/torchlight/save/write.h"

/* As a mount of the archive would read it. */
static int build_tree(
	const struct tl_map *m, const struct tl_table *t, struct tree **ret, struct error *e)
{
	CLEANUP(manifest_free) struct manifest *manifest = NULL;
	CLEANUP_BUFFER struct buffer bytes = BUFFER_INIT;
	int r = tl_put_manifest(m, t, NULL, &bytes, e);

	if (r == 0)
		r = manifest_read(bytes.data, bytes.size, &manifest, e);
	for (uint32_t i = 0; r == 0 && i < t->n_rows; i++)
		manifest->entries[i].removed =
			t->rows[i].handle == TL_NONE && t->rows[i].type != MANIFEST_DIR;
	return r < 0 ? r : tree_build(manifest, NULL, ret, e);
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

static int call_files(const struct tl_map *m, const struct tl_table *table, const struct tree *t,
	struct buffer *out)
{
	CLEANUP(free) const char **shown = shown_names(m->shared);

	for (uint32_t i = 0; shown && i < t->n_children; i++) {
		const struct tree_child *c = &t->children[i];
		const struct tl_row *row = &table->rows[c->index];
		const char *name = c->dir ? NULL : row->shown ? row->shown : shown[row->handle];

		if (name && strcmp(name, tree_name(t, c)) != 0)
			called_put(out, c->index, name);
	}
	return shown ? 0 : -ENOMEM;
}

/* The last directory of a path. */
static void call_dir(
	const struct tl_table *table, const struct tree *t, const char *path, struct buffer *out)
{
	const struct tree_child *c = NULL;
	struct str rest = str_of(path);
	char name[NAME_MAX + 1];

	while (rest.n) {
		struct str part = str_cut(&rest, '/');

		snprintf(name, sizeof(name), "%.*s", STR_ARGS(part));
		c = tree_find(t, c ? c->index : 0, name);
		if (!c || !c->dir)
			return;
	}
	if (c && !strcasecmp(name, tree_name(t, c)) && strcmp(name, tree_name(t, c)) != 0)
		called_put(out, table->n_rows + c->index, name);
}

int tl_put_called(const struct tl_map *m, struct buffer *out, struct error *e)
{
	CLEANUP(tl_table_unref) struct tl_table *table = NULL;
	CLEANUP(tree_free) struct tree *t = NULL;
	int r = tl_table_of(m, &table, e);

	if (r == 0)
		r = build_tree(m, table, &t, e);
	if (r == 0)
		r = call_files(m, table, t, out);
	for (uint32_t i = 0; r == 0 && i < table->n_dirs; i++)
		call_dir(table, t, table->dirs[i], out);
	return r;
}
