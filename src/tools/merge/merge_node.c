/* SPDX-License-Identifier: Zlib */
#include "tools/merge/merge_node.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/buffer.h"

struct merge_node *merged_new(
	struct merge *m, struct merge_node *parent, struct merge_item *const at[SIDES])
{
	struct merge_node *x;

	if (!array_reserve(m->nodes, m->n, m->room) ||
		(parent && !array_reserve(parent->children, parent->n, parent->room)))
		return NULL;
	x = calloc(1, sizeof(*x));
	if (!x)
		return NULL;
	x->number = m->n;
	x->parent = parent;
	x->is_kept = at[OURS] || at[THEIRS];
	for (int w = 0; w < SIDES; w++) {
		x->items[w] = at[w];
		if (!at[w])
			continue;
		at[w]->node = x;
		x->is_ambiguous |= at[w]->is_ambiguous;
	}
	m->nodes[m->n++] = x;
	if (parent)
		parent->children[parent->n++] = x;
	return x;
}

int merged_set_old_names(struct merge *m)
{
	for (size_t i = 0; i < m->n; i++) {
		struct merge_node *x = m->nodes[i];
		const struct merge_item *is = x->items[OURS] ? x->items[OURS] : x->items[BASE];

		if (!is || !is->is_object)
			continue;
		x->old_name = strndup(is->name, (size_t)(is->ending - is->name));
		if (!x->old_name)
			return -ENOMEM;
	}
	return 0;
}

bool merged_is_referenced(const struct merge *m, const struct merge_node *x)
{
	for (const struct merge_reference *ref = m->schema->references; ref && ref->key; ref++)
		if (strcmp(merged_item(x)->name, ref->dir) == 0)
			return true;
	return false;
}

int conflict_add(struct merge *m, struct merge_node *x, bool copies_theirs, const char *why, ...)
{
	struct conflict c = {.node = x, .copies_theirs = copies_theirs};
	va_list ap;

	if (!array_reserve(m->conflicts, m->n_conflicts, m->room_conflicts))
		return -ENOMEM;
	va_start(ap, why);
	c.reason = text_vprintf(why, ap);
	va_end(ap);
	if (!c.reason)
		return -ENOMEM;
	m->conflicts[m->n_conflicts++] = c;
	return 0;
}

int conflict_removed(struct merge *m, struct merge_node *x, enum which from)
{
	return conflict_add(m, x, false,
		from == OURS ? "changed by ours and removed by theirs (not removed)"
			     : "removed by ours and changed by theirs (restored)");
}

char *merged_path(const struct merge_node *x, bool new_names, const struct merge_item *as)
{
	char *path = strdup("");

	for (; path && x->parent; x = x->parent, as = NULL) {
		const struct merge_item *i = as ? as : merged_item(x),
					*from = x->items[merged_source(x)];
		const char *stem = new_names ? x->new_name : x->old_name;
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
		struct merge_node *x = m->nodes[i];

		free(x->children);
		merged_drop_content(x);
		free(x->old_name);
		free(x->new_name);
		free(x->order);
		free(x);
	}
	free(m->nodes);
	for (size_t i = 0; i < m->n_conflicts; i++)
		free(m->conflicts[i].reason);
	free(m->conflicts);
}
