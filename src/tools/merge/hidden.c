/* SPDX-License-Identifier: Zlib */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/print.h"
#include "tools/merge/file.h"
#include "tools/merge/steps.h"
#include "vfs/offline/walk.h"

struct hiding {
	struct merge *m;
	struct merge_item *root; /* the hidden files of one side, named by path without numbers */
};

/* Drop the numbers in a path: "raw/items/65533_some-uuid/00000" becomes
 * "raw/items/some-uuid/00000".
 */
static char *without_numbers(const char *path)
{
	char *what = strdup(path), *to = what;

	for (const char *at = path; what && *at;) {
		size_t digits = strspn(at, "0123456789"), n;

		if (digits && at[digits] == '_')
			at += digits + 1;
		n = strcspn(at, "/");
		n += at[n] == '/';
		memcpy(to, at, n);
		to += n;
		at += n;
	}
	if (what)
		*to = '\0';
	return what;
}

static int add_hidden(void *arg, const char *path, const struct offline_file *a)
{
	struct hiding *h = arg;
	const struct merge_schema *how = h->m->schema;
	struct merge_item *i;

	if (S_ISDIR(a->mode) || !file_matches(how->hidden, path) || file_matches(how->shown, path))
		return 0;
	i = item_new(h->root, path, false);
	if (!i)
		return -ENOMEM;
	i->name = i->bare = without_numbers(path);
	return i->name ? 0 : -ENOMEM;
}

static int decide_hidden(struct merge *m, const char *shown, const struct merge_node *x)
{
	const struct merge_item *b = x->items[BASE], *t = x->items[THEIRS];
	const char *path = t ? t->path : b ? b->path : "";
	int r = file_changed_side(m, x);

	if (r < 0 || r == OURS)
		return r < 0 ? r : 0;
	if (r == SIDES)
		return conflict_add(m, NULL, false,
			"%s was changed by both, and no other file shows it: ours is used", path);
	print_line(stderr,
		"mapfs: %s: note: %s was %s by theirs, and no other file shows it: ours is used",
		shown, path, t ? b ? "changed" : "added" : "removed");
	return 0;
}

int hidden_decide(struct merge *m, const char *shown)
{
	struct merge_item *at[SIDES];
	struct merge_node *all;
	int r = 0;

	if (!m->schema->hidden_in)
		return 0;
	for (int w = 0; r == 0 && w < SIDES; w++) {
		struct offline *t = &m->sides[w].tree;
		struct hiding h = {m, item_new(m->sides[w].root, m->schema->hidden_in, true)};

		at[w] = h.root;
		r = !h.root      ? -ENOMEM
		    : t->overlay ? offline_walk(t, h.root->path, add_hidden, NULL, &h)
				 : 0;
		r = r == -ENOENT ? 0 : r;
	}
	if (r < 0)
		return r;
	all = merged_new(m, NULL, at);
	if (!all)
		return -ENOMEM;
	all->is_kept = false;
	r = match_names(m, all);
	for (size_t i = 0; r == 0 && i < all->n; i++)
		r = decide_hidden(m, shown, all->children[i]);
	return r;
}
