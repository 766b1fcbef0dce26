/* SPDX-License-Identifier: Zlib */
/* group_json: group.json (layout rule 16). */
#include <errno.h>

#include "formats/teeworlds/item/initial.h"
#include "formats/teeworlds/item/media.h"
#include "formats/teeworlds/item/uuid.h"
#include "formats/teeworlds/item/version.h"
#include "formats/teeworlds/lens/kinds.h"
#include "formats/teeworlds/lens/parsed.h"
#include "formats/teeworlds/lens/record.h"
#include "formats/teeworlds/model/fields.h"

enum { CLIPS_SINCE = 2 };

static const char zoom_key[] = "parallax_zoom";

static const struct tw_key keys[] = {
	{"version", .first = 0, .n = 1, .min = 1, .max = 3},
	{"x_offset", .first = 1, .n = 1},
	{"y_offset", .first = 2, .n = 1},
	{"x_parallax", .first = 3, .n = 1},
	{"y_parallax", .first = 4, .n = 1},
	{"clipping", .first = 7, .n = 1, .version = CLIPS_SINCE, .words = json_flags},
	{"clip_x", .first = 8, .n = 1, .version = CLIPS_SINCE},
	{"clip_y", .first = 9, .n = 1, .version = CLIPS_SINCE},
	{"clip_width", .first = 10, .n = 1, .version = CLIPS_SINCE},
	{"clip_height", .first = 11, .n = 1, .version = CLIPS_SINCE},
	{NULL},
};

static const struct tw_layout layout = {
	.keys = keys, .type = TW_GROUP, .convert = tw_group_convert};

/* Find the zoom that is stored for the group. Returns false if there is none. */
static bool has_zoom(const struct tw_map *m, uint32_t group, int32_t *ret)
{
	const struct tw_item *it = tw_item_at(m, TW_GROUP, group),
			     *ext = tw_uuid_item(m, TW_GROUP_EXT, group);

	if (it->made_name ? !it->own_data : !ext || ext->ints->n < TW_EXT_LENGTH)
		return false;
	*ret = it->made_name ? it->own_data->v[0] : ext->ints->v[TW_EXT_ZOOM];
	return true;
}

static int write_group(
	struct jsonw *w, const struct tw_map *m, entry_id id, uint64_t, struct error *e)
{
	const struct tw_item *it = tw_item_at(m, TW_GROUP, tw_id_a(id));
	struct tw_record rec;
	int32_t zoom;

	if (!it)
		return error_set(e, -ENOENT, "no such group");
	if (tw_is_empty(it))
		return error_set(e, -ENODATA, "the group has no content yet");
	rec = tw_record_of(&layout, it->ints);
	jsonw_object(w);
	tw_record_write(w, m, &rec);
	if (has_zoom(m, tw_id_a(id), &zoom))
		jsonw_key_int(w, zoom_key, zoom);
	jsonw_end(w);
	return 0;
}

/* Extension items belong to groups by position, so add those of the groups before it, too. */
static void add_exts(const struct tw_map *m, uint32_t group, int32_t zoom, struct tw_change *c)
{
	const struct tw_type *t = tw_uuid_items(m, TW_GROUP_EXT);

	for (uint32_t i = t ? t->n : 0; i <= group; i++)
		tw_change_add_uuid(c, TW_GROUP_EXT,
			tw_initial_ext(
				i == group ? zoom
					   : tw_group_default_zoom(tw_item_at(m, TW_GROUP, i))));
}

/* Keep a new group's zoom in tw_item.own_data until the group's number is known. */
static void set_made_zoom(const struct tw_map *m, uint32_t item, int32_t zoom, struct tw_change *c)
{
	const struct tw_ints *old = m->items[item].own_data;
	struct tw_ints *v;

	if (old && old->v[0] == zoom)
		return;
	v = tw_ints_new(1);
	if (v)
		v->v[0] = zoom;
	else
		c->error = -ENOMEM;
	tw_change_set_extra(c, item, v);
}

