/* SPDX-License-Identifier: Zlib */
/* What differs from the base, as a build takes it. */
#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/name.h"
#include "vfs/overlay/overlay.h"

struct listing {
	struct build_input *all;
	struct oentry **uppers;
	size_t n, room, room_uppers;
};

static void describe(const struct overlay *o, const struct oentry *u, struct build_input *t)
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

/* What is still to be listed, the next one last. */
struct pending {
	struct next {
		struct oentry *u;
		uint32_t up;
	} * all;
	size_t n, room;
};

static int by_name(const void *a, const void *b)
{
	const struct next *x = a, *y = b;

	return name_compare(y->u->name, x->u->name);
}

static int add_pending(struct pending *p, struct oentry *u, uint32_t up)
{
	if (!array_room(p->all, p->n, p->room))
		return -ENOMEM;
	p->all[p->n++] = (struct next){u, up};
	return 0;
}

/* What is in a directory, sorted, the first name last. */
static int add_below(struct pending *p, struct oentry *dir, uint32_t up)
{
	size_t first = p->n;
	struct oentry *u;
	int r = 0;

	TAILQ_FOREACH (u, &dir->children, siblings) {
		if (oentry_differs(u) || !TAILQ_EMPTY(&u->children))
			r = add_pending(p, u, up);
		if (r < 0)
			return r;
	}
	if (p->n > first)
		qsort(p->all + first, p->n - first, sizeof(*p->all), by_name);
	return 0;
}

static int add_next(const struct overlay *o, struct listing *l, struct pending *p)
{
	struct next next = p->all[--p->n];

	if (!array_room(l->all, l->n, l->room) || !array_room(l->uppers, l->n, l->room_uppers))
		return -ENOMEM;
	l->all[l->n].parent = next.up;
	l->uppers[l->n] = next.u;
	describe(o, next.u, &l->all[l->n]);
	return add_below(p, next.u, (uint32_t)l->n++);
}

int overlay_tree(const struct overlay *o, struct build_input **ret, struct oentry ***ret_uppers,
	size_t *ret_n)
{
	struct pending p = {0};
	struct listing l = {0};
	int r = add_pending(&p, o->root, 0);

	while (r == 0 && p.n)
		r = add_next(o, &l, &p);
	free(p.all);
	if (r < 0) {
		free(l.all);
		free(l.uppers);
		return r;
	}
	*ret = l.all;
	*ret_n = l.n;
	if (ret_uppers)
		*ret_uppers = l.uppers;
	else
		free(l.uppers);
	return 0;
}
