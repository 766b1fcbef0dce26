/* SPDX-License-Identifier: Zlib */
/* tree: the directories and names below raw/ (layout rules 22, 23). */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "formats/teeworlds/lens/kinds.h"
#include "formats/teeworlds/model/fields.h"
#include "formats/teeworlds/names/mounted.h"

static void write_type_name(const struct tw_map *m, uint16_t type, char *dst)
{
	static const char *const known[] = {
		"version", "info", "image", "envelope", "group", "layer", "envpoints", "sound"};
	char uuid[37];
	const char *name = type <= TW_SOUND ? known[type] : type == TW_UUID_INDEX ? "uuid" : NULL;

	if (!name && tw_mounted_uuid(m, type, uuid))
		name = uuid;
	sprintf(dst, "%05u%s%s", type, name ? "_" : "", name ? name : "");
}

/* A type is not shown if all its items were made since the mount. */
static bool is_type_shown(const struct tw_type *t)
{
	return t->n_base > 0;
}

/* A new data item is shown unless all objects that use it, at least one, are new, too. */
static bool is_data_shown(const struct tw_map *m, uint32_t blob)
{
	uint32_t fields[TW_FIELDS_MAX];
	bool used = false;

	if (!m->blobs[blob] || blob < m->shared->n_blobs)
		return m->blobs[blob] != NULL;
	for (size_t i = 0; i < m->n_items; i++) {
		const struct tw_item *it = &m->items[i];
		unsigned n = it->is_removed ? 0 : tw_data_fields(it, fields);

		for (unsigned k = 0; k < n; k++) {
			if (it->ints->v[fields[k]] != (int32_t)blob)
				continue;
			if (!it->made_name)
				return true;
			used = true;
		}
	}
	return !used;
}

/* Read the digits at *s as a 32-bit number. Leading zeros are accepted; the caller checks them. */
static bool read_number(const char **s, uint32_t *ret)
{
	const char *first = *s;
	uint64_t v = 0;

	for (; **s >= '0' && **s <= '9' && v <= UINT32_MAX; (*s)++)
		v = 10 * v + (uint64_t)(**s - '0');
	*ret = (uint32_t)v;
	return *s > first && v <= UINT32_MAX;
}

/* Find the shown type with the smallest number that is at least `type`. */
static const struct tw_type *find_shown_type(const struct tw_map *m, uint64_t type)
{
	const struct tw_index *x = m->index;
	size_t i = tw_index_from(x, type);

	while (i < x->n_types && !is_type_shown(&x->types[i]))
		i++;
	return i < x->n_types ? &x->types[i] : NULL;
}

/* The cookie is the next type number, so it stays valid when a type is added. */
static int items_child(
	const struct tw_map *m, entry_id, uint64_t *cookie, char *name, entry_id *ret)
{
	const struct tw_type *t = find_shown_type(m, *cookie);

	if (!t)
		return 0;
	write_type_name(m, t->id, name);
	*ret = tw_id(TW_K_RAW_TYPE, t->id, 0);
	*cookie = (uint64_t)t->id + 1;
	return 1;
}

static int type_stat(const struct tw_map *m, entry_id id, struct file_attr *ret, struct error *)
{
	if (!tw_type(m, tw_id_index(id)))
		return -ENOENT;
	tw_stat_dir(ret, true);
	return 0;
}

/* Find the first index in by_id whose item has this id or a larger one. */
static uint32_t find_id(const struct tw_map *m, const struct tw_type *t, unsigned id)
{
	return (uint32_t)array_bisect(i, t->n, m->items[t->by_id[i]].id >= id);
}

static void write_item_name(
	const struct tw_map *m, const struct tw_type *t, uint32_t item, char *dst)
{
	unsigned id = m->items[item].id;
	uint32_t first = find_id(m, t, id);
	size_t nth = array_bisect(i, t->n - first,
		m->items[t->by_id[first + i]].id > id || t->by_id[first + i] >= item);

	if (nth == 0)
		sprintf(dst, "%05u", id);
	else
		sprintf(dst, "%05u+%zu", id, nth);
}

static int type_find(const struct tw_map *m, entry_id dir, const char *name, entry_id *ret)
{
	const struct tw_type *t = tw_type(m, tw_id_index(dir));
	char shown[NAME_MAX + 1];
	uint32_t id, more = 0, at;
	const char *s = name;

	if (!t || !read_number(&s, &id) || (*s == '+' && (s++, !read_number(&s, &more))))
		return -ENOENT;
	at = find_id(m, t, id);
	if (at >= t->n || more >= t->n - at || m->items[t->by_id[at + more]].made_name)
		return -ENOENT;
	/* Accept one spelling only: 5 digits, and no leading zeros after the plus. */
	write_item_name(m, t, t->by_id[at + more], shown);
	if (strcmp(shown, name) != 0)
		return -ENOENT;
	*ret = tw_id(TW_K_RAW_ITEM, t->by_id[at + more], 0);
	return 0;
}

static int type_child(
	const struct tw_map *m, entry_id dir, uint64_t *cookie, char *name, entry_id *ret)
{
	const struct tw_type *t = tw_type(m, tw_id_index(dir));

	while (t && *cookie < t->n && m->items[t->items[*cookie]].made_name)
		(*cookie)++;
	if (!t || *cookie >= t->n)
		return 0;
	write_item_name(m, t, t->items[*cookie], name);
	*ret = tw_id(TW_K_RAW_ITEM, t->items[*cookie], 0);
	(*cookie)++;
	return 1;
}

static int data_child(const struct tw_map *m, entry_id, uint64_t *cookie, char *name, entry_id *ret)
{
	for (; *cookie < m->n_blobs; (*cookie)++) {
		uint32_t i = (uint32_t)*cookie;

		if (!is_data_shown(m, i))
			continue;
		sprintf(name, "%05u", i);
		*ret = tw_id(TW_K_RAW_DATA, i, 0);
		(*cookie)++;
		return 1;
	}
	return 0;
}

/* Find a type or data item by its number, which is also its cookie. */
static int find_number(const struct tw_map *m, entry_id dir, const char *name, entry_id *ret)
{
	bool items = tw_id_kind(dir) == TW_K_RAW_ITEMS;
	char shown[NAME_MAX + 1];
	const char *s = name;
	uint64_t cookie;
	uint32_t i;

	if (!read_number(&s, &i))
		return -ENOENT;
	cookie = i;
	return (items ? items_child : data_child)(m, dir, &cookie, shown, ret) == 1 &&
			       strcmp(shown, name) == 0
		       ? 0
		       : -ENOENT;
}

const struct tw_kind tw_kind_raw = {
	.label = "raw/",
	.stat = tw_stat_fixed,
	.child = tw_fixed_child,
};

const struct tw_kind tw_kind_raw_items = {
	.label = "raw/items/",
	.stat = tw_stat_fixed,
	.find = find_number,
	.child = items_child,
};

const struct tw_kind tw_kind_raw_type = {
	.label = "raw/items/type/",
	.stat = type_stat,
	.find = type_find,
	.child = type_child,
};

const struct tw_kind tw_kind_raw_data_dir = {
	.label = "raw/data/",
	.stat = tw_stat_fixed,
	.find = find_number,
	.child = data_child,
};
