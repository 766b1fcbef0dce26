/* SPDX-License-Identifier: Zlib */
/* classify: what a name that is not there would be, and what it once was. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "formats/teeworlds/names/mounted.h"
#include "formats/teeworlds/names/parse.h"
#include "formats/teeworlds/names/reference.h"
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

/* The number of the next item of a type; -EPERM: it would be an object, and those are made as such.
 */
static int next_item(const struct tw_map *m, unsigned type, size_t *ret, struct error *e)
{
	const struct tw_type *t = tw_type(m, type);

	for (int i = 0; i < TW_N_NAMED; i++)
		if (tw_named_type((enum tw_named)i) == type)
			return error_set(e, -EPERM, "items of type %u are not added in raw/", type);
	*ret = t ? m->items[t->by_id[t->n - 1]].id + 1U : 0;
	return *ret > UINT16_MAX ? error_set(e, -ENOSPC, "the last item is %05u", UINT16_MAX) : 0;
}

/* Numbers mean something in raw/: the next one what is new. */
static int classify_raw(
	const struct tw_map *m, entry_id dir, const char *name, bool is_dir, struct error *e)
{
	size_t number = m->n_blobs;
	char next[16];
	int r = 0;

	if (is_dir || name[strspn(name, "0123456789")] != '\0')
		return FORMAT_SCRATCH;
	if (tw_id_kind(dir) == TW_K_RAW_TYPE)
		r = next_item(m, tw_id_index(dir), &number, e);
	else if (tw_id_kind(dir) != TW_K_RAW_DATA_DIR)
		r = FORMAT_SCRATCH;
	if (r < 0 || tw_id_kind(dir) < TW_K_RAW_TYPE)
		return r;
	snprintf(next, sizeof(next), "%05zu", number);
	if (strcmp(name, next) != 0)
		return error_set(e, -EINVAL, "%s is not the next number (%s)", name, next);
	return FORMAT_PART;
}

int tw_classify(
	const struct snapshot *s, entry_id dir, const char *name, bool is_dir, struct error *e)
{
	enum tw_named what = tw_objects_of(dir);
	entry_id part;

	/* As a file of raw/ is that one's mode bits keep from being written. */
	if (tw_id_kind(dir) >= TW_K_RAW && tw_map_of(s)->shared->raw != TW_RAW_RW)
		return error_set(e, -EACCES, "raw/ is read-only (-o raw=rw makes it writable)");
	if (tw_id_kind(dir) >= TW_K_RAW)
		return classify_raw(tw_map_of(s), dir, name, is_dir, e);
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

/* Images and sounds have two forms each: the content, or what is known of it. */
static const struct form {
	enum tw_named what;
	enum tw_kind_id content, known;
	const char *ending;
} forms[] = {
	{TW_N_IMAGES, TW_K_IMAGE_PNG, TW_K_IMAGE_JSON, ".png"},
	{TW_N_SOUNDS, TW_K_SOUND_OPUS, TW_K_SOUND_JSON, ".opus"},
};

static const struct form *forms_of(enum tw_named what)
{
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		if (forms[i].what == what)
			return &forms[i];
	return NULL;
}

static bool has_ending(const char *name, const char *ending)
{
	size_t n = strlen(name), k = strlen(ending);

	return n >= k && strcmp(name + n - k, ending) == 0;
}

entry_id tw_object(entry_id id)
{
	const struct form *f = forms_of(tw_object_named(id));

	return f ? tw_id(f->content, tw_id_index(id), 0) : id;
}

entry_id tw_form(entry_id id, const char *name)
{
	const struct form *f = forms_of(tw_object_named(id));

	if (!f)
		return id;
	return tw_id(has_ending(name, ".json") ? f->known : f->content, tw_id_index(id), 0);
}

bool tw_alternate(entry_id dir, const char *name, char *ret)
{
	const struct form *f = forms_of(tw_objects_of(dir));
	const char *is, *other;
	size_t n;

	if (!f)
		return false;
	is = has_ending(name, ".json") ? ".json" : f->ending;
	other = is == f->ending ? ".json" : f->ending;
	if (!has_ending(name, is))
		return false;
	n = strlen(name) - strlen(is);
	if (n + strlen(other) > NAME_MAX)
		return false;
	memcpy(ret, name, n);
	strcpy(ret + n, other);
	return true;
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
