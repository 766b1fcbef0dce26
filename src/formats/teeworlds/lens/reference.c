/* SPDX-License-Identifier: Zlib */
/* reference: items that name others, by the stem of their files (layout rules 20, 21). */
#include <errno.h>

#include "formats/teeworlds/names/name_map.h"
#include "formats/teeworlds/lens/record.h"
#include "formats/teeworlds/names/reference.h"

static const struct {
	const char *what;
	enum tw_named named;
	int channels; /* of an envelope that fits */
} targets[] = {
	[TW_REF_IMAGE] = {"image", TW_N_IMAGES, 0},
	[TW_REF_SOUND] = {"sound", TW_N_SOUNDS, 0},
	[TW_REF_POSITION_ENVELOPE] = {"envelope", TW_N_ENVELOPES, 3},
	[TW_REF_COLOR_ENVELOPE] = {"envelope", TW_N_ENVELOPES, 4},
	[TW_REF_SOUND_ENVELOPE] = {"envelope", TW_N_ENVELOPES, 1},
};

void tw_ref_write(struct jsonw *w, const struct tw_map *m, enum tw_refers ref, int32_t value)
{
	char stem[NAME_MAX + 1];
	size_t n = value == -1 ? 0 : tw_ref_stem(m, targets[ref].named, value, stem);

	if (value == -1)
		jsonw_null(w);
	else if (n)
		jsonw_string(w, stem, n);
	else
		jsonw_int(w, value);
}

int tw_ref_read(const struct json_at *at, const struct tw_map *m, enum tw_refers ref, bool is_new,
	int32_t *ret, struct error *e)
{
	const char *stem;
	size_t n;
	int r;

	if (json_holds_null(at)) {
		*ret = -1;
		return 0;
	}
	if (json_holds_int(at)) {
		r = json_as_int(at, ret, e);
		if (r == 0 && m->legend)
			*ret = tw_legend_number(m, targets[ref].named, *ret);
		return r;
	}
	if (json_as_string(at, &stem, &n, NULL) < 0)
		return json_refuse(
			at, e, "must be the name of an %s, null or an integer", targets[ref].what);
	r = tw_ref_find(m, targets[ref].named, stem, n, is_new, targets[ref].channels, ret);
	if (r == -ENOENT)
		return json_refuse(at, e, "names no %s of the map", targets[ref].what);
	if (r < 0)
		return error_set(e, r, "there is no %s \"%s\" yet", targets[ref].what, stem);
	return 0;
}
