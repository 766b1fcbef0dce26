/* SPDX-License-Identifier: Zlib */
/* classify: find the name class of a name in a directory. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/teeworlds/item/layer.h"
#include "formats/teeworlds/lens/kinds.h"
#include "formats/teeworlds/lens/layer/tree.h"
#include "formats/teeworlds/names/parse.h"
#include "formats/teeworlds/structure.h"

static int classify_object(enum tw_sort sort, const char *name, bool is_dir, struct error *e)
{
	size_t n = tw_stem_length(sort, name, NULL);
	struct tw_parsed_name parsed;
	int r;

	if (n == 0 || is_dir != !*tw_sorts[sort].ending)
		return NAME_SCRATCH;
	r = tw_numbered_parse(sort, name, n, &parsed, e);
	return r < 0 ? r : NAME_OBJECT;
}

static bool exists(const struct tw_item *it)
{
	return !it->is_removed || it->is_reserved;
}

/* Find the number of the next item of a type. -EPERM: objects are not added in raw/. */
static int next_item(const struct tw_map *m, unsigned type, size_t *ret, struct error *e)
{
	for (int i = 0; i < TW_SORTS; i++)
		if (tw_sort_type((enum tw_sort)i) == type)
			return error_set(e, -EPERM, "cannot add items of type %u in raw/", type);
	*ret = 0;
	for (size_t i = 0; i < m->n_items; i++)
		if (m->items[i].type == type && exists(&m->items[i]) && m->items[i].id >= *ret)
			*ret = m->items[i].id + 1U;
	return *ret > UINT16_MAX ? error_set(e, -ENOSPC, "the type has %u items (at most 65536)",
					   UINT16_MAX + 1)
				 : 0;
}

/* In raw/ the only valid new name is the next number. */
static int classify_raw(
	const struct tw_map *m, entry_id dir, const char *name, bool is_dir, struct error *e)
{
	size_t number = m->n_blobs;
	char next[16];
	int r = 0;

	if (is_dir || name[strspn(name, "0123456789")] != '\0')
		return NAME_SCRATCH;
	if (tw_id_kind(dir) == TW_K_RAW_TYPE)
		r = next_item(m, tw_id_index(dir), &number, e);
	else if (tw_id_kind(dir) != TW_K_RAW_DATA_DIR)
		r = NAME_SCRATCH;
	if (r < 0 || tw_id_kind(dir) < TW_K_RAW_TYPE)
		return r;
	snprintf(next, sizeof(next), "%05zu", number);
	if (strcmp(name, next) != 0)
		return error_set(e, -EINVAL, "%s is not the next number (%s)", name, next);
	return NAME_PART;
}

static int find_layer_part(entry_id dir, const char *name, entry_id *ret)
{
	static const enum tw_kind_id kinds[] = {TW_K_LAYER_JSON, TW_K_QUADS, TW_K_SOURCES};
	enum { N_KINDS = sizeof(kinds) / sizeof(kinds[0]) };
	char file[NAME_MAX + 1];

	for (unsigned i = 0; i < N_KINDS + TW_N_PLANES; i++) {
		*ret = tw_id2(i < N_KINDS ? kinds[i] : TW_K_PLANE, tw_id_a(dir), tw_id_b(dir),
			i < N_KINDS ? 0 : i - N_KINDS);
		tw_layer_file(*ret, file);
		if (strcmp(name, file) == 0)
			return 0;
	}
	return -ENOENT;
}

int tw_part(const struct tw_map *m, entry_id dir, const char *name, bool is_dir, entry_id *ret)
{
	int r = -ENOENT;

	if (tw_made_object(m, dir))
		r = tw_id_kind(dir) == TW_K_LAYER ? find_layer_part(dir, name, ret)
						  : tw_fixed_find(dir, name, ret);
	return r == 0 && (tw_kind(*ret)->child != NULL) == is_dir ? 0 : -ENOENT;
}

/* Returns the enum name_kind of a new name, or -errno. */
static int classify_new(
	const struct snapshot *s, entry_id dir, const char *name, bool is_dir, struct error *e)
{
	enum tw_sort sort = tw_sort_in(dir);
	entry_id part;

	if (tw_id_kind(dir) >= TW_K_RAW)
		return classify_raw(tw_map_of(s), dir, name, is_dir, e);
	if (name[0] == '.')
		return NAME_SCRATCH;
	if (!is_dir && tw_fixed_find(dir, name, &part) == 0 && tw_id_kind(part) == TW_K_PICTURE)
		return NAME_GENERATED;
	if (sort != TW_SORTS)
		return classify_object(sort, name, is_dir, e);
	return tw_part(tw_map_of(s), dir, name, is_dir, &part) == 0 ? NAME_PART : NAME_SCRATCH;
}

