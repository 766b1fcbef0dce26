/* SPDX-License-Identifier: Zlib */
/* removals: conflicts between the file of one side and the list of removed files of the other. */
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "tools/merge/content.h"
#include "tools/merge/steps.h"

static struct merge_node *find_child(
	const struct merge *m, const struct merge_node *dir, const char *name, size_t n)
{
	for (size_t i = 0; i < dir->n; i++) {
		const char *other = merged_item(dir->children[i])->name;

		if (strlen(other) == n &&
			(m->nocase ? strncasecmp(other, name, n) : strncmp(other, name, n)) == 0)
			return dir->children[i];
	}
	return NULL;
}

/* Find the node at a path of n bytes; NULL if there is none. */
static struct merge_node *find_node(const struct merge *m, const char *path, size_t n)
{
	const char *end = path + n;
	struct merge_node *x = m->root;

	for (size_t length; x && path < end; path += length + 1) {
		const char *slash = memchr(path, '/', (size_t)(end - path));

		length = (size_t)((slash ? slash : end) - path);
		x = find_child(m, x, path, length);
	}
	return x;
}

/* Read the list of one side. *ret is NULL if there is none, or if it cannot be read: then nothing
 * is known to be removed. -ENOMEM. */
static int read_list(struct merge *m, enum which w, struct bytes **ret)
{
	const struct merge_node *x = find_node(m, m->schema->removals, strlen(m->schema->removals));
	int r = x && x->items[w] ? content_read(m, x->items[w], CONTENT_MAX, ret) : 0;

	return r == -ENOMEM ? r : 0;
}

/* Add a conflict for each listed file that only the other side has. */
static int check_list(struct merge *m, enum which remover, const struct bytes *list)
{
	const char *p = (const char *)list->data, *end = p + list->size;
	enum which other = remover == OURS ? THEIRS : OURS;
	int r = 0;

	for (size_t n; r == 0 && p < end; p += n + 1) {
		const char *newline = memchr(p, '\n', (size_t)(end - p));
		struct merge_node *x;

		n = (size_t)((newline ? newline : end) - p);
		x = find_node(m, p, n);
		if (x && x->items[other] && !x->items[other]->is_dir && !x->items[remover])
			r = conflict_removed(m, x, other);
	}
	return r;
}

int removals_check(struct merge *m)
{
	int r = 0;

	for (enum which w = OURS; r == 0 && w <= THEIRS && m->schema->removals; w++) {
		CLEANUP(bytes_unref) struct bytes *list = NULL;

		r = read_list(m, w, &list);
		if (r == 0 && list)
			r = check_list(m, w, list);
	}
	return r;
}
