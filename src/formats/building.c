/* SPDX-License-Identifier: Zlib */
#include "formats/building.h"

#include <errno.h>
#include <string.h>

#include "base/array.h"

void building_refuse(struct building *b, size_t i, const struct error *why)
{
	struct built_entry *o = &b->out->entries[i];

	if (o->fate != BUILD_REFUSED)
		b->out->n_refused++;
	o->fate = BUILD_REFUSED;
	free(o->why);
	o->why = strdup(error_text(why));
}

int building_put(
	struct building *b, entry_id id, const struct extent *x, bool *ret_put, struct error *why)
{
	struct snapshot *next = NULL;
	int r = b->f->edit->put(b->now, id, x, &b->others, &next, NULL, why);

	*ret_put = next;
	if (next) {
		snapshot_unref(b->now);
		b->now = next;
	}
	return r;
}

int building_place(struct building *b, struct placement p)
{
	if (!array_room(b->placements, b->n_placements, b->room))
		return -ENOMEM;
	b->placements[b->n_placements++] = p;
	return 0;
}
