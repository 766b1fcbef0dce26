/* SPDX-License-Identifier: Zlib */
/* Repairs of data items, ids, groups, images and texts. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "formats/teeworlds/model/fields.h"
#include "formats/teeworlds/model/store.h"
#include "tools/teeworlds/fix/fix.h"
#include "tools/teeworlds/whole/repair.h"

/* Declare that a data item has the n bytes of its stream. The game does not load an empty one, so
 * it becomes one NUL, as the writer makes of data without stored bytes. */
static bool set_length(struct tw_fixing *k, uint32_t blob, uint64_t n)
{
	CLEANUP(bytes_unref) struct bytes *nul = NULL;
	struct blob *fresh = NULL;

	if (n)
		fresh = blob_new(&k->m->blobs[blob]->stored, BLOB_ZLIB, n, k->m->shared->budget);
	else if ((nul = bytes_new(1, NULL)))
		(void)tw_store_bytes(k->m, nul, &fresh, NULL);
	tw_change_set_blob(k->change, blob, fresh);
	return fixing_done(k, "data item %" PRIu32 " has %" PRIu64 " byte%s now", blob, n ? n : 1,
		n > 1 ? "s" : "");
}

/* A sound stream tells its length, whatever size is declared. */
bool fix_data(struct tw_fixing *k, const struct tw_place *at)
{
	const struct blob *b = k->m->blobs[at->blob];
	uint64_t n = b->size;
	int r = b->coding == BLOB_ZLIB && !b->recipe ? inflate_length(&b->stored, &n, NULL) : 0;

	if (r < 0)
		return fixing_failed(k, r);
	return n != b->size && set_length(k, at->blob, n);
}

bool fix_empty_data(struct tw_fixing *k, const struct tw_place *at)
{
	uint64_t n;
	int r = inflate_length(&k->m->blobs[at->blob]->stored, &n, NULL);

	return r < 0 ? fixing_failed(k, r) : set_length(k, at->blob, n);
}

/* The first fault of a type repairs all its ids. */
bool fix_double_id(struct tw_fixing *k, const struct tw_place *at)
{
	const struct tw_item *it = &k->m->items[at->number];
	const struct tw_map *now = tw_change_map(k->change);

	if (now && now->items[at->number].id == it->id)
		tw_repair_ids(k->change, tw_type(k->m, it->type), NULL, NULL);
	return now && now->items[at->number].id != it->id && fixing_done(k, "an id");
}

/* Called after fix_double_id. */
bool fix_ids(struct tw_fixing *k, const struct tw_place *at)
{
	const struct tw_type *t = tw_type(k->m, at->number);
	struct tw_map *now = tw_change_map(k->change);

	for (uint32_t i = 0; now && i < t->n; i++)
		now->items[t->items[i]].id = (uint16_t)i;
	return fixing_done(k, "the ids");
}

/* A group without layers can begin anywhere. If it has some, nothing tells which ones. */
bool fix_group(struct tw_fixing *k, const struct tw_place *at)
{
	const struct tw_item *it = &k->m->items[at->number];
	struct tw_map *now = tw_change_map(k->change);
	int64_t start = 0;

	if (it->ints->v[TW_GROUP_COUNT] > 0 || !now)
		return false;
	it = tw_item_at(now, TW_GROUP, tw_position(k->m, at->number) - 1);
	if (it)
		start = (int64_t)tw_get_int(it, TW_GROUP_START, 0) +
			tw_get_int(it, TW_GROUP_COUNT, 0);
	if (start < 0 || start > tw_count(k->m, TW_LAYER))
		start = 0;
	tw_change_set_int(k->change, at->number, TW_GROUP_START, (int32_t)start);
	tw_change_set_int(k->change, at->number, TW_GROUP_COUNT, 0);
	return fixing_done(k, "it has no layers, from %d on", (int)start);
}

/* A side for which the other one gives all n pixels; 0 if there is none. */
static int32_t find_side(uint64_t n, int32_t other)
{
	return other > 0 && n % (uint64_t)other == 0 ? (int32_t)(n / (uint64_t)other) : 0;
}

/* One of the sides may be wrong, or the pixels may have three bytes, which no game reads. */
bool fix_image_size(struct tw_fixing *k, const struct tw_place *at)
{
	const int32_t *v = k->m->items[at->number].ints->v;
	struct blob *b = tw_get_blob(k->m, &k->m->items[at->number], TW_IMG_DATA);
	int32_t w = v[TW_IMG_WIDTH], h = v[TW_IMG_HEIGHT];
	int32_t other_w, other_h;

	if (!b || !b->size || b->size % 4 || blob_check(b, NULL) < 0)
		return false;
	if (w > 0 && h > 0 && b->size == 3 * (uint64_t)w * (uint64_t)h)
		return false;
	other_w = find_side(b->size / 4, h);
	other_h = find_side(b->size / 4, w);
	if (!other_w == !other_h)
		return false;
	tw_change_set_int(k->change, at->number, TW_IMG_WIDTH, other_w ? other_w : w);
	tw_change_set_int(k->change, at->number, TW_IMG_HEIGHT, other_h ? other_h : h);
	return fixing_done(
		k, "its size is %d x %d now", other_w ? other_w : w, other_h ? other_h : h);
}

bool fix_settings_end(struct tw_fixing *k, const struct tw_place *)
{
	const struct tw_item *it = tw_item_at(k->m, TW_INFO, 0);
	CLEANUP(bytes_unref) struct bytes *text = NULL, *ended = NULL;
	struct blob *fresh = NULL;
	uint8_t *dst;
	int r = blob_load(tw_get_blob(k->m, it, TW_INFO_SETTINGS), &text, NULL);

	if (r == 0 && (ended = bytes_new(text->size + 1, &dst))) {
		memcpy(dst, text->data, text->size);
		r = tw_store_bytes(k->m, ended, &fresh, NULL);
	}
	if (!fresh)
		return fixing_failed(k, r < 0 ? r : -ENOMEM);
	tw_change_set_data(k->change, (uint32_t)(it - k->m->items), TW_INFO_SETTINGS, fresh);
	return fixing_done(k, "ended the last setting");
}
