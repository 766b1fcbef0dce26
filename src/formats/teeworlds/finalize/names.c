/* SPDX-License-Identifier: Zlib */
/* names: the names of paths that were made or renamed, as items store them (layout rule 6).
 */
#include <errno.h>
#include <string.h>

#include "formats/teeworlds/finalize/finalize.h"
#include "formats/teeworlds/item/version.h"
#include "formats/teeworlds/model/fields.h"

enum { SHORT_NAME = 3, LONG_NAME = 8 /* integers */ };

static struct tw_ints *copy(const struct tw_item *it)
{
	return tw_ints_copy(it->ints, it->ints->n, 0);
}

/* The name as a data item, ended by NUL. What stands there already stays. */
static int blob_name(
	struct finalizing *s, uint32_t item, uint32_t field, const struct tw_numbered *parsed)
{
	struct tw_map *m = s->to;
	struct tw_item *it = &m->items[item];
	struct blob *old = tw_blob_of(m, it, field);
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
		tw_item_ints(it, ints);
	}
	/* NUL-ended by tw_numbered_parse. */
	fresh = blob_of_bytes(bytes_copy(parsed->name, parsed->n + 1), NULL);
	return fresh ? tw_map_set_data(m, item, field, fresh, &s->users) : -ENOMEM;
}

void finalize_write_name(const struct tw_numbered *parsed, int32_t *v, unsigned n)
{
	for (unsigned i = 0; i < 4 * n; i++) {
		uint32_t byte = i < parsed->n ? (uint8_t)parsed->name[i] : 0;

		byte = i == 4 * n - 1 ? 0 : (byte + 128) & 0xff;
		v[i / 4] = (int32_t)((uint32_t)v[i / 4] << 8 | byte);
	}
}

/* The item with the name in n integers from `at`; fresh (taken) has room for it. */
static int ints_name(struct tw_item *it, struct tw_ints *fresh, uint32_t at, unsigned n,
	const struct tw_numbered *parsed)
{
	int32_t name[8] = {0};

	if (!fresh)
		return -ENOMEM;
	finalize_write_name(parsed, name, n);
	if (fresh->n >= at + n)
		memcpy(fresh->v + at, name, n * sizeof(name[0]));
	tw_item_ints(it, fresh);
	return 0;
}

static int group_name(struct tw_item *it, const struct tw_numbered *parsed)
{
	bool named = tw_int(it, 0, 0) >= 3 && it->ints->n >= TW_GROUP_NAME + SHORT_NAME;

	if (!named && parsed->n == 0)
		return 0;
	return ints_name(
		it, named ? copy(it) : tw_group_to(it->ints, 3), TW_GROUP_NAME, SHORT_NAME, parsed);
}

static int envelope_name(struct tw_item *it, const struct tw_numbered *parsed)
{
	bool named = it->ints->n >= TW_ENV_NAME + LONG_NAME;

	if (!named && parsed->n == 0)
		return 0;
	return ints_name(it, named ? copy(it) : tw_ints_copy(it->ints, TW_ENV_NAME + LONG_NAME, 0),
		TW_ENV_NAME, LONG_NAME, parsed);
}

static int layer_name(struct tw_item *it, const struct tw_numbered *parsed)
{
	bool tiles = tw_is_tiles(it);
	uint32_t at = tiles ? TW_TILES_MIN : TW_LIST_NAME;
	int32_t type = tw_int(it, TW_LAYER_TYPE, -1), version = tw_int(it, TW_LAYER_VERSION, 0);
	bool list =
		it->ints->n >= TW_LIST_MIN &&
		(type == TW_LAYER_QUADS || type == TW_LAYER_SOUNDS || type == TW_LAYER_OLD_SOUNDS);
	bool named = it->ints->n >= at + SHORT_NAME &&
		     version >= (tiles                           ? 3
					: type == TW_LAYER_QUADS ? 2
								 : INT32_MIN);

	/* Layers of an unknown type have no name. */
	if ((!tiles && !list) || (!named && parsed->n == 0))
		return 0;
	return ints_name(it,
		named ? copy(it)
		      : tw_layer_to(it->ints, tiles && version < 3 ? 3
					      : version < 2        ? 2
								   : version),
		at, SHORT_NAME, parsed);
}

int finalize_name(struct finalizing *s, const struct tw_slot *slot, struct error *e)
{
	const struct placement *p = slot->placed;
	enum tw_sort sort = p ? tw_sort_of(p->id) : TW_SORTS;
	struct tw_item *it = &s->to->items[slot->own];
	struct tw_numbered parsed;
	int r;

	it->group = (uint16_t)slot->home;
	if (!p)
		return 0;
	it->placed = bytes_copy(p->name, strlen(p->name));
	if (!it->placed)
		return error_set(e, -ENOMEM, "no memory for the name of %s", p->name);
	r = tw_numbered_parse(sort, p->name, tw_stem_length(sort, p->name, NULL), &parsed, e);
	if (r < 0)
		return r;
	if (sort == TW_SORT_IMAGE)
		r = blob_name(s, slot->own, TW_IMG_NAME, &parsed);
	else if (sort == TW_SORT_SOUND)
		r = blob_name(s, slot->own, TW_SND_NAME, &parsed);
	else if (sort == TW_SORT_ENVELOPE)
		r = envelope_name(it, &parsed);
	else if (sort == TW_SORT_GROUP)
		r = group_name(it, &parsed);
	else
		r = layer_name(it, &parsed);
	return r < 0 ? error_set(e, r, "no memory for the name of %s", p->name) : 0;
}
