/* SPDX-License-Identifier: Zlib */
/* group_json: group.json (layout rule 16). */
#include <errno.h>
#include <string.h>

#include "formats/teeworlds/item/group.h"
#include "formats/teeworlds/item/initial.h"
#include "formats/teeworlds/item/media.h"
#include "formats/teeworlds/item/uuid.h"
#include "formats/teeworlds/item/version.h"
#include "formats/teeworlds/lens/kinds.h"
#include "formats/teeworlds/lens/record.h"
#include "formats/teeworlds/model/fields.h"
#include "formats/teeworlds/names/mounted.h"

enum { CLIPS_SINCE = 2, NAME_SINCE = 3 };

static const char zoom_key[] = "parallax_zoom";

static const struct tw_key keys[] = {
	{"version", .at = 0, .n = 1, .min = 1, .max = 3},
	{"x_offset", .at = 1, .n = 1},
	{"y_offset", .at = 2, .n = 1},
	{"x_parallax", .at = 3, .n = 1},
	{"y_parallax", .at = 4, .n = 1},
	{"clipping", .at = 7, .n = 1, .version = CLIPS_SINCE, .words = json_flags},
	{"clip_x", .at = 8, .n = 1, .version = CLIPS_SINCE},
	{"clip_y", .at = 9, .n = 1, .version = CLIPS_SINCE},
	{"clip_width", .at = 10, .n = 1, .version = CLIPS_SINCE},
	{"clip_height", .at = 11, .n = 1, .version = CLIPS_SINCE},
	{NULL},
};

static struct tw_record record_of(struct tw_ints *ints)
{
	return (struct tw_record){
		.keys = keys, .v = ints->v, .n = ints->n, .version = ints->n ? ints->v[0] : 0};
}

/* The zoom that the group has of its own. */
static bool has_zoom(const struct tw_map *m, uint32_t group, int32_t *ret)
{
	const struct tw_item *it = tw_item_at(m, TW_GROUP, group),
			     *ext = tw_uuid_item(m, TW_GROUP_EXT, group);

	if (it->made ? !it->extra : !ext || ext->ints->n < TW_EXT_LENGTH)
		return false;
	*ret = it->made ? it->extra->v[0] : ext->ints->v[TW_EXT_ZOOM];
	return true;
}

static int write_group(struct jsonw *w, const struct tw_map *m, entry_id id, struct error *e)
{
	const struct tw_item *it = tw_item_at(m, TW_GROUP, tw_id_a(id));
	struct tw_record rec;
	int32_t zoom;

	if (!it)
		return error_set(e, -ENOENT, "no such group");
	if (tw_is_empty(it))
		return error_set(e, -ENODATA, "the group has no content yet");
	rec = record_of(it->ints);
	jsonw_object(w);
	tw_record_write(w, m, &rec);
	if (has_zoom(m, tw_id_a(id), &zoom))
		jsonw_key_int(w, zoom_key, zoom);
	jsonw_end(w);
	return 0;
}

static int group_stat(const struct tw_map *m, entry_id id, struct entry *ret, struct error *e)
{
	struct jsonw w;
	int r;

	jsonw_to_nowhere(&w);
	r = write_group(&w, m, id, e);
	if (r < 0)
		return r;
	tw_stat_file(ret, w.size, true);
	ret->needed = true;
	return 0;
}

static int group_get(
	const struct tw_map *m, entry_id id, uint64_t off, void *dst, size_t n, struct error *e)
{
	struct jsonw w;

	jsonw_to_range(&w, off, dst, n);
	return write_group(&w, m, id, e);
}

/* The version that the file needs: its own, or that of the keys it has. */
static int wanted_version(
	const struct json_at *root, const struct tw_record *old, int32_t *ret, struct error *e)
{
	struct json_at at;
	int32_t version = old->version;
	int r = json_get_int(root, "version", &version, NULL, e);

	for (const struct tw_key *key = keys; r == 0 && key->name; key++)
		if (key->version > version && json_get(root, key->name, &at))
			version = key->version;
	*ret = version;
	return r;
}

/* Extension items belong to groups by position, so those of the groups before come too. */
static void add_exts(const struct tw_map *m, uint32_t group, int32_t zoom, struct tw_change *c)
{
	const struct tw_type *t = tw_uuid_items(m, TW_GROUP_EXT);

	for (uint32_t i = t ? t->n : 0; i <= group; i++)
		tw_change_add_uuid(m, c, TW_GROUP_EXT,
			tw_initial_ext(
				i == group ? zoom
					   : tw_group_default_zoom(tw_item_at(m, TW_GROUP, i))));
}