/* Find an entry that was added in raw/ and has no content yet, so that no listing shows it. */
static int find_added(const struct tw_map *m, entry_id dir, const char *name, entry_id *ret)
{
	unsigned long number = strtoul(name, NULL, 10);
	char shown[24];

	snprintf(shown, sizeof(shown), "%05lu", number);
	if (strcmp(shown, name) != 0)
		return -ENOENT;
	*ret = tw_id(TW_K_RAW_DATA, (uint32_t)number, 0);
	if (tw_id_kind(dir) == TW_K_RAW_DATA_DIR)
		return number >= m->shared->n_blobs && number < m->n_blobs && !m->blobs[number]
			       ? 0
			       : -ENOENT;
	for (size_t i = 0; tw_id_kind(dir) == TW_K_RAW_TYPE && i < m->n_items; i++) {
		const struct tw_item *it = &m->items[i];

		*ret = tw_id(TW_K_RAW_ITEM, (uint32_t)i, 0);
		if (it->is_reserved && it->type == tw_id_index(dir) && it->id == number)
			return 0;
	}
	return -ENOENT;
}

/* Find the entry that had this name at the mount, or was added in raw/. -ENOENT. */
static int find_known(const struct snapshot *s, entry_id dir, const char *name, entry_id *ret)
{
	const struct tw_map *m = tw_map_of(s);
	const struct tw_kind *k = tw_kind(dir);

	if (!k || !k->child)
		return -ENOENT;
	if (tw_sort_in(dir) != TW_SORTS)
		return tw_object_find(m, dir, name, ret);
	if (tw_kind_find(m, dir, name, ret) == 0)
		return 0;
	return tw_id_kind(dir) >= TW_K_RAW ? find_added(m, dir, name, ret) : -ENOENT;
}

static void set_form(entry_id dir, const char *name, struct name_class *ret)
{
	enum tw_sort sort = tw_sort_in(dir);
	bool json = false;
	const char *other;
	size_t n = tw_stem_length(sort, name, &json);

	if (n == 0 || !tw_sorts[sort].is_embedded)
		return;
	ret->form = json ? ENTRY_FORM : 0;
	other = json ? tw_sorts[sort].ending : ".json";
	if (n + strlen(other) > NAME_MAX)
		return;
	memcpy(ret->alternate, name, n);
	strcpy(ret->alternate + n, other);
}

static bool accepts_object(entry_id object, entry_id dir, const char *name)
{
	enum tw_sort sort = tw_sort_of(object);
	bool json = false;
	struct tw_parsed_name parsed;
	size_t n;

	if (sort == TW_SORTS || tw_sort_in(dir) != sort)
		return false;
	n = tw_stem_length(sort, name, &json);
	if (n == 0 || (tw_sorts[sort].is_embedded && json != (bool)(object & ENTRY_FORM)))
		return false;
	return tw_numbered_parse(sort, name, n, &parsed, NULL) == 0;
}

/* Explain a scratch name: the directory accepts other endings, or the layer's item and data
 * disagree, so the layer has no such file. */
static void set_reason(
	const struct tw_map *m, entry_id dir, const char *name, struct name_class *ret)
{
	enum tw_sort sort = tw_sort_in(dir);
	const struct tw_item *it = NULL;
	struct error e = ERROR_INIT;
	entry_id part;

	if (sort != TW_SORTS && tw_sorts[sort].accepts)
		snprintf(ret->reason, sizeof(ret->reason), "%s takes %s", tw_sorts[sort].path,
			tw_sorts[sort].accepts);
	if (tw_id_kind(dir) == TW_K_LAYER && find_layer_part(dir, name, &part) == 0)
		it = tw_item_at(m, TW_LAYER, tw_id_b(dir));
	if (it && tw_layer_check(m, it, &e) < 0)
		snprintf(ret->reason, sizeof(ret->reason), "%s", error_text(&e));
}

int tw_classify(const struct snapshot *s, entry_id dir, const char *name, bool is_dir,
	entry_id object, struct name_class *ret, struct error *e)
{
	int r = NAME_SCRATCH;

	*ret = (struct name_class){.kind = NAME_SCRATCH};
	/* Known names, too: a change of other files may have removed the file. */
	if (tw_id_kind(dir) >= TW_K_RAW && tw_map_of(s)->shared->raw != TW_RAW_RW)
		return error_set(e, -EACCES, "raw/ is read-only (use -o raw=rw)");
	/* A directory with the name of a file is scratch, and the other way round. */
	ret->is_known = find_known(s, dir, name, &ret->id) == 0 &&
			(tw_kind(ret->id)->child != NULL) == is_dir;
	if (ret->is_known)
		r = tw_sort_in(dir) == TW_SORTS ? NAME_PART : NAME_OBJECT;
	else
		r = classify_new(s, dir, name, is_dir, e);
	if (r < 0)
		return r;
	ret->kind = (enum name_kind)r;
	if (r == NAME_SCRATCH && !is_dir && name[0] != '.')
		set_reason(tw_map_of(s), dir, name, ret);
	ret->accepts_object = accepts_object(object, dir, name);
	/* Digits alone are a name of images and sounds; groups and layers have no ending. */
	ret->is_position_only = tw_sort_in(dir) == TW_SORT_ENVELOPE;
	set_form(dir, name, ret);
	return 0;
}
