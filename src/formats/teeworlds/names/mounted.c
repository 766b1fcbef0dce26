/* SPDX-License-Identifier: Zlib */
#include "formats/teeworlds/names/mounted.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "codec/text/text.h"
#include "formats/teeworlds/item/layer.h"
#include "formats/teeworlds/item/version.h"
#include "formats/teeworlds/model/fields.h"

static int set_name(struct tw_name *name, const char *text, size_t n)
{
	if (n == 0)
		return 0;
	name->text = malloc(n);
	if (!name->text)
		return -ENOMEM;
	memcpy(name->text, text, n);
	name->size = (uint16_t)n;
	return 0;
}

size_t tw_name_of_ints(const int32_t *v, unsigned n, char *dst)
{
	size_t len = 0, limit = 4 * (size_t)n - 1;
	bool any = false;

	for (unsigned i = 0; i < n; i++)
		any |= v[i] != 0;
	for (; any && len < limit; len++) {
		uint32_t byte = (uint32_t)v[len / 4] >> (24 - 8 * (len % 4)) & 0xff;

		if (byte == 128)
			break;
		dst[len] = (char)(byte - 128);
	}
	return len;
}

/* Read a name from a blob. A missing or damaged blob gives an empty name. */
static int read_blob_name(
	const struct tw_map *m, const struct tw_item *it, uint32_t field, struct tw_name *ret)
{
	struct blob *b = tw_get_blob(m, it, field);
	char text[TW_NAME_READ_MAX];
	size_t got;
	int r;

	if (!b)
		return 0;
	r = blob_prefix(b, text, sizeof(text), &got, NULL);
	/* Require the whole blob to be sound; the result is cached, as many items may share it. */
	if (r == 0 && b->size > sizeof(text))
		r = blob_is_damaged(b) ? -EIO : blob_check(b, NULL);
	if (r < 0)
		return r == -ENOMEM ? r : 0;
	return set_name(ret, text, strnlen(text, got));
}

static int read_item_name(const struct tw_item *it, struct tw_name *ret)
{
	struct tw_name_place p;
	char text[64];

	if (!tw_name_place(it, &p) || !tw_has_name(it, &p))
		return 0;
	return set_name(ret, text, tw_name_of_ints(it->ints->v + p.at, p.n, text));
}

int tw_name_read(
	const struct tw_map *m, enum tw_sort sort, const struct tw_item *it, struct tw_name *ret)
{
	ret->is_json = tw_sorts[sort].is_embedded && !tw_sorts[sort].is_embedded(m, it);
	if (sort == TW_SORT_IMAGE)
		return read_blob_name(m, it, TW_IMG_NAME, ret);
	return sort == TW_SORT_SOUND ? read_blob_name(m, it, TW_SND_NAME, ret)
				     : read_item_name(it, ret);
}

static int read_names(const struct tw_map *m, enum tw_sort sort, struct tw_name_list *list)
{
	const struct tw_type *t = tw_type(m, tw_sort_type(sort));
	int r;

	if (!t)
		return 0;
	list->v = calloc(t->n, sizeof(*list->v));
	if (!list->v)
		return -ENOMEM;
	for (; list->n < t->n; list->n++) {
		r = tw_name_read(m, sort, &m->items[t->items[list->n]], &list->v[list->n]);
		if (r < 0)
			return r;
	}
	return 0;
}

/* Record the form of each layer, and the layers that each group shows. */
static int read_tree(const struct tw_map *m, struct tw_names *names)
{
	uint32_t n_groups = names->lists[TW_SORT_GROUP].n, n_layers = names->lists[TW_SORT_LAYER].n;

	names->groups = calloc((size_t)n_groups + 1, sizeof(*names->groups));
	names->forms = calloc((size_t)n_layers + 1, sizeof(*names->forms));
	if (!names->groups || !names->forms)
		return -ENOMEM;
	for (uint32_t i = 0; i < n_layers; i++)
		names->forms[i] = (uint8_t)tw_layer_form(m, tw_item_at(m, TW_LAYER, i));
	for (uint32_t i = 0; i < n_groups; i++)
		names->groups[i] = tw_group_layers(m, i);
	return 0;
}

