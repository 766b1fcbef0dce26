/* SPDX-License-Identifier: Zlib */
/* List names that a new mount of the saved archive would show otherwise. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "formats/torchlight/save/write.h"

static void put_files(const struct tl_table *table, const struct tree *t, struct buffer *out)
{
	for (uint32_t i = 0; i < t->n_children; i++) {
		const struct tree_child *c = &t->children[i];
		const char *name =
			c->is_dir ? NULL : table->shown[table->manifest->entries[c->index].handle];

		if (name && strcmp(name, tree_name(t, c)) != 0)
			called_put(out, c->index, name);
	}
}

/* List the last directory of a path, if its name differs in case. */
static void put_dir(
	const struct manifest *m, const struct tree *t, const char *path, struct buffer *out)
{
	const struct tree_child *c = NULL;
	struct str rest = str_of(path);
	char name[NAME_MAX + 1];

	while (rest.n) {
		struct str part = str_cut(&rest, '/');

		snprintf(name, sizeof(name), "%.*s", STR_ARGS(part));
		c = tree_find(t, c ? c->index : 0, name);
		if (!c || !c->is_dir)
			return;
	}
	if (c && !strcasecmp(name, tree_name(t, c)) && strcmp(name, tree_name(t, c)) != 0)
		called_put(out, m->n_entries + c->index, name);
}

int tl_put_shown_names(const struct tl_map *m, struct buffer *out, struct error *e)
{
	const struct tl_table *table = m->table;
	CLEANUP(tree_free) struct tree *t = NULL;
	int r = tree_build(table->manifest, NULL, &t, e);

	if (r == 0)
		put_files(table, t, out);
	for (uint32_t i = 0; r == 0 && i < table->n_dirs; i++)
		put_dir(table->manifest, t, table->dirs[i], out);
	return r;
}
