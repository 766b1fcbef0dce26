/* SPDX-License-Identifier: Zlib */
/*
 * info: .mod/info.json, the header of a MOD.
 *
 * Requirements and their hash need the required mods, so they cannot be edited. They can only be
 * copied unchanged into a new MOD. A PAK has no header, and its info.json says so. It accepts the
 * info.json of a MOD, with a note that it is dropped, so that a whole mount can be copied onto a
 * PAK.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "codec/text/json.h"
#include "codec/text/text.h"
#include "formats/torchlight/lens/lens.h"

enum { INFO_MAX = 16 << 20, HASH_DIGITS = 16 };

static const char *const string_keys[MOD_STRINGS] = {
	"title", "author", "description", "website", "download"};
static const char *const known_mod[] = {"format", "header", "title", "author", "description",
	"website", "download", "version", "game_version", "id", "flags", "requirements_hash",
	"requirements", NULL};
static const char *const known_requirement[] = {"name", "id", "version", NULL};

static void put_requirements(struct jsonw *w, const struct mod_header *h)
{
	struct cursor c = cursor_init(h->requirements.s, h->requirements.n);

	jsonw_array(w);
	for (unsigned i = 0; i < h->n_requirements; i++) {
		CLEANUP_BUFFER struct buffer name = BUFFER_INIT;

		ss_to_utf8(cursor_ss(&c), &name);
		jsonw_object(w);
		jsonw_key(w, "name");
		jsonw_string(w, str_of_buffer(&name).s, name.size);
		jsonw_key_int(w, "id", cursor_i64(&c));
		jsonw_key_int(w, "version", h->version >= 2 ? cursor_u16(&c) : 0);
		jsonw_end(w);
	}
	jsonw_end(w);
}

static void put_mod(struct jsonw *w, const struct mod_header *h)
{
	char hash[HASH_DIGITS + 1];

	jsonw_key_int(w, "header", h->version);
	for (int i = 0; i < MOD_STRINGS; i++) {
		jsonw_key(w, string_keys[i]);
		jsonw_string(w, h->strings[i].s, h->strings[i].n);
	}
	jsonw_key_int(w, "version", h->mod_version);
	jsonw_key(w, "game_version");
	jsonw_array(w);
	for (int i = 0; i < MOD_GAME_VERSION_WORDS; i++)
		jsonw_int(w, h->game_version[i]);
	jsonw_end(w);
	jsonw_key_int(w, "id", h->id);
	jsonw_key_int(w, "flags", h->flags);
	snprintf(hash, sizeof(hash), "%016" PRIX64, h->requirements_hash);
	jsonw_key_string(w, "requirements_hash", hash);
	jsonw_key(w, "requirements");
	put_requirements(w, h);
}

void tl_info_write(const struct tl_map *m, struct buffer *out)
{
	struct jsonw w;

	jsonw_to_buffer(&w, out);
	jsonw_object(&w);
	jsonw_key_string(&w, "format", m->header ? "mod" : "pak");
	if (m->header)
		put_mod(&w, m->header);
	else
		jsonw_key_int(&w, "manifest", tl_mounted(m)->version);
	jsonw_end(&w);
}

/* Is s what info.json shows for t? JSON has no half surrogates: each of their bytes is U+FFFD. */
static bool is_shown_as(const struct text *t, const char *s, size_t n)
{
	for (size_t at = 0, len; at < t->n; at += len ? len : 1) {
		const char *shown = t->s + at;
		size_t size = len = utf8_next(shown, t->n - at, NULL);

		if (!len) {
			shown = "\xEF\xBF\xBD";
			size = 3;
		}
		if (n < size || memcmp(s, shown, size) != 0)
			return false;
		s += size;
		n -= size;
	}
	return n == 0;
}

static int check_units(const struct json_at *at, const char *s, size_t n, struct error *e)
{
	return str_units((struct str){s, n}) <= UINT16_MAX
		       ? 0
		       : json_refuse(at, e, "at most %u UTF-16 units", UINT16_MAX);
}

static int read_string(const struct json_at *at, struct text *t, struct error *e)
{
	const char *s = NULL;
	size_t n = 0;
	int r = json_as_string(at, &s, &n, e);

	if (r < 0 || is_shown_as(t, s, n))
		return r;
	r = check_units(at, s, n, e);
	return r < 0 ? r : text_set(t, s, n);
}

static int read_int(const struct json_at *at, const char *key, int64_t min, int64_t max,
	int64_t *ret, struct error *e)
{
	struct json_at value;

	return json_get(at, key, &value) ? json_as_int_within(&value, min, max, ret, e) : 0;
}

static int read_u16(const struct json_at *at, const char *key, uint16_t *ret, struct error *e)
{
	int64_t v = *ret;
	int r = read_int(at, key, 0, UINT16_MAX, &v, e);

	*ret = (uint16_t)v;
	return r;
}

static int read_numbers(const struct json_at *at, struct mod_header *h, struct error *e)
{
	uint16_t version = h->mod_version;
	struct json_at words, word;
	int r = read_u16(at, "version", &h->mod_version, e);

	if (r == 0 && h->version == 1 && h->mod_version != version) {
		json_get(at, "version", &word);
		r = json_refuse(&word, e, "cannot be changed in a header of version 1");
	}
	if (r == 0)
		r = read_int(at, "id", INT64_MIN, INT64_MAX, &h->id, e);
	if (r < 0 || !json_get(at, "game_version", &words))
		return r;
	r = json_expect_array_of(&words, MOD_GAME_VERSION_WORDS, e);
	for (size_t i = 0; r == 0 && i < MOD_GAME_VERSION_WORDS; i++) {
		int64_t v = 0;

		word = json_element(&words, i);
		r = json_as_int_within(&word, 0, UINT16_MAX, &v, e);
		h->game_version[i] = (uint16_t)v;
	}
	return r;
}