static int set_zoom(const struct json_at *root, const struct tw_map *m, uint32_t group,
	uint32_t item, struct tw_change *c, struct error *e)
{
	const struct tw_item *ext = tw_uuid_item(m, TW_GROUP_EXT, group);
	struct tw_ints *ints;
	bool present;
	int32_t zoom;
	int r = json_get_int(root, zoom_key, &zoom, &present, e);

	if (r < 0 || !present)
		return r;
	if (m->items[item].made_name) {
		set_made_zoom(m, item, zoom, c);
	} else if (!ext) {
		add_exts(m, group, zoom, c);
	} else if (ext->ints->n < TW_EXT_LENGTH) {
		ints = tw_ints_copy(ext->ints, TW_EXT_LENGTH, 1);
		if (ints)
			ints->v[TW_EXT_ZOOM] = zoom;
		tw_change_set_ints(c, (uint32_t)(ext - m->items), ints);
	} else {
		tw_change_set_int(c, (uint32_t)(ext - m->items), TW_EXT_ZOOM, zoom);
	}
	return 0;
}

static uint32_t item_length(int32_t version)
{
	return version >= 3 ? TW_GROUP_NAME + 3 : version == 2 ? TW_GROUP_NAME : TW_GROUP_COUNT + 1;
}

static int read_item(
	const struct json_at *root, const struct tw_item *it, struct tw_ints **ret, struct error *e)
{
	bool empty = tw_is_empty(it);
	CLEANUP(tw_ints_unref)
	struct tw_ints *old = empty ? tw_initial_group() : tw_ints_ref(it->ints);
	int r = old ? tw_record_item(root, NULL, &layout, old, ret, e)
		    : error_set(e, -ENOMEM, "out of memory");

	if (r == 0 && empty)
		(*ret)->n = item_length((*ret)->v[0]);
	return r;
}

static int group_parse(const struct tw_map *m, entry_id id, struct content *in, struct parsed **ret,
	struct error *e)
{
	const struct tw_item *it = tw_item_at(m, TW_GROUP, tw_id_a(id));
	CLEANUP(parsed_unref) struct parsed *p = NULL;
	CLEANUP(tw_ints_unref) struct tw_ints *v = NULL;
	CLEANUP_JSON struct json_doc doc = {0};
	struct json_at root;
	int32_t zoom, old;
	bool present;
	int r;

	if (!it)
		return error_set(e, -ENOENT, "no such group");
	r = tw_parsed_json(in, &p, &doc, e);
	if (r < 0)
		return r;
	root = json_root(&doc);
	r = tw_record_expect(&root, keys, zoom_key, e);
	if (r == 0)
		r = read_item(&root, it, &v, e);
	if (r == 0)
		r = json_get_int(&root, zoom_key, &zoom, &present, e);
	if (r < 0)
		return r;
	p->is_unchanged = tw_ints_same(v, it->ints) &&
			  (!present || (has_zoom(m, tw_id_a(id), &old) && old == zoom));
	*ret = TAKE(p);
	return 0;
}

static int group_apply(struct tw_change *c, entry_id id, const struct parsed *p, struct error *e)
{
	CLEANUP_JSON struct json_doc doc = {0};
	struct tw_ints *v;
	struct json_at root;
	uint32_t item;
	int r;

	if (tw_find_item(c->base, TW_GROUP, tw_id_a(id), &item) < 0)
		return error_set(e, -ENOENT, "no such group");
	r = tw_parsed_json_load(p, &doc, e);
	if (r < 0)
		return r;
	root = json_root(&doc);
	r = read_item(&root, &c->base->items[item], &v, e);
	if (r < 0)
		return r;
	tw_change_set_ints(c, item, v);
	return set_zoom(&root, c->base, tw_id_a(id), item, c, e);
}

static void group_touch(const struct tw_map *m, uint32_t item, struct touched *t)
{
	uint16_t type = m->items[item].type;

	if (type == TW_GROUP || type == tw_uuid_type(m, TW_GROUP_EXT))
		touched_add(t, tw_id2(TW_K_GROUP_JSON, (unsigned)tw_position(m, item), 0, 0));
}

const struct tw_kind tw_kind_group_json = {
	.label = "group.json",
	.write = write_group,
	.is_restored = true,
	.max_size = JSON_TEXT_MAX,
	.parse = group_parse,
	.apply = group_apply,
	.touch = group_touch,
};
