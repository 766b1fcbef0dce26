/* SPDX-License-Identifier: Zlib */
/* removals: conflicts between the file of one side and the list of removed files of the other. */
#include <errno.h>
#include <string.h>

#include "base/disk/names.h"
#include "tools/merge/content.h"
#include "tools/merge/steps.h"

static struct merge_item *find_list(const struct merge *m, enum which w)
{
	struct merge_item *found = NULL;

	for (size_t i = 0; i < m->n && !found; i++) {
		struct merge_item *item = m->nodes[i]->items[w];

		if (item && !item->is_dir && strcmp(item->path, m->schema->removals) == 0)
			found = item;
	}
	return found;
}

static void to_upper_case(char *text)
{
	for (; *text; text++)
		if (*text >= 'a' && *text <= 'z')
			*text = (char)(*text - 'a' + 'A');
}

/* Add a copy of a path. In a format without case its letters become upper-case. */
static void add_path(const struct merge *m, struct names *names, const char *path, size_t n)
{
	CLEANUP(free) char *copy = strndup(path, n);

	if (copy && m->nocase)
		to_upper_case(copy);
	names->error = copy && names_add(names, copy) == 0 ? names->error : -ENOMEM;
}

/* Read the list of one side. A list that cannot be read is empty: nothing is known to be removed.
 */
static int read_list(struct merge *m, enum which w, struct names *ret)
{
	struct merge_item *item = find_list(m, w);
	CLEANUP(bytes_unref) struct bytes *text = NULL;
	int r = item ? content_read(m, item, CONTENT_MAX, &text) : -ENOENT;
	const char *p, *end;

	if (r < 0)
		return r == -ENOMEM ? r : 0;
	p = (const char *)text->data;
	for (end = p + text->size; p < end;) {
		const char *newline = memchr(p, '\n', (size_t)(end - p));
		size_t n = (size_t)((newline ? newline : end) - p);

		add_path(m, ret, p, n);
		p += n + 1;
	}
	names_sort(ret);
	return ret->error;
}

/* Is the path of the node in a sorted list? 1, 0 or -ENOMEM. */
static int is_listed(const struct merge *m, const struct names *list, const struct merge_node *x)
{
	CLEANUP_NAMES struct names path = {0};
	const char *text = merged_item(x)->path;

	add_path(m, &path, text, strlen(text));
	return path.error ? path.error : names_contain_sorted(list, path.items[0]);
}

static int check_list(struct merge *m, enum which remover, const struct names *list)
{
	enum which other = remover == OURS ? THEIRS : OURS;
	int r = 0;

	for (size_t i = 0; r == 0 && list->n && i < m->n; i++) {
		struct merge_node *x = m->nodes[i];

		if (!x->items[other] || x->items[other]->is_dir || x->items[remover])
			continue;
		r = is_listed(m, list, x);
		if (r > 0)
			r = conflict_removed(m, x, other);
	}
	return r;
}

int removals_check(struct merge *m)
{
	int r = 0;

	for (enum which w = OURS; r == 0 && w <= THEIRS && m->schema->removals; w++) {
		CLEANUP_NAMES struct names list = {0};

		r = read_list(m, w, &list);
		if (r == 0)
			r = check_list(m, w, &list);
	}
	return r;
}
