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

int building_apply(
	struct building *b, entry_id id, const struct parsed *p, bool *ret_put, struct error *why)
{
	*ret_put = false;
	if (p && p->refused)
		return parsed_error(p, why);
	return b->f->edit->apply(&b->now, id, p, &b->others, b->like, ret_put, why);
}

int building_put(
	struct building *b, entry_id id, const struct extent *x, bool *ret_put, struct error *why)
{
	CLEANUP(content_unref) struct content *c = content_new(x);
	CLEANUP(parsed_unref) struct parsed *p = NULL;
	int r = c ? b->f->edit->parse(b->now, id, c, &p, why)
		  : error_set(why, -ENOMEM, "no memory for a file");

	*ret_put = false;
	return r < 0 ? r : building_apply(b, id, p, ret_put, why);
}

int building_place(struct building *b, struct placement p)
{
	if (!array_room(b->placements, b->n_placements, b->room))
		return -ENOMEM;
	b->placements[b->n_placements++] = p;
	return 0;
}
