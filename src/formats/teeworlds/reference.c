/* SPDX-License-Identifier: Zlib */
/* reference: items that name others, by the stem of their files (layout rules 20, 21). */
#include <errno.h>

#include "formats/teeworlds/record.h"

static const struct {
	const char *what;
	enum tw_named named;
	enum tw_item_type type;
} targets[] = {
	[TW_REF_IMAGE] = {"image", TW_N_IMAGES, TW_IMAGE},
	[TW_REF_SOUND] = {"sound", TW_N_SOUNDS, TW_SOUND},
	[TW_REF_ENVELOPE] = {"envelope", TW_N_ENVELOPES, TW_ENVELOPE},
};

void tw_ref_write(struct jsonw *w, const struct tw_map *m, enum tw_refers ref, int32_t position)
{
	enum tw_named named = targets[ref].named;
	char stem[NAME_MAX + 1];

	if (position == -1)
		jsonw_null(w);
	else if (position < 0 || (uint32_t)position >= tw_names(m, named)->n)
		jsonw_int(w, position);
	else
		jsonw_string(w, stem, tw_stem(m, named, (uint32_t)position, stem));
}

int tw_ref_read(const struct json_at *at, const struct tw_map *m, enum tw_refers ref, int32_t *ret,
	struct error *e)
{
	const char *stem;
	uint32_t position;
	size_t n;

	if (json_holds_null(at)) {
		*ret = -1;
		return 0;
	}
	if (json_holds_int(at))
		return json_as_int(at, ret, e);
	if (json_as_string(at, &stem, &n, NULL) < 0)
		return json_refuse(at, e, "must be the name of an %s, null or an integer",
			targets[ref].what);
	if (tw_stem_find(m, targets[ref].named, stem, n, &position) < 0)
		return json_refuse(at, e, "names no %s of the map", targets[ref].what);
	*ret = (int32_t)position;
	return 0;
}
