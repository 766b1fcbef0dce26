/* SPDX-License-Identifier: Zlib */
/* settle_names: the names of paths that were made or renamed, as items store them (layout rule 6). */
#include <errno.h>
#include <string.h>

#include "formats/teeworlds/fields.h"
#include "formats/teeworlds/settle.h"

/* The name as a data item, ended by NUL. What stands there already stays. */
static int blob_name(struct tw_map *m, uint32_t item, uint32_t field, const struct tw_place *place)
{
	struct tw_item *it = &m->items[item];
	struct blob *old = tw_blob_of(m, it, field);
	char text[NAME_MAX + 1];
	CLEANUP(blob_unref) struct blob *fresh = NULL;
	size_t got;

	if (old && old->size == place->n + 1 &&
		blob_prefix(old, text, place->n + 1, &got, NULL) == 0 && got == place->n + 1 &&
		memcmp(text, place->name, place->n) == 0 && text[place->n] == '\0')
		return 0;
	if (place->n == 0 && !old)
		return 0;
	if (it->ints->n <= field) {
		struct tw_ints *ints = tw_ints_copy(it->ints, field + 1, -1);

		if (!ints)
			return -ENOMEM;
		tw_ints_unref(it->ints);
		it->ints = ints;
	}
	/* NUL-ended by tw_place_parse. */
	fresh = blob_of_bytes(bytes_copy(place->name, place->n + 1), NULL);
	return fresh ? tw_map_set_data(m, item, field, fresh) : -ENOMEM;
}

int settle_name(struct settling *s, const struct tw_seat *seat, struct error *e)
{
	const struct placement *p = seat->placed;
	enum tw_named what = p ? tw_object_named(p->id) : TW_N_NAMED;
	struct tw_place place;
	int r;

	if (!p)
		return 0;
	r = tw_place_parse(what, p->name, tw_place_stem(what, p->name, NULL), &place, e);
	if (r < 0)
		return r;
	if (what == TW_N_IMAGES)
		r = blob_name(s->to, seat->item, TW_IMG_NAME, &place);
	else if (what == TW_N_SOUNDS)
		r = blob_name(s->to, seat->item, TW_SND_NAME, &place);
	return r < 0 ? error_set(e, r, "no memory for the name of %s", p->name) : 0;
}