/* A new group's zoom is kept beside it until its number is known. */
static void put_extra(const struct tw_map *m, uint32_t item, int32_t zoom, struct tw_change *c)
{
	const struct tw_ints *old = m->items[item].extra;
	struct tw_ints *v;

	if (old && old->v[0] == zoom)
		return;
	v = tw_ints_new(1);
	if (v)
		v->v[0] = zoom;
	else
		c->error = -ENOMEM;
	tw_change_extra(c, item, v);
}

static int take_zoom(const struct json_at *root, const struct tw_map *m, uint32_t group,
	uint32_t item, struct tw_change *c, struct error *e)
{
	const struct tw_item *ext = tw_uuid_item(m, TW_GROUP_EXT, group);
	struct tw_ints *ints;
	bool present;
	int32_t zoom;
	int r = json_get_int(root, zoom_key, &zoom, &present, e);

	if (r < 0 || !present)
		return r;
	if (m->items[item].made) {
		put_extra(m, item, zoom, c);
	} else if (!ext) {
		add_exts(m, group, zoom, c);
	} else if (ext->ints->n < TW_EXT_LENGTH) {
		ints = tw_ints_copy(ext->ints, TW_EXT_LENGTH, 1);
		if (ints)
			ints->v[TW_EXT_ZOOM] = zoom;
		tw_change_item(c, (uint32_t)(ext - m->items), ints);
	} else {
		tw_change_int(c, (uint32_t)(ext - m->items), TW_EXT_ZOOM, zoom);
	}
	return 0;
}

static uint32_t length_of(int32_t version)
{
	return version >= 3 ? TW_GROUP_NAME + 3 : version == 2 ? TW_GROUP_NAME : TW_GROUP_COUNT + 1;
}

static int take_item(const struct json_at *root, const struct tw_map *m, uint32_t item,
	struct tw_change *c, struct error *e)
{
	bool empty = tw_is_empty(&m->items[item]);
	CLEANUP(tw_ints_unref) struct tw_ints *fresh = NULL, *old = NULL;
	struct tw_record rec;
	int32_t version;
	int r;

	old = empty ? tw_initial_group() : tw_ints_ref(m->items[item].ints);
	if (!old)
		return error_set(e, -ENOMEM, "no memory for a group");
	rec = record_of(old);
	r = wanted_version(root, &rec, &version, e);
	if (r < 0)
		return r;
	/* Its name is not this file's to take. */
	if (version < NAME_SINCE && rec.version >= NAME_SINCE &&
		tw_has_short_name(old, TW_GROUP_NAME))
		version = NAME_SINCE;
	fresh = version != rec.version && old->n ? tw_group_to(old, version)
						 : tw_ints_copy(old, old->n, 0);
	if (!fresh)
		return error_set(e, -ENOMEM, "no memory for a group");
	/* The range of a changed version is judged from what it was. */
	if (fresh->n)
		fresh->v[0] = rec.version;
	rec = (struct tw_record){.keys = keys, .v = fresh->v, .n = fresh->n, .version = version};
	r = tw_record_read(root, m, &rec, e);
	if (fresh->n)
		fresh->v[0] = version;
	if (empty && r == 0)
		fresh->n = length_of(version);
	if (r == 0 &&
		(empty || fresh->n != old->n || memcmp(fresh->v, old->v, 4 * (size_t)old->n) != 0))
		tw_change_item(c, item, TAKE(fresh));
	return r;
}

static int group_parse(const struct tw_map *m, entry_id id, const struct extent *in,
	struct tw_change *c, struct error *e)
{
	CLEANUP_JSON struct json_doc doc = {0};
	struct json_at root;
	uint32_t item;
	int r;

	if (tw_at(m, TW_GROUP, tw_id_a(id), &item) < 0)
		return error_set(e, -ENOENT, "no such group");
	r = json_doc_load(in, JSON_TEXT_MAX, &doc, e);
	if (r < 0)
		return r == -EFBIG ? error_set(e, -EINVAL, "the file is larger than 64 KiB") : r;
	root = json_root(&doc);
	r = tw_record_expect(&root, keys, zoom_key, e);
	if (r == 0)
		r = take_item(&root, m, item, c, e);
	return r < 0 ? r : take_zoom(&root, m, tw_id_a(id), item, c, e);
}

static void group_touch(const struct tw_map *m, uint32_t item, struct touched *t)
{
	uint16_t type = m->items[item].type;

	if (type == TW_GROUP || type == tw_uuid_type(m, TW_GROUP_EXT))
		touched_add(t, tw_id2(TW_K_GROUP_JSON, (unsigned)tw_position(m, item), 0, 0));
}

const struct tw_kind tw_kind_group_json = {
	.label = "group.json",
	.stat = group_stat,
	.get = group_get,
	.most = JSON_TEXT_MAX,
	.parse = group_parse,
	.touch = group_touch,
};
