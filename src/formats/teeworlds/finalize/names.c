/* SPDX-License-Identifier: Zlib */
/* names: store the names of made, moved or renamed objects in their items (layout rule 6). */
#include <errno.h>
#include <string.h>

#include "formats/teeworlds/finalize/finalize.h"
#include "formats/teeworlds/item/version.h"
#include "formats/teeworlds/model/fields.h"

/* Store the name in a blob, with a NUL. Keep the old blob if it holds this name. */
static int set_blob_name(
	struct finalizer *s, uint32_t item, uint32_t field, const struct tw_parsed_name *parsed)
{
	struct tw_map *m = s->result;
	struct tw_item *it = &m->items[item];
	struct blob *old = tw_get_blob(m, it, field);
	char text[NAME_MAX + 1];
	CLEANUP(blob_unref) struct blob *fresh = NULL;
	size_t got;

	if (old && old->size == parsed->n + 1 &&
		blob_prefix(old, text, parsed->n + 1, &got, NULL) == 0 && got == parsed->n + 1 &&
		memcmp(text, parsed->name, parsed->n) == 0 && text[parsed->n] == '\0')
		return 0;
	if (parsed->n == 0 && !old)
		return 0;
	if (it->ints->n <= field) {
		struct tw_ints *ints = tw_ints_copy(it->ints, field + 1, -1);

		if (!ints)
			return -ENOMEM;
		tw_item_replace_ints(it, ints);
	}
	/* tw_numbered_parse adds a NUL to the name. */
	fresh = blob_of_bytes(bytes_copy(parsed->name, parsed->n + 1), NULL);
	return fresh ? tw_map_set_data(m, item, field, fresh, &s->users) : -ENOMEM;
}

int finalize_set_name(struct tw_item *it, const struct tw_parsed_name *parsed)
{
	struct tw_name_place p;
	struct tw_ints *fresh;
	bool named;

	/* Layers of an unknown type have no name. */
	if (!tw_name_place(it, &p))
		return 0;
	named = tw_has_name(it, &p);
	if (!named && parsed->n == 0)
		return 0;
	fresh = named ? tw_ints_copy(it->ints, it->ints->n, 0) : tw_name_make_room(it, &p);
	if (!fresh)
		return -ENOMEM;
	for (unsigned i = 0; fresh->n >= p.at + p.n && i < 4 * p.n; i++) {
		uint32_t byte = i < parsed->n ? (uint8_t)parsed->name[i] : 0;
		int32_t *v = &fresh->v[p.at + i / 4];

		byte = i == 4 * p.n - 1 ? 0 : (byte + 128) & 0xff;
		*v = (int32_t)((uint32_t)*v << 8 | byte);
	}
	tw_item_replace_ints(it, fresh);
	return 0;
}

int finalize_name(struct finalizer *s, const struct tw_slot *slot, struct error *e)
{
	const struct placement *p = slot->placement;
	enum tw_sort sort = p ? tw_sort_of(p->id) : TW_SORTS;
	struct tw_item *it = &s->result->items[slot->final_item];
	struct tw_parsed_name parsed;
	int r;

	it->group = (uint16_t)slot->home_group;
	if (!p)
		return 0;
	it->placed_name = bytes_copy(p->name, strlen(p->name));
	if (!it->placed_name)
		return error_set(e, -ENOMEM, "out of memory");
	r = tw_numbered_parse(sort, p->name, tw_stem_length(sort, p->name, NULL), &parsed, e);
	if (r < 0)
		return r;
	if (sort == TW_SORT_IMAGE)
		r = set_blob_name(s, slot->final_item, TW_IMG_NAME, &parsed);
	else if (sort == TW_SORT_SOUND)
		r = set_blob_name(s, slot->final_item, TW_SND_NAME, &parsed);
	else
		r = finalize_set_name(it, &parsed);
	return r < 0 ? error_set(e, r, "out of memory") : 0;
}
