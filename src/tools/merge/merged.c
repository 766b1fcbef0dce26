/* SPDX-License-Identifier: Zlib */
#include "tools/merge/merged.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/buffer.h"

struct merged *merged_new(struct merge *m, struct merged *up, struct item *const at[SIDES])
{
	struct merged *x;

	if (!array_room(m->all, m->n, m->room) ||
		(up && !array_room(up->children, up->n, up->room)))
		return NULL;
	x = calloc(1, sizeof(*x));
	if (!x)
		return NULL;
	x->number = m->n;
	x->parent = up;
	x->is_kept = at[OURS] || at[THEIRS];
	for (int w = 0; w < SIDES; w++) {
		x->at[w] = at[w];
		if (!at[w])
			continue;
		at[w]->node = x;
		x->is_ambiguous |= at[w]->is_ambiguous;
	}
	m->all[m->n++] = x;
	if (up)
		up->children[up->n++] = x;
	return x;
}

int merged_set_old_names(struct merge *m)
{
	for (size_t i = 0; i < m->n; i++) {
		struct merged *x = m->all[i];
		const struct item *is = x->at[OURS] ? x->at[OURS] : x->at[BASE];

		if (!is || !is->is_object)
			continue;
		x->old_name = strndup(is->name, (size_t)(is->ending - is->name));
		if (!x->old_name)
			return -ENOMEM;
	}
	return 0;
}

bool merged_is_referenced(const struct merge *m, const struct merged *x)
{
	for (const struct merge_reference *ref = m->how->references; ref && ref->key; ref++)
		if (strcmp(merged_item(x)->name, ref->dir) == 0)
			return true;
	return false;
}

int conflict_add(struct merge *m, struct merged *x, bool theirs, const char *why, ...)
{
	struct conflict c = {.x = x, .theirs = theirs};
	va_list ap;

	if (!array_room(m->conflicts, m->n_conflicts, m->room_conflicts))
		return -ENOMEM;
	va_start(ap, why);
	c.why = text_vprintf(why, ap);
	va_end(ap);
	if (!c.why)
		return -ENOMEM;
	m->conflicts[m->n_conflicts++] = c;
	return 0;
}

char *merged_path(const struct merged *x, bool later, const struct item *as)
{
	char *path = strdup("");

	for (; path && x->parent; x = x->parent, as = NULL) {
		const struct item *i = as ? as : merged_item(x), *from = x->at[merged_source(x)];
		const char *stem = later ? x->new_name : x->old_name;
		const char *slash = path[0] ? "/" : "";
		char *longer = i->is_object && stem
				       ? text_printf("%s%s%s%s", stem,
						 (from && !as ? from : i)->ending, slash, path)
				       : text_printf("%s%s%s", i->name, slash, path);

		free(path);
		path = longer;
	}
	return path;
}

void merged_finish(struct merge *m)
{
	for (size_t i = 0; i < m->n; i++) {
		struct merged *x = m->all[i];

		free(x->children);
		merged_drop_content(x);
		free(x->old_name);
		free(x->new_name);
		free(x->order);
		free(x);
	}
	free(m->all);
	for (size_t i = 0; i < m->n_conflicts; i++)
		free(m->conflicts[i].why);
	free(m->conflicts);
}
