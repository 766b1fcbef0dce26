/* SPDX-License-Identifier: Zlib */
#include "formats/teeworlds/names/parse.h"

#include <errno.h>
#include <string.h>

#include "codec/text.h"

/* Bytes of a name: DDNet's game/editor/mapitems (layer.h, layer_group.h, envelope.h, image.h). */
static const size_t name_max[TW_N_NAMED] = {
	[TW_N_IMAGES] = 127,
	[TW_N_SOUNDS] = 127,
	[TW_N_ENVELOPES] = 31,
	[TW_N_GROUPS] = 11,
	[TW_N_LAYERS] = 11,
};

enum tw_named tw_objects_of(entry_id dir)
{
	switch (tw_id_kind(dir)) {
	case TW_K_IMAGES:
		return TW_N_IMAGES;
	case TW_K_SOUNDS:
		return TW_N_SOUNDS;
	case TW_K_ENVELOPES:
		return TW_N_ENVELOPES;
	case TW_K_GROUPS:
		return TW_N_GROUPS;
	case TW_K_LAYERS:
		return TW_N_LAYERS;
	default:
		return TW_N_NAMED;
	}
}

enum tw_named tw_object_named(entry_id id)
{
	switch (tw_id_kind(id)) {
	case TW_K_IMAGE_PNG:
	case TW_K_IMAGE_JSON:
		return TW_N_IMAGES;
	case TW_K_SOUND_OPUS:
	case TW_K_SOUND_JSON:
		return TW_N_SOUNDS;
	case TW_K_ENVELOPE:
		return TW_N_ENVELOPES;
	case TW_K_GROUP:
		return TW_N_GROUPS;
	case TW_K_LAYER:
		return TW_N_LAYERS;
	default:
		return TW_N_NAMED;
	}
}

size_t tw_place_stem(enum tw_named what, const char *file, bool *ret_json)
{
	static const char *const own[TW_N_NAMED] = {
		[TW_N_IMAGES] = ".png", [TW_N_SOUNDS] = ".opus", [TW_N_ENVELOPES] = ".json"};
	const char *dot = strrchr(file, '.');
	bool json;

	if (what == TW_N_GROUPS || what == TW_N_LAYERS)
		return strlen(file);
	if (what == TW_N_NAMED || !dot)
		return 0;
	json = strcmp(dot, ".json") == 0;
	if (!json && strcmp(dot, own[what]) != 0)
		return 0;
	if (ret_json)
		*ret_json = json;
	return (size_t)(dot - file);
}

static size_t count_digits(const char *s, size_t n)
{
	size_t i = 0;

	while (i < n && s[i] >= '0' && s[i] <= '9')
		i++;
	return i;
}

static uint64_t read_digits(const char *s, size_t n)
{
	uint64_t v = 0;

	for (size_t i = 0; i < n; i++) {
		if (v > (UINT64_MAX - 9) / 10)
			return UINT64_MAX;
		v = 10 * v + (uint64_t)(s[i] - '0');
	}
	return v;
}

int tw_place_parse(
	enum tw_named what, const char *stem, size_t n, struct tw_place *ret, struct error *e)
{
	size_t digits = count_digits(stem, n), skip = 0;
	bool bare = digits == n;

	/* Images and sounds may be called by a number alone. */
	ret->has_position = digits > 0 && (bare ? what != TW_N_IMAGES && what != TW_N_SOUNDS
						: stem[digits] == '_');
	ret->position = 0;
	if (ret->has_position) {
		ret->position = read_digits(stem, digits);
		skip = bare ? n : digits + 1;
	}
	ret->n = name_unescape(stem + skip, n - skip, ret->name);
	if (memchr(ret->name, '\0', ret->n))
		return error_set(e, -EINVAL, "the name holds a NUL byte (%%00)");
	if (ret->n > name_max[what])
		return error_set(
			e, -EINVAL, "the name has %zu bytes (at most %zu)", ret->n, name_max[what]);
	return 0;
}