static int read_requirement(
	const struct json_at *at, const struct mod_header *h, struct buffer *out, struct error *e)
{
	const char *name = NULL;
	size_t n = 0;
	struct json_at value;
	uint16_t version = 0;
	int64_t id = 0;
	int r = json_expect_object(at, known_requirement, e);

	if (r == 0)
		r = json_need(at, "name", &value, e);
	if (r == 0)
		r = json_as_string(&value, &name, &n, e);
	if (r == 0)
		r = check_units(&value, name, n, e);
	if (r == 0)
		r = read_int(at, "id", INT64_MIN, INT64_MAX, &id, e);
	if (r == 0)
		r = read_u16(at, "version", &version, e);
	if (r == 0 && h->version < 2 && version)
		r = json_refuse(at, e, "a header of version 1 has no versions of requirements");
	if (r == 0)
		r = ss_put(out, (struct str){name, n}, e);
	buffer_u64(out, (uint64_t)id);
	if (h->version >= 2)
		buffer_u16(out, version);
	return r < 0 ? r : out->error;
}

static int read_requirements(const struct json_at *at, struct mod_header *h, struct error *e)
{
	CLEANUP_BUFFER struct buffer out = BUFFER_INIT;
	size_t n = 0;
	int r = json_expect_array(at, &n, e);

	if (r == 0 && n > UINT16_MAX)
		r = json_refuse(at, e, "at most %u requirements", UINT16_MAX);
	for (size_t i = 0; r == 0 && i < n; i++) {
		struct json_at element = json_element(at, i);

		r = read_requirement(&element, h, &out, e);
	}
	if (r < 0)
		return r;
	h->n_requirements = (uint16_t)n;
	return text_set(&h->requirements, out.data, out.size);
}

static int read_hash(const struct json_at *at, struct mod_header *h, struct error *e)
{
	const char *s = NULL;
	size_t n = 0;
	int r = json_as_string(at, &s, &n, e);

	if (r < 0)
		return r;
	if (n != HASH_DIGITS || strspn(s, "0123456789abcdefABCDEF") != n)
		return json_refuse(at, e, "must be 16 hexadecimal digits");
	h->requirements_hash = strtoull(s, NULL, 16);
	return 0;
}

static int read_fixed(const struct json_at *at, struct mod_header *h, struct error *e)
{
	int64_t flags = h->flags;
	struct json_at value;
	int r = read_int(at, "flags", 0, UINT32_MAX, &flags, e);

	h->flags = (uint32_t)flags;
	if (r == 0 && json_get(at, "requirements_hash", &value))
		r = read_hash(&value, h, e);
	if (r == 0 && json_get(at, "requirements", &value))
		r = read_requirements(&value, h, e);
	return r;
}

static bool same_fixed(const struct mod_header *a, const struct mod_header *b)
{
	return a->flags == b->flags && a->requirements_hash == b->requirements_hash &&
	       a->n_requirements == b->n_requirements &&
	       text_same(&a->requirements, &b->requirements);
}

bool tl_info_same(const struct mod_header *a, const struct mod_header *b)
{
	for (int i = 0; i < MOD_STRINGS; i++)
		if (!text_same(&a->strings[i], &b->strings[i]))
			return false;
	return a->mod_version == b->mod_version && a->id == b->id &&
	       !memcmp(a->game_version, b->game_version, sizeof(a->game_version)) &&
	       same_fixed(a, b);
}

static int parse_mod(
	const struct tl_map *m, const struct json_at *at, struct mod_header *h, struct error *e)
{
	const struct mod_header *old = m->header;
	struct json_at value;
	int64_t header = old->version;
	int r = json_expect_object(at, known_mod, e);

	if (r == 0)
		r = read_int(at, "header", 1, MOD_VERSION, &header, e);
	if (r == 0 && header != old->version && !m->shared->fresh) {
		json_get(at, "header", &value);
		r = json_refuse(&value, e, "must stay %u", old->version);
	}
	for (int i = 0; r == 0 && i < MOD_STRINGS; i++)
		if (json_get(at, string_keys[i], &value))
			r = read_string(&value, &h->strings[i], e);
	if (r == 0)
		r = read_numbers(at, h, e);
	if (r == 0)
		r = read_fixed(at, h, e);
	if (r == 0 && !m->shared->fresh && !same_fixed(old, h))
		r = json_refuse(at, e,
			"flags, requirements and their hash cannot be changed: this needs the "
			"required mods");
	return r;
}

int tl_info_parse(const struct tl_map *m, const struct extent *in, struct mod_header *h,
	bool *ret_pak, struct error *e)
{
	CLEANUP_JSON struct json_doc doc = {0};
	struct json_at at, format;
	const char *kind = m->header ? "mod" : "pak";
	int r = json_doc_load(in, INFO_MAX, &doc, e);

	if (r < 0)
		return r == -EFBIG ? error_set(e, -EINVAL,
					     "the file is too long (at most %d bytes)", INFO_MAX)
				   : r;
	at = json_root(&doc);
	r = 0;
	if (json_get(&at, "format", &format))
		r = json_as_string(&format, &kind, NULL, e);
	if (r < 0)
		return r;
	*ret_pak = strcmp(kind, "pak") == 0;
	if (!*ret_pak && strcmp(kind, "mod") != 0)
		return json_refuse(&format, e, "must be \"mod\" or \"pak\"");
	return m->header && !*ret_pak ? parse_mod(m, &at, h, e) : 0;
}
