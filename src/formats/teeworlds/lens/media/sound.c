/* SPDX-License-Identifier: Zlib */
/* sound: an embedded sound as an Opus file (layout rule 11). */
#include <errno.h>

#include "codec/blob_equal.h"
#include "formats/teeworlds/item/media.h"
#include "formats/teeworlds/lens/kinds.h"
#include "formats/teeworlds/lens/parsed.h"
#include "formats/teeworlds/model/fields.h"
#include "formats/teeworlds/model/store.h"

static const struct tw_item *find_item(const struct tw_map *m, entry_id id)
{
	return tw_item_at(m, TW_SOUND, tw_id_index(id));
}

static int find_data(const struct tw_map *m, entry_id id, struct blob **ret, struct error *e)
{
	const struct tw_item *it = find_item(m, id);

	if (!it)
		return error_set(e, -ENOENT, "no such sound");
	if (!tw_sound_is_opus(m, it))
		return error_set(e, -ENODATA, "the sound is not in the map as data");
	*ret = tw_get_blob(m, it, TW_SND_DATA);
	return 0;
}

static int sound_stat(const struct tw_map *m, entry_id id, struct file_attr *ret, struct error *e)
{
	struct blob *b;
	int r = find_data(m, id, &b, e);

	if (r == 0)
		tw_stat_file(ret, b->size, true);
	return r;
}

static int sound_get(
	const struct tw_map *m, entry_id id, uint64_t off, void *dst, size_t n, struct error *e)
{
	struct blob *b;
	int r = find_data(m, id, &b, e);

	return r < 0 ? r : blob_read(b, off, dst, n, e);
}

static int check_opus(const struct extent *in, struct error *e)
{
	uint8_t head[TW_OPUS_HEAD] = {0};
	int r = extent_read(
		in, 0, head, in->size < sizeof(head) ? (size_t)in->size : sizeof(head), e);

	return r < 0 ? r : tw_opus_check(head, e);
}

static int sound_parse(const struct tw_map *m, entry_id id, struct content *in, struct parsed **ret,
	struct error *e)
{
	const struct tw_item *it = find_item(m, id);
	CLEANUP(blob_unref) struct blob *fresh = NULL;
	struct blob *b = NULL;
	bool same = false;
	int r = 0;

	if (!it)
		return error_set(e, -ENOENT, "no such sound");
	if (tw_sound_is_opus(m, it))
		b = tw_get_blob(m, it, TW_SND_DATA);
	/* An unreadable sound may be replaced. */
	if (b && blob_equals_extent(b, &in->bytes, &same, NULL) < 0)
		same = false;
	if (same)
		fresh = blob_ref(b);
	else
		r = check_opus(&in->bytes, e);
	if (r == 0 && !same)
		r = tw_compose_content(m, in, &fresh, e);
	return r < 0 ? r : tw_parsed_blob(in, same, TAKE(fresh), ret, e);
}

static int sound_apply(struct tw_change *c, entry_id id, const struct parsed *p, struct error *e)
{
	const struct tw_map *m = c->base;
	struct blob *fresh = tw_blob_of_parsed(p);
	const struct tw_item *it = find_item(m, id);
	uint32_t item;

	if (!it)
		return error_set(e, -ENOENT, "no such sound");
	item = (uint32_t)(it - m->items);
	if (!tw_sound_is_opus(m, it))
		tw_change_set_ints(c, item, tw_new_sound_ints(it, 0, (int32_t)fresh->size));
	else if (it->ints->n > TW_SND_SIZE && tw_get_blob(m, it, TW_SND_DATA) != fresh)
		tw_change_set_int(c, item, TW_SND_SIZE, (int32_t)fresh->size);
	tw_change_set_data(c, item, TW_SND_DATA, blob_ref(fresh));
	return 0;
}

const struct tw_kind tw_kind_sound_opus = {
	.label = "sound.opus",
	.stat = sound_stat,
	.get = sound_get,
	.parse = sound_parse,
	.apply = sound_apply,
};
