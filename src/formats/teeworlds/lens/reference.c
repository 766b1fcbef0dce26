/* SPDX-License-Identifier: Zlib */
/* reference: references to objects, by the stem of their files (layout rules 20, 21). */
#include <errno.h>
#include <string.h>

#include "formats/teeworlds/lens/record.h"
#include "formats/teeworlds/names/reference.h"

static const struct {
	enum tw_sort sort;
	int channels; /* number that an envelope must have; else 0 */
} targets[] = {
	[TW_REF_IMAGE] = {TW_SORT_IMAGE, 0},
	[TW_REF_SOUND] = {TW_SORT_SOUND, 0},
	[TW_REF_POSITION_ENVELOPE] = {TW_SORT_ENVELOPE, 3},
	[TW_REF_COLOR_ENVELOPE] = {TW_SORT_ENVELOPE, 4},
	[TW_REF_SOUND_ENVELOPE] = {TW_SORT_ENVELOPE, 1},
};

static const char *target_noun(enum tw_refers ref)
{
	return tw_sorts[targets[ref].sort].noun;
}

void tw_ref_write(struct jsonw *w, const struct tw_map *m, enum tw_refers ref, int32_t value)
{
	char stem[NAME_MAX + 1];
	size_t n = value == -1 ? 0 : tw_ref_stem(m, targets[ref].sort, value, stem);

	if (value == -1)
		jsonw_null(w);
	else if (n)
		jsonw_string(w, stem, n);
	else
		jsonw_int(w, value);
}

/* Is this the stem that a file shows for the value? Then it keeps its meaning in that file. */
static bool is_current_stem(
	const struct tw_map *m, enum tw_refers ref, int32_t value, const char *stem, size_t n)
{
	char shown[NAME_MAX + 1];

	return tw_ref_stem(m, targets[ref].sort, value, shown) == n && memcmp(shown, stem, n) == 0;
}

static int refuse_ambiguous(const struct json_at *at, const struct tw_naming *names,
	enum tw_refers ref, const char *stem, size_t n, struct error *e)
{
	char list[TW_REF_LIST_MAX];

	tw_ref_list(names, targets[ref].sort, stem, n, list);
	return error_set_unresolved(
		e, json_refuse(at, e, "several %ss have this name: %s", target_noun(ref), list));
}

int tw_ref_resolve(const struct tw_naming *names, enum tw_refers ref, const char *stem,
	int32_t *ret, struct error *e)
{
	enum tw_sort sort = targets[ref].sort;
	char list[TW_REF_LIST_MAX];
	int r = tw_ref_find(names, sort, stem, strlen(stem), targets[ref].channels, ret);

	if (r == -ENOENT)
		return error_set(e, -EINVAL, "the map has no such %s", target_noun(ref));
	if (r == 0)
		return 0;
	tw_ref_list(names, sort, stem, strlen(stem), list);
	return error_set(e, -EINVAL, "several %ss have this name: %s", target_noun(ref), list);
}

int tw_ref_read(const struct json_at *at, const struct tw_naming *names, enum tw_refers ref,
	int32_t *ret, struct error *e)
{
	const char *stem;
	size_t n;
	int r;

	if (json_holds_null(at)) {
		*ret = -1;
		return 0;
	}
	if (json_holds_int(at))
		return json_as_int(at, ret, e);
	if (json_as_string(at, &stem, &n, NULL) < 0)
		return json_refuse(
			at, e, "must be the name of one %s, null or an integer", target_noun(ref));
	if (is_current_stem(names->m, ref, *ret, stem, n))
		return 0;
	if (names->ret_unknown) {
		*names->ret_unknown = true;
		return 0;
	}
	r = tw_ref_find(names, targets[ref].sort, stem, n, targets[ref].channels, ret);
	if (r == -ENOENT)
		return error_set_unresolved(
			e, json_refuse(at, e, "the map has no such %s", target_noun(ref)));
	return r < 0 ? refuse_ambiguous(at, names, ref, stem, n, e) : 0;
}