static void free_names(struct tw_names *n)
{
	for (int i = 0; i < TW_SORTS; i++) {
		for (uint32_t l = 0; l < n->lists[i].n; l++)
			free(n->lists[i].v[l].text);
		free(n->lists[i].v);
	}
	free(n->groups);
	free(n->forms);
	tw_index_unref(n->index);
	tw_listing_finish(&n->table);
	free(n);
}

bool tw_mounted_uuid(const struct tw_map *m, unsigned type, char ret[37])
{
	uint8_t u[16];
	size_t n = 0;

	if (!tw_type_uuid(tw_mounted(m)->index, type, u))
		return false;
	for (unsigned k = 0; k < 16; k++)
		n += (size_t)snprintf(ret + n, 37 - n, "%s%02x",
			k == 4 || k == 6 || k == 8 || k == 10 ? "-" : "", u[k]);
	return true;
}

uint32_t tw_shown_groups(const struct tw_map *m)
{
	uint32_t n = tw_names(m, TW_SORT_GROUP)->n;

	return n <= UINT16_MAX ? n : UINT16_MAX + 1;
}

const struct tw_layer_range *tw_mounted_group(const struct tw_map *m, uint32_t group)
{
	return group < tw_shown_groups(m) ? &tw_mounted(m)->groups[group] : NULL;
}

/* Number of digits of the largest position in a list. */
static int count_digits(uint32_t count)
{
	int n = 1;

	for (uint32_t last = count ? count - 1 : 0; last >= 10; last /= 10)
		n++;
	return n;
}

size_t tw_name_write(
	char *dst, uint32_t position, uint32_t count, const struct tw_name *name, size_t max)
{
	size_t n = (size_t)sprintf(dst, "%0*u", count_digits(count), position);

	if (name->size == 0)
		return n;
	dst[n++] = '_';
	return n + name_escape(name->text, name->size, dst + n, max - n);
}

int tw_name_at(const struct tw_map *m, enum tw_sort sort, const struct tw_item *it, uint32_t place,
	uint32_t count, char dst[NAME_MAX + 1])
{
	struct tw_name text = {0};
	int r = tw_name_read(m, sort, it, &text);
	size_t n;

	if (r < 0)
		return r;
	n = tw_name_write(dst, place, count, &text, tw_sorts[sort].stem_max);
	strcpy(dst + n, tw_ending_of(m, sort, it));
	free(text.text);
	return 0;
}

int tw_name_position(const char *name, size_t n, uint32_t count, uint32_t *ret)
{
	size_t want = (size_t)count_digits(count);
	uint64_t v = 0;

	if (n < want)
		return -ENOENT;
	for (size_t i = 0; i < want; i++) {
		if (name[i] < '0' || name[i] > '9')
			return -ENOENT;
		v = 10 * v + (uint64_t)(name[i] - '0');
	}
	if (v >= count)
		return -ENOENT;
	*ret = (uint32_t)v;
	return 0;
}

int tw_names_read(struct tw_map *m, const struct bytes *list, struct error *e)
{
	struct tw_names *names = calloc(1, sizeof(*names));
	int r = 0;

	if (!names)
		return error_set(e, -ENOMEM, "out of memory");
	m->shared->names = names;
	m->shared->free_names = free_names;
	names->index = tw_index_ref(m->index);
	for (int i = 0; r == 0 && m->shared->is_typed && i < TW_SORTS; i++)
		r = read_names(m, (enum tw_sort)i, &names->lists[i]);
	if (r == 0)
		r = read_tree(m, names);
	if (r < 0)
		return error_set(e, r, "out of memory");
	return list ? tw_listing_read(list, &names->table, e) : 0;
}
