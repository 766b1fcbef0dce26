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

bool building_passes(int r)
{
	return r < 0 && r != -EINVAL && r != -EAGAIN && r != -EFBIG && r != -ENOENT && r != -EIO &&
	       r != -EROFS;
}

int building_put(
	struct building *b, entry_id id, const struct extent *x, bool *ret_put, struct error *why)
{
	CLEANUP(change_free) struct change *c = NULL;
	int parsed = b->f->edit->parse(b->now, id, x, &b->others, &c, why), r = 0;

	*ret_put = c && (parsed == 0 || parsed == -EAGAIN);
	if (*ret_put)
		r = b->f->edit->apply(&b->now, c, NULL, why);
	return r < 0 ? r : parsed;
}

int building_place(struct building *b, struct placement p)
{
	if (!array_room(b->placements, b->n_placements, b->room))
		return -ENOMEM;
	b->placements[b->n_placements++] = p;
	return 0;
}
