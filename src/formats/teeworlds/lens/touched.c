/* SPDX-License-Identifier: Zlib */
#include "base/array.h"
#include "formats/teeworlds/lens/lens.h"

void touched_add(struct touched *t, entry_id id)
{
	enum { MOST = 4096 };

	if (t->n < MOST && array_reserve(t->ids, t->n, t->room))
		t->ids[t->n++] = id;
	else
		t->is_all = true;
}

void touched_finish(struct touched *t)
{
	free(t->ids);
}
