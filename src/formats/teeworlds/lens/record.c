/* SPDX-License-Identifier: Zlib */
#include "formats/teeworlds/lens/record.h"

#include <errno.h>
#include <string.h>

#include "formats/teeworlds/item/version.h"
#include "formats/teeworlds/model/fields.h"

const struct json_word tw_type_words[] = {
	{"tiles", TW_LAYER_TILES},
	{"quads", TW_LAYER_QUADS},
	{"sounds", TW_LAYER_SOUNDS},
	{"old_sounds", TW_LAYER_OLD_SOUNDS},
	{NULL, 0},
};

const struct json_word tw_kind_words[] = {
	{"design", 0},
	{"game", 1},
	{"tele", 2},
	{"speedup", 4},
	{"front", 8},
	{"switch", 16},
	{"tune", 32},
	{NULL, 0},
};

enum { KEYS_MAX = 20, INTS_MAX = 16 /* of one key */ };

static bool has_key(const struct tw_record *rec, const struct tw_key *key)
{
	return (uint32_t)key->first + key->n <= rec->n && rec->version >= key->version;
}

static void write_value(
	struct jsonw *w, const struct tw_map *m, const struct tw_key *key, const int32_t *v)
{
	if (key->ref != TW_REF_NONE) {
		tw_ref_write(w, m, key->ref, v[0]);
	} else if (key->n == 1) {
		jsonw_word(w, key->words, v[0]);
	} else if (!key->row_length) {
		jsonw_ints(w, v, key->n);
	} else {
		jsonw_array(w);
		for (unsigned i = 0; i < key->n; i += key->row_length)
			jsonw_ints(w, v + i, key->row_length);
		jsonw_end(w);
	}
}

void tw_record_write(struct jsonw *w, const struct tw_map *m, const struct tw_record *rec)
{
	for (const struct tw_key *key = rec->keys; key->name; key++) {
		if (!has_key(rec, key))
			continue;
		jsonw_key(w, key->name);
		write_value(w, m, key, rec->v + key->first);
	}
}

int tw_record_expect(
	const struct json_at *at, const struct tw_key *keys, const char *extra, struct error *e)
{
	const char *known[KEYS_MAX + 2] = {NULL};
	size_t n = 0;

	for (; keys->name && n < KEYS_MAX; keys++)
		known[n++] = keys->name;
	known[n] = extra;
	return json_expect_object(at, known, e);
}

static int read_rows(
	const struct json_at *at, const struct tw_key *key, int32_t *v, struct error *e)
{
	int r = json_expect_array_of(at, key->n / key->row_length, e);

	for (unsigned i = 0; r == 0 && i < key->n; i += key->row_length) {
		struct json_at row = json_element(at, i / key->row_length);

		r = json_as_ints(&row, v + i, key->row_length, e);
	}
	return r;
}

static int read_value(const struct json_at *at, const struct tw_naming *names,
	const struct tw_key *key, int32_t *v, struct error *e)
{
	if (key->ref != TW_REF_NONE)
		return tw_ref_read(at, names, key->ref, v, e);
	if (key->words)
		return json_as_word(at, key->words, v, e);
	if (key->n == 1)
		return json_as_int(at, v, e);
	return key->row_length ? read_rows(at, key, v, e) : json_as_ints(at, v, key->n, e);
}

static int check_value(const struct json_at *at, const struct tw_key *key, int32_t old,
	int32_t value, struct error *e)
{
	char word[JSON_WORD_MAX];

	if (value == old)
		return 0;
	if (key->is_fixed)
		return json_refuse(
			at, e, "cannot be changed from %s", json_word_text(key->words, old, word));
	if ((key->min || key->max) && (value < key->min || value > key->max))
		return key->max == INT32_MAX
			       ? json_refuse(at, e, "must be at least %d", key->min)
			       : json_refuse(at, e, "must be %d to %d", key->min, key->max);
	return 0;
}

int tw_record_read(const struct json_at *at, const struct tw_naming *names,
	const struct tw_record *rec, struct error *e)
{
	for (const struct tw_key *key = rec->keys; key->name; key++) {
		int32_t v[INTS_MAX];
		struct json_at value;
		int r;

		if (!json_get(at, key->name, &value))
			continue;
		if (!has_key(rec, key))
			return json_refuse(
				&value, e, "the item in the map is too short for this key");
		memcpy(v, rec->v + key->first, key->n * sizeof(v[0]));
		r = read_value(&value, names, key, v, e);
		for (unsigned i = 0; r == 0 && i < key->n; i++)
			r = check_value(&value, key, rec->v[key->first + i], v[i], e);
		if (r < 0)
			return r;
		memcpy(rec->v + key->first, v, key->n * sizeof(v[0]));
	}
	return 0;
}

void tw_record_reset(const struct tw_record *rec)
{
	for (const struct tw_key *key = rec->keys; key->name; key++)
		for (unsigned i = 0; has_key(rec, key) && i < key->n; i++)
			rec->v[key->first + i] =
				key->initial_values ? key->initial_values[i] : key->initial;
}

struct tw_record tw_record_of(const struct tw_layout *l, struct tw_ints *v)
{
	return (struct tw_record){.keys = l->keys,
		.v = v->v,
		.n = v->n,
		.version = l->version_at < v->n ? v->v[l->version_at] : 0};
}

/* Find the version that the item needs for the file's version, its keys and the stored name. */
static int find_version(const struct json_at *root, const struct tw_layout *l,
	const struct tw_ints *old, int32_t *version, struct error *e)
{
	const struct tw_item it = {.type = l->type, .ints = (struct tw_ints *)(uintptr_t)old};
	struct tw_name_place p;
	char name[64];
	struct json_at at;
	int r = json_get_int(root, "version", version, NULL, e);

	for (const struct tw_key *key = l->keys; r == 0 && key->name; key++)
		if (key->version > *version && json_get(root, key->name, &at))
			*version = key->version;
	if (tw_name_place(&it, &p) && tw_has_name(&it, &p) && *version < p.since &&
		tw_name_of_ints(old->v + p.at, p.n, name) > 0)
		*version = p.since;
	return r;
}

int tw_record_item(const struct json_at *root, const struct tw_naming *names,
	const struct tw_layout *l, const struct tw_ints *old, struct tw_ints **ret, struct error *e)
{
	CLEANUP(tw_ints_unref) struct tw_ints *v = NULL;
	bool has_version = l->version_at < old->n;
	int32_t old_version = has_version ? old->v[l->version_at] : 0, version = old_version;
	struct tw_record rec;
	int r = find_version(root, l, old, &version, e);

	if (r < 0)
		return r;
	v = version != old_version && has_version ? l->convert(old, version)
						  : tw_ints_copy(old, old->n, 0);
	if (!v)
		return error_set(e, -ENOMEM, "out of memory");
	/* tw_record_read compares the version with the old one, to check the range of a change. */
	if (has_version)
		v->v[l->version_at] = old_version;
	rec = (struct tw_record){.keys = l->keys, .v = v->v, .n = v->n, .version = version};
	r = tw_record_read(root, names, &rec, e);
	if (has_version)
		v->v[l->version_at] = version;
	if (r == 0)
		*ret = TAKE(v);
	return r;
}
