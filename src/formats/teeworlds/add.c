/* SPDX-License-Identifier: Zlib */
/* add: objects made since the mount. They have a place in the model from then on, and nothing in it
 * until their content is put. */
#include <errno.h>

#include "formats/teeworlds/names.h"
#include "formats/teeworlds/place.h"
#include "formats/teeworlds/stems.h"
#include "formats/teeworlds/structure.h"

static int add_object(
	struct tw_map *m, enum tw_named what, const char *name, size_t n, uint32_t *ret_position)
{
	unsigned type = tw_named_type(what);
	uint32_t position = tw_count(m, type), item;
	int r = tw_map_add_item(m, (uint16_t)type, (uint16_t)position, tw_ints_new(0), &item);

	if (r < 0)
		return r;
	m->items[item].made = bytes_copy(name, n);
	if (!m->items[item].made)
		return -ENOMEM;
	*ret_position = position;
	return tw_map_reindex(m);
}

static entry_id object_id(enum tw_named what, uint32_t position, bool json)
{
	static const enum tw_kind_id kinds[TW_N_NAMED][2] = {
		[TW_N_IMAGES] = {TW_K_IMAGE_PNG, TW_K_IMAGE_JSON},
		[TW_N_SOUNDS] = {TW_K_SOUND_OPUS, TW_K_SOUND_JSON},
		[TW_N_ENVELOPES] = {TW_K_ENVELOPE, TW_K_ENVELOPE},
	};

	return tw_id(kinds[what][json], position, 0);
}

int tw_add(struct snapshot **s, entry_id dir, const char *name, bool is_dir, entry_id *ret,
	struct error *e)
{
	CLEANUP(snapshot_unref) struct snapshot *done = NULL;
	enum tw_named what = tw_objects_of(dir);
	int r = tw_names_need(tw_map_of(*s), e);
	uint32_t position = 0;
	bool json = false;
	struct tw_map *m;
	size_t n;

	if (r == 0)
		r = tw_classify(*s, dir, name, is_dir, e);
	if (r < 0)
		return r;
	if (r != FORMAT_OBJECT)
		return error_set(e, -EINVAL, "%s: the name means nothing here", name);
	m = tw_map_copy(tw_map_of(*s));
	if (!m)
		return error_set(e, -ENOMEM, "no memory for another version of the map");
	done = &m->base;
	n = tw_place_stem(what, name, &json);
	if (tw_count(m, tw_named_type(what)) > UINT16_MAX)
		return error_set(e, -ENOSPC, "the map has %u of them (at most 65536)",
			tw_count(m, tw_named_type(what)));
	r = add_object(m, what, name, n, &position);
	if (r < 0)
		return error_set(e, r, "no memory for another object");
	*ret = object_id(what, position, json);
	snapshot_unref(*s);
	*s = TAKE(done);
	return 0;
}
