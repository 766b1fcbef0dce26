/* SPDX-License-Identifier: Zlib */
#include "formats/building.h"

#include <errno.h>
#include <string.h>

#include "base/array.h"

void building_refuse(struct building *b, size_t i, const struct error *why)
{
	struct build_output *o = &b->result->outputs[i];

	if (o->outcome != BUILD_REFUSED)
		b->result->n_refused++;
	o->outcome = BUILD_REFUSED;
	free(o->reason);
	o->reason = strdup(error_text(why));
}

int building_apply(struct building *b, entry_id id, const struct parsed *p, bool *ret_changed,
	struct error *why)
{
	*ret_changed = false;
	if (p && p->refusal_errno)
		return parsed_error(p, why);
	return b->format->edit->apply(&b->map, id, p, &b->context, b->previous, ret_changed, why);
}

int building_put(struct building *b, entry_id id, const struct extent *x, bool *ret_changed,
	struct error *why)
{
	CLEANUP(content_unref) struct content *c = content_new(x);
	CLEANUP(parsed_unref) struct parsed *p = NULL;
	int r = c ? b->format->edit->parse(b->map, id, c, &p, why)
		  : error_set(why, -ENOMEM, "out of memory");

	*ret_changed = false;
	return r < 0 ? r : building_apply(b, id, p, ret_changed, why);
}

int building_place(struct building *b, struct placement p)
{
	if (!array_reserve(b->placements, b->n_placements, b->room_placements))
		return -ENOMEM;
	b->placements[b->n_placements++] = p;
	b->context.placements = b->placements; /* they may have moved */
	return 0;
}
