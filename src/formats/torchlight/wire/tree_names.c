/* SPDX-License-Identifier: Zlib */
#include "formats/torchlight/wire/tree_names.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"
#include "base/cleanup.h"

static int by_name(const void *x, const void *y, void *text)
{
	const struct tree_child *a = x, *b = y;
	int r = strcasecmp((char *)text + a->name, (char *)text + b->name);

	/* Names were made in the order that gives precedence. */
	return r ? r : (a->name > b->name) - (a->name < b->name);
}

const struct tree_child *tree_search(
	const struct tree *t, const struct tree_dir *d, const char *text, const char *name)
{
	const struct tree_child *children = t->children + d->first;
	size_t at = array_first(i, d->n, strcasecmp(text + children[i].name, name) >= 0);

	return at < d->n && !strcasecmp(text + children[at].name, name) ? &children[at] : NULL;
}

/* NAME.EXT as NAME~2.EXT, or the next number that nobody in the directory has; the place in text.
 */
static uint32_t other_name(const struct tree *t, const struct tree_dir *d, struct buffer *text,
	const struct tree_child *c, unsigned *number)
{
	const char *names = (const char *)text->data, *old = names + c->name;
	const char *dot = strrchr(old, '.');
	size_t length = strlen(old), ending = dot && dot != old ? strlen(dot) : 0;
	char name[NAME_MAX + 1], mark[16];
	uint32_t at = (uint32_t)text->size;

	do {
		size_t mark_n = (size_t)snprintf(mark, sizeof(mark), "~%u", ++*number);
		size_t stem;

		if (ending + mark_n > NAME_MAX)
			ending = 0;
		stem = length - ending;
		if (stem + mark_n + ending > NAME_MAX)
			stem = NAME_MAX - mark_n - ending;
		/* Never half a character. */
		while (stem && ((unsigned char)old[stem] & 0xC0) == 0x80)
			stem--;
		snprintf(name, sizeof(name), "%.*s%s%s", (int)stem, old, mark,
			old + length - ending);
	} while (tree_search(t, d, names, name));
	buffer_append(text, name, strlen(name) + 1);
	return at;
}

/* Gives the children that are called like the one before them other names; until all have theirs
 * the directory is searched by the old ones. *ret_changed: the new ones may clash, too. */
static int make_unique(
	const struct tree *t, const struct tree_dir *d, struct buffer *text, bool *ret_changed)
{
	CLEANUP(free) uint32_t *names = NULL;
	struct tree_child *c = t->children + d->first;
	unsigned number = 1;
	bool clashes = false;

	for (uint32_t i = 1; i < d->n && !text->error; i++, number = clashes ? number : 1) {
		const char *all = (const char *)text->data;

		clashes = !strcasecmp(all + c[i].name, all + c[i - 1].name);
		if (clashes && !names && !(names = calloc(d->n, sizeof(*names))))
			return -ENOMEM;
		if (clashes)
			names[i] = other_name(t, d, text, &c[i], &number);
	}
	for (uint32_t i = 1; names && i < d->n; i++)
		c[i].name = names[i] ? names[i] : c[i].name;
	*ret_changed = names;
	return text->error;
}

int tree_name_dir(const struct tree *t, const struct tree_dir *d, struct buffer *text)
{
	bool changed = true;
	int r = 0;

	while (r == 0 && changed) {
		if (d->n > 1)
			qsort_r(t->children + d->first, d->n, sizeof(*t->children), by_name,
				text->data);
		r = make_unique(t, d, text, &changed);
	}
	return r;
}
