/* SPDX-License-Identifier: Zlib */
/* The differences of an overlay from its base, as build input. */
#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/name.h"
#include "vfs/overlay/overlay.h"

struct listing {
	struct build_input *inputs;
	struct oentry **oentries;
	size_t n, room, room_oentries;
};

static void describe_oentry(const struct overlay *o, const struct oentry *u, struct build_input *t)
{
	struct file_attr en;

	*t = (struct build_input){
		.parent = t->parent,
		.name = u->name ? u->name : "",
		.is_dir = u->is_dir,
		.is_removed = u->is_whiteout,
		.origin = u->origin,
		.hidden = ENTRY_NONE,
		.bytes = u->has_content ? &u->bytes : NULL,
		.accepted = u->accepted.mem || u->accepted.file ? &u->accepted : NULL,
		.parsed = u->parsed,
		.accepted_parsed = u->accepted_parsed,
		.is_refused = u->refusal,
		.has_mtime = u->has_mtime,
		.mtime = u->mtime,
	};
	if (u->parent && !u->is_whiteout && oentry_lookup_base(o, u->parent, u->name, &en) == 0 &&
		entry_object(en.id) != entry_object(u->origin))
		t->hidden = en.id;
}

/* Stack of entries that are not listed yet. */
struct pending {
	struct next {
		struct oentry *u;
		uint32_t parent;
	} * entries;
	size_t n, room;
};

static int by_name(const void *a, const void *b)
{
	const struct next *x = a, *y = b;

	return name_compare(y->u->name, x->u->name);
}

static int add_pending(struct pending *p, struct oentry *u, uint32_t parent)
{
	if (!array_reserve(p->entries, p->n, p->room))
		return -ENOMEM;
	p->entries[p->n++] = (struct next){u, parent};
	return 0;
}

/* Push the children of a directory, sorted so that the first name is on top. */
static int add_children(struct pending *p, struct oentry *dir, uint32_t parent)
{
	size_t first = p->n;
	struct oentry *u;
	int r = 0;

	TAILQ_FOREACH (u, &dir->children, siblings) {
		if (oentry_differs(u) || !TAILQ_EMPTY(&u->children))
			r = add_pending(p, u, parent);
		if (r < 0)
			return r;
	}
	if (p->n > first)
		qsort(p->entries + first, p->n - first, sizeof(*p->entries), by_name);
	return 0;
}

static int add_next(const struct overlay *o, struct listing *l, struct pending *p)
{
	struct next next = p->entries[--p->n];

	if (!array_reserve(l->inputs, l->n, l->room) ||
		!array_reserve(l->oentries, l->n, l->room_oentries))
		return -ENOMEM;
	l->inputs[l->n].parent = next.parent;
	l->oentries[l->n] = next.u;
	describe_oentry(o, next.u, &l->inputs[l->n]);
	return add_children(p, next.u, (uint32_t)l->n++);
}

int overlay_list_inputs(const struct overlay *o, struct build_input **ret,
	struct oentry ***ret_oentries, size_t *ret_n)
{
	struct pending p = {0};
	struct listing l = {0};
	int r = add_pending(&p, o->root, 0);

	while (r == 0 && p.n)
		r = add_next(o, &l, &p);
	free(p.entries);
	if (r < 0) {
		free(l.inputs);
		free(l.oentries);
		return r;
	}
	*ret = l.inputs;
	*ret_n = l.n;
	if (ret_oentries)
		*ret_oentries = l.oentries;
	else
		free(l.oentries);
	return 0;
}
