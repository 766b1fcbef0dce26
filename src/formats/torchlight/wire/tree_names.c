/* SPDX-License-Identifier: Zlib */
#include "formats/torchlight/wire/tree_names.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"

struct namer {
	struct tree *tree;
	struct buffer *text;
};

static int by_name(const void *x, const void *y, void *text)
{
	const struct tree_child *a = x, *b = y;
	int r = strcasecmp((char *)text + a->name, (char *)text + b->name);

	/* Names were made in the order that gives precedence. */
	return r ? r : (a->name > b->name) - (a->name < b->name);
}

static void sort_dir(struct namer *w, const struct tree_dir *d)
{
	if (d->n > 1)
		qsort_r(w->tree->children + d->first, d->n, sizeof(struct tree_child), by_name,
			w->text->data);
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
static uint32_t other_name(
	struct namer *w, const struct tree_dir *d, const struct tree_child *c, unsigned *number)
{
	const char *text = (const char *)w->text->data, *old = text + c->name;
	const char *dot = strrchr(old, '.');
	size_t length = strlen(old), ending = dot && dot != old ? strlen(dot) : 0;
	char name[NAME_MAX + 1], mark[16];
	uint32_t at = (uint32_t)w->text->size;

	do {
		size_t mark_n = (size_t)snprintf(mark, sizeof(mark), "~%u", ++*number);
		size_t stem = length - ending;

		if (ending + mark_n > NAME_MAX) {
			ending = 0;
			stem = length;
		}
		if (stem + mark_n + ending > NAME_MAX)
			stem = NAME_MAX - mark_n - ending;
		/* Never half a character. */
		while (stem && ((unsigned char)old[stem] & 0xC0) == 0x80)
			stem--;
		snprintf(name, sizeof(name), "%.*s%s%s", (int)stem, old, mark,
			old + length - ending);
	} while (tree_search(w->tree, d, text, name));
	buffer_append(w->text, name, strlen(name) + 1);
	return at;
}

struct clash {
	uint32_t child; /* in the directory */
	uint32_t name;  /* the new one */
};

/* The children that are called like the one before them; NULL: no memory. */
static struct clash *find_clashes(const struct namer *w, const struct tree_dir *d, uint32_t *ret_n)
{
	const struct tree_child *c = w->tree->children + d->first;
	const char *text = (const char *)w->text->data;
	uint32_t n = 0;
	struct clash *all;

	for (uint32_t i = 1; i < d->n; i++)
		n += !strcasecmp(text + c[i].name, text + c[i - 1].name);
	all = calloc((size_t)n + 1, sizeof(*all));
	*ret_n = n;
	for (uint32_t i = d->n; all && i-- > 1;)
		if (!strcasecmp(text + c[i].name, text + c[i - 1].name))
			all[--n].child = i;
	return all;
}

/* *ret_changed: names were given, which may clash again where they had to be cut. */
static int make_unique(struct namer *w, const struct tree_dir *d, bool *ret_changed)
{
	struct tree_child *c = w->tree->children + d->first;
	unsigned number = 1;
	uint32_t n;
	struct clash *all = find_clashes(w, d, &n);

	for (uint32_t i = 0; all && i < n && !w->text->error; i++) {
		/* A group's first is no clash, so a gap begins a new group. */
		if (!i || all[i - 1].child + 1 != all[i].child)
			number = 1;
		all[i].name = other_name(w, d, &c[all[i].child], &number);
	}
	for (uint32_t i = 0; all && i < n; i++)
		c[all[i].child].name = all[i].name;
	*ret_changed = n > 0;
	free(all);
	return all ? w->text->error : -ENOMEM;
}

int tree_name_dir(struct tree *t, const struct tree_dir *d, struct buffer *text)
{
	struct namer w = {t, text};
	bool changed = true;
	int r = 0;

	while (r == 0 && changed) {
		sort_dir(&w, d);
		r = make_unique(&w, d, &changed);
	}
	return r;
}
