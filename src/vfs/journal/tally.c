/* SPDX-License-Identifier: Zlib */
#include "vfs/journal/tally.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* The effect of an operation on one path. */
enum effect { CHANGED, REFUSED, REFUSAL_DROPPED, MOVED_AWAY };

struct tally_event {
	char *path;
	size_t number; /* position in the journal */
	enum effect effect;
};

static int add_event(struct journal_tally *t, const char *path, enum effect effect)
{
	char *copy = strdup(path);

	if (!copy || !array_reserve(t->events, t->n, t->room)) {
		free(copy);
		return -ENOMEM;
	}
	t->events[t->n] = (struct tally_event){copy, t->n, effect};
	t->n++;
	return 0;
}

int journal_tally_add(struct journal_tally *t, const struct journal_op *op)
{
	int r;

	switch (op->type) {
	case JOURNAL_DRAFT:
		return add_event(t, op->path, REFUSED);
	case JOURNAL_DROP:
		return add_event(t, op->path, REFUSAL_DROPPED);
	case JOURNAL_RENAME:
		r = add_event(t, op->path, MOVED_AWAY);
		return r == 0 ? add_event(t, op->to, CHANGED) : r;
	default:
		return add_event(t, op->path, CHANGED);
	}
}

static int compare_events(const void *pa, const void *pb)
{
	const struct tally_event *a = pa, *b = pb;

	return strcmp(a->path, b->path) ?: array_compare(a->number, b->number);
}

void journal_tally_count(struct journal_tally *t, unsigned *ret_changes, unsigned *ret_drafts)
{
	bool is_changed = false, is_refused = false;

	*ret_changes = *ret_drafts = 0;
	if (t->n)
		qsort(t->events, t->n, sizeof(*t->events), compare_events);
	for (size_t i = 0; i < t->n; i++) {
		const struct tally_event *e = &t->events[i];

		is_refused = e->effect == REFUSED;
		is_changed = e->effect == CHANGED || (is_changed && e->effect != MOVED_AWAY);
		if (i + 1 < t->n && strcmp(e->path, e[1].path) == 0)
			continue;
		*ret_drafts += is_refused;
		*ret_changes += is_changed && !is_refused;
		is_changed = is_refused = false;
	}
}

void journal_tally_finish(struct journal_tally *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->events[i].path);
	free(t->events);
}
