/* SPDX-License-Identifier: Zlib */
/* classify: what a name that is not there would be, and what it once was. */
#include <errno.h>
#include <string.h>

#include "formats/teeworlds/names.h"
#include "formats/teeworlds/roster.h"
#include "formats/teeworlds/structure.h"

static int classify_object(enum tw_named what, const char *name, bool is_dir, struct error *e)
{
	bool wants_dir = what == TW_N_GROUPS || what == TW_N_LAYERS;
	size_t n = tw_place_stem(what, name, NULL);
	struct tw_place place;
	int r;

	if (n == 0 || is_dir != wants_dir)
		return FORMAT_SCRATCH;
	r = tw_place_parse(what, name, n, &place, e);
	return r < 0 ? r : FORMAT_OBJECT;
}

int tw_classify(
	const struct snapshot *s, entry_id dir, const char *name, bool is_dir, struct error *e)
{
	enum tw_named what = tw_objects_of(dir);
	entry_id part;

	if (tw_id_kind(dir) >= TW_K_RAW && tw_map_of(s)->shared->raw != TW_RAW_RW)
		return error_set(e, -EROFS, "raw/ is read-only (-o raw=rw makes it writable)");
	if (name[0] == '.')
		return FORMAT_SCRATCH;
	if (what != TW_N_NAMED)
		return classify_object(what, name, is_dir, e);
	return tw_part(tw_map_of(s), dir, name, is_dir, &part) == 0 ? FORMAT_PART : FORMAT_SCRATCH;
}

/* An image or sound is its stem, with either ending. */
static int identify_media(
	const struct tw_map *m, enum tw_named what, const char *name, entry_id *ret)
{
	static const enum tw_kind_id kinds[][2] = {
		[TW_N_IMAGES] = {TW_K_IMAGE_PNG, TW_K_IMAGE_JSON},
		[TW_N_SOUNDS] = {TW_K_SOUND_OPUS, TW_K_SOUND_JSON},
	};
	uint32_t position;
	bool json = false;
	size_t n = tw_place_stem(what, name, &json);

	if (n == 0 || tw_stem_find(m, what, name, n, &position) < 0)
		return -ENOENT;
	*ret = tw_id(kinds[what][json], position, 0);
	return 0;
}

int tw_identify(const struct snapshot *s, entry_id dir, const char *name, entry_id *ret)
{
	const struct tw_map *m = tw_map_of(s);
	enum tw_named what = tw_objects_of(dir);
	const struct tw_kind *k = tw_kind(dir);
	int r = tw_names_need(m, NULL);

	if (r < 0 || !k || !k->find)
		return r < 0 ? r : -ENOENT;
	/* In raw/ things are shown, and neither made nor removed. */
	if (tw_id_kind(dir) >= TW_K_RAW)
		return -ENOENT;
	if (what == TW_N_IMAGES || what == TW_N_SOUNDS)
		return identify_media(m, what, name, ret);
	return k->find(m, dir, name, ret);
}

entry_id tw_object(entry_id id)
{
	switch (tw_id_kind(id)) {
	case TW_K_IMAGE_JSON:
		return tw_id(TW_K_IMAGE_PNG, tw_id_index(id), 0);
	case TW_K_SOUND_JSON:
		return tw_id(TW_K_SOUND_OPUS, tw_id_index(id), 0);
	default:
		return id;
	}
}

bool tw_other_form(entry_id id, const char *name, char *ret)
{
	static const struct {
		enum tw_kind_id kind;
		const char *is, *other;
	} forms[] = {
		{TW_K_IMAGE_PNG, ".png", ".json"},
		{TW_K_IMAGE_JSON, ".json", ".png"},
		{TW_K_SOUND_OPUS, ".opus", ".json"},
		{TW_K_SOUND_JSON, ".json", ".opus"},
	};

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		size_t n = strlen(name), ending = strlen(forms[i].is);

		if (tw_id_kind(id) != forms[i].kind || n < ending ||
			strcmp(name + n - ending, forms[i].is) != 0 ||
			n - ending + strlen(forms[i].other) > NAME_MAX)
			continue;
		memcpy(ret, name, n - ending);
		strcpy(ret + n - ending, forms[i].other);
		return true;
	}
	return false;
}

int tw_may_move(
	const struct snapshot *s, entry_id id, entry_id dir, const char *name, struct error *e)
{
	enum tw_named what = tw_object_named(id);
	bool json = false, is_json;
	struct tw_place place;
	size_t n;

	(void)s;
	if (what == TW_N_NAMED || tw_objects_of(dir) != what)
		return error_set(e, -EINVAL, "%s: it cannot stand in that directory", name);
	n = tw_place_stem(what, name, &json);
	is_json = tw_id_kind(id) == TW_K_IMAGE_JSON || tw_id_kind(id) == TW_K_SOUND_JSON;
	if (n == 0 || (what <= TW_N_SOUNDS && json != is_json))
		return error_set(e, -EINVAL, "%s: the ending says that it is something else", name);
	return tw_place_parse(what, name, n, &place, e);
}
