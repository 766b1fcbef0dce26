/* SPDX-License-Identifier: Zlib */
/* json: images and sounds that are not in the map, or cannot be shown (layout rules 10, 11). */
#include <errno.h>

#include "formats/teeworlds/item/media.h"
#include "formats/teeworlds/lens/kinds.h"
#include "formats/teeworlds/lens/parsed.h"
#include "formats/teeworlds/lens/record.h"
#include "formats/teeworlds/model/fields.h"

static const struct tw_key image_keys[] = {
	{"external", .first = TW_IMG_EXTERNAL, .n = 1, .is_fixed = true, .words = json_flags},
	{"width", .first = TW_IMG_WIDTH, .n = 1},
	{"height", .first = TW_IMG_HEIGHT, .n = 1},
	{NULL},
};

static const struct tw_key sound_keys[] = {
	{"external", .first = TW_SND_EXTERNAL, .n = 1, .is_fixed = true, .words = json_flags},
	{NULL},
};

static const struct tw_key *keys_of(entry_id id)
{
	return tw_id_kind(id) == TW_K_IMAGE_JSON ? image_keys : sound_keys;
}

static const struct tw_item *find_item(const struct tw_map *m, entry_id id)
{
	return tw_item_at(m, tw_sort_type(tw_sort_of(id)), tw_id_index(id));
}

/* Does the object have content, in this form? */
static bool is_json(const struct tw_map *m, entry_id id)
{
	const struct tw_item *it = find_item(m, id);

	return !tw_is_empty(it) && !tw_sorts[tw_sort_of(id)].is_embedded(m, it);
}

static int write_json(
	struct jsonw *w, const struct tw_map *m, entry_id id, uint64_t, struct error *e)
{
	const struct tw_item *it = find_item(m, id);
	struct tw_record rec = {.keys = keys_of(id)};

	if (!it)
		return -ENOENT;
	if (!is_json(m, id))
		return error_set(e, -ENODATA, "the object is embedded and has no JSON form");
	rec.v = it->ints->v;
	rec.n = it->ints->n;
	jsonw_object(w);
	tw_record_write(w, m, &rec);
	jsonw_end(w);
	return 0;
}

/* Make the item of an object that becomes external, or of a new one. It keeps the name and the
 * size; games have files with the content. */
static struct tw_ints *external_item(const struct tw_map *m, entry_id id)
{
	enum { USUAL_SIDE = 1024 }; /* of the images that games have */
	const struct tw_item *it = find_item(m, id);

	if (tw_id_kind(id) != TW_K_IMAGE_JSON)
		return tw_new_sound_ints(it, 1, 0);
	return tw_new_image_ints(m, it, true, tw_get_int(it, TW_IMG_WIDTH, USUAL_SIDE),
		tw_get_int(it, TW_IMG_HEIGHT, USUAL_SIDE));
}

/* Make the item that the file describes. *ret_becomes: the object changes to this form. */
static int read_item(const struct json_at *root, const struct tw_map *m, entry_id id,
	struct tw_ints **ret, bool *ret_becomes, struct error *e)
{
	bool image = tw_id_kind(id) == TW_K_IMAGE_JSON, becomes = !is_json(m, id);
	const struct tw_item *it = find_item(m, id);
	CLEANUP(tw_ints_unref) struct tw_ints *v = NULL;
	struct tw_record rec = {.keys = keys_of(id)};
	int32_t external = 1;
	struct json_at at;
	int r = becomes ? json_get_word(root, "external", json_flags, &external, NULL, e) : 0;

	if (r < 0)
		return r;
	if (external != 1 && json_get(root, "external", &at))
		return json_refuse(&at, e, "must be true for an external object");
	v = becomes ? external_item(m, id) : tw_ints_copy(it->ints, it->ints->n, 0);
	if (!v)
		return error_set(e, -ENOMEM, "out of memory");
	rec.v = v->v;
	rec.n = v->n;
	r = tw_record_read(root, NULL, &rec, e);
	if (r == 0 && image && !becomes && tw_get_int(it, TW_IMG_EXTERNAL, 0) == 0 &&
		!tw_ints_same(v, it->ints))
		r = json_refuse(
			root, e, "cannot change an embedded image without valid RGBA pixels");
	if (r < 0)
		return r;
	*ret = TAKE(v);
	*ret_becomes = becomes;
	return 0;
}

static int json_parse(const struct tw_map *m, entry_id id, struct content *in, struct parsed **ret,
	struct error *e)
{
	CLEANUP(parsed_unref) struct parsed *p = NULL;
	CLEANUP(tw_ints_unref) struct tw_ints *v = NULL;
	CLEANUP_JSON struct json_doc doc = {0};
	struct json_at root;
	bool becomes;
	int r;

	if (!find_item(m, id))
		return -ENOENT;
	r = tw_parsed_json(in, &p, &doc, e);
	if (r < 0)
		return r;
	root = json_root(&doc);
	r = tw_record_expect(&root, keys_of(id), NULL, e);
	if (r == 0)
		r = read_item(&root, m, id, &v, &becomes, e);
	if (r < 0)
		return r;
	p->is_unchanged = !becomes && tw_ints_same(v, find_item(m, id)->ints);
	*ret = TAKE(p);
	return 0;
}

static int json_apply(struct tw_change *c, entry_id id, const struct parsed *p, struct error *e)
{
	bool image = tw_id_kind(id) == TW_K_IMAGE_JSON;
	const struct tw_item *it = find_item(c->base, id);
	CLEANUP(tw_ints_unref) struct tw_ints *v = NULL;
	CLEANUP_JSON struct json_doc doc = {0};
	struct json_at root;
	bool becomes;
	int r = it ? tw_parsed_json_load(p, &doc, e) : -ENOENT;

	if (r < 0)
		return r;
	root = json_root(&doc);
	r = read_item(&root, c->base, id, &v, &becomes, e);
	if (r < 0)
		return r;
	/* Remove the data before the item changes: only the old item refers to it. */
	if (becomes && !tw_is_empty(it))
		tw_change_set_data(c, (uint32_t)(it - c->base->items),
			image ? TW_IMG_DATA : TW_SND_DATA, NULL);
	tw_change_set_ints(c, (uint32_t)(it - c->base->items), TAKE(v));
	return 0;
}

const struct tw_kind tw_kind_image_json = {
	.label = "image.json",
	.write = write_json,
	.max_size = JSON_TEXT_MAX,
	.parse = json_parse,
	.apply = json_apply,
};

const struct tw_kind tw_kind_sound_json = {
	.label = "sound.json",
	.write = write_json,
	.max_size = JSON_TEXT_MAX,
	.parse = json_parse,
	.apply = json_apply,
};
