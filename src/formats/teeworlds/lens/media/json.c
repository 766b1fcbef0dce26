/* SPDX-License-Identifier: Zlib */
/* json: images and sounds that are not in the map, or cannot be shown (layout rules 10, 11).
 */
#include <errno.h>

#include "codec/json.h"
#include "formats/teeworlds/item/media.h"
#include "formats/teeworlds/lens/kinds.h"
#include "formats/teeworlds/model/fields.h"
#include "formats/teeworlds/names/sort.h"

enum { N_KEYS = 3 };

struct key {
	const char *name;
	uint32_t field;
	bool flag; /* false or true; it cannot be changed through the file */
};

static const struct key image_keys[] = {
	{"external", TW_IMG_EXTERNAL, true},
	{"width", TW_IMG_WIDTH, false},
	{"height", TW_IMG_HEIGHT, false},
	{NULL, 0, false},
};

static const struct key sound_keys[] = {
	{"external", TW_SND_EXTERNAL, true},
	{NULL, 0, false},
};

static const struct key *keys_of(entry_id id)
{
	return tw_id_kind(id) == TW_K_IMAGE_JSON ? image_keys : sound_keys;
}

static const struct tw_item *item_of(const struct tw_map *m, entry_id id)
{
	return tw_item_at(m, tw_sort_type(tw_sort_of(id)), tw_id_index(id));
}

/* The file is there: the object has content, and in this form. */
static bool is_json(const struct tw_map *m, entry_id id)
{
	const struct tw_item *it = item_of(m, id);

	return !tw_is_empty(it) && !tw_sorts[tw_sort_of(id)].embedded(m, it);
}

/* A key whose integer a short item lacks is absent. */
static void write_json(struct jsonw *w, const struct tw_item *it, const struct key *keys)
{
	jsonw_object(w);
	for (; keys->name; keys++)
		if (keys->field < it->ints->n) {
			jsonw_key(w, keys->name);
			jsonw_word(w, keys->flag ? json_flags : NULL, it->ints->v[keys->field]);
		}
	jsonw_end(w);
}

/* The item, where it is shown in this form. */
static int find(const struct tw_map *m, entry_id id, const struct tw_item **ret, struct error *e)
{
	*ret = item_of(m, id);
	if (!*ret)
		return -ENOENT;
	if (!is_json(m, id))
		return error_set(e, -ENODATA, "it is in the map itself, not in this form");
	return 0;
}

static int json_stat(const struct tw_map *m, entry_id id, struct entry *ret, struct error *e)
{
	const struct tw_item *it;
	struct jsonw w;
	int r = find(m, id, &it, e);

	if (r < 0)
		return r;
	jsonw_to_nowhere(&w);
	write_json(&w, it, keys_of(id));
	tw_stat_file(ret, w.size, true);
	return 0;
}

static int file_get(
	const struct tw_map *m, entry_id id, uint64_t off, void *dst, size_t n, struct error *e)
{
	const struct tw_item *it;
	struct jsonw w;
	int r = find(m, id, &it, e);

	if (r < 0)
		return r;
	jsonw_to_range(&w, off, dst, n);
	write_json(&w, it, keys_of(id));
	return 0;
}

static int take_key(const struct json_at *root, const struct tw_item *it, const struct key *key,
	int32_t *value, struct error *e)
{
	char word[JSON_WORD_MAX];
	struct json_at at;
	bool has = key->field < it->ints->n, present;
	int r;

	*value = has ? it->ints->v[key->field] : 0;
	r = key->flag ? json_get_word(root, key->name, json_flags, value, &present, e)
		      : json_get_int(root, key->name, value, &present, e);
	if (r < 0 || !present)
		return r;
	json_get(root, key->name, &at);
	if (!has)
		return json_refuse(&at, e, "the item in the map is too short for it");
	if (*value == it->ints->v[key->field])
		return 0;
	if (key->flag)
		return json_refuse(&at, e, "cannot be changed here from %s",
			json_word_text(json_flags, it->ints->v[key->field], word));
	if (tw_int(it, TW_IMG_EXTERNAL, 0) == 0)
		return json_refuse(&at, e,
			"the image is in the map in a form that cannot be shown or changed");
	return 0;
}

/*
 * What was in the map leaves it, or something new is made that never was: only the name and the
 * size of it are kept, and games take the rest from files of their own.
 */
static int make_external(const struct tw_map *m, entry_id id, const struct json_at *root,
	struct tw_change *c, struct error *e)
{
	enum { USUAL_SIDE = 1024 }; /* of the images that games have */
	const struct tw_item *it = item_of(m, id);
	bool is_image = tw_id_kind(id) == TW_K_IMAGE_JSON, present;
	int32_t external = 1, w = tw_int(it, TW_IMG_WIDTH, USUAL_SIDE),
		h = tw_int(it, TW_IMG_HEIGHT, USUAL_SIDE);
	uint32_t item = (uint32_t)(it - m->items);
	struct json_at at;
	int r = json_get_word(root, "external", json_flags, &external, &present, e);

	if (r < 0)
		return r;
	if (external != 1) {
		json_get(root, "external", &at);
		return json_refuse(&at, e, "must be true for what is not in the map itself");
	}
	if (!is_image) {
		if (!tw_is_empty(it))
			tw_change_data(c, item, TW_SND_DATA, NULL);
		tw_change_item(c, item, tw_sound_item(it, external, 0));
		return 0;
	}
	r = json_get_int(root, "width", &w, NULL, e);
	if (r == 0)
		r = json_get_int(root, "height", &h, NULL, e);
	if (r < 0)
		return r;
	/* While the item still says that the data is its own, so that it leaves the map. */
	if (!tw_is_empty(it))
		tw_change_data(c, item, TW_IMG_DATA, NULL);
	tw_change_item(c, item, tw_image_item(m, it, true, w, h));
	return 0;
}

static int json_parse(const struct tw_map *m, entry_id id, const struct extent *in,
	struct tw_change *c, struct error *e)
{
	const struct key *keys = keys_of(id);
	const struct tw_item *it = item_of(m, id);
	const char *known[N_KEYS + 1] = {NULL};
	CLEANUP_JSON struct json_doc doc = {0};
	struct json_at root;
	int32_t value;
	int r;

	if (!it)
		return -ENOENT;
	for (size_t i = 0; keys[i].name; i++)
		known[i] = keys[i].name;
	r = json_doc_load(in, JSON_TEXT_MAX, &doc, e);
	if (r < 0)
		return r == -EFBIG ? error_set(e, -EINVAL, "the file is larger than 64 KiB") : r;
	root = json_root(&doc);
	r = json_expect_object(&root, known, e);
	if (r == 0 && !is_json(m, id))
		return make_external(m, id, &root, c, e);
	for (; r == 0 && keys->name; keys++) {
		r = take_key(&root, it, keys, &value, e);
		if (r == 0 && keys->field < it->ints->n)
			tw_change_int(c, (uint32_t)(it - m->items), keys->field, value);
	}
	return r;
}

const struct tw_kind tw_kind_image_json = {
	.label = "image.json",
	.stat = json_stat,
	.get = file_get,
	.most = JSON_TEXT_MAX,
	.parse = json_parse,
};

const struct tw_kind tw_kind_sound_json = {
	.label = "sound.json",
	.stat = json_stat,
	.get = file_get,
	.most = JSON_TEXT_MAX,
	.parse = json_parse,
};
