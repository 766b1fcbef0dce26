/* SPDX-License-Identifier: Zlib */
/* info: info.json. Names are bytes of an unknown encoding. */
#include <errno.h>
#include <string.h>

#include "codec/json.h"
#include "codec/text.h"
#include "formats/triclon/variant.h"

enum { FILE_MAX = 64 << 10 };

/* JSON strings hold no NUL here; its picture, U+2400, stands for one. */
static const char nul_picture[] = "\xe2\x90\x80";
enum { NUL_PICTURE = 0x2400 };

/* A name as UTF-8: as it stands if it is that, else read as Latin-1. */
static void show_name(const struct bytes *name, struct buffer *to)
{
	bool utf8 = utf8_valid(name->data, name->size);
	uint8_t c[4];

	for (size_t i = 0; i < name->size; i++) {
		if (name->data[i] == 0)
			buffer_text(to, nul_picture);
		else if (utf8)
			buffer_byte(to, name->data[i]);
		else
			buffer_append(to, c, utf8_put(name->data[i], c));
	}
}

/* The way back; false: it takes more than Latin-1 has. */
static bool store_name(const char *text, size_t n, bool utf8, struct buffer *to)
{
	for (uint32_t c; n;) {
		size_t len = utf8_next(text, n, &c);

		if (c == NUL_PICTURE)
			buffer_byte(to, 0);
		else if (utf8)
			buffer_append(to, text, len);
		else if (c <= 0xff)
			buffer_byte(to, (uint8_t)c);
		else
			return false;
		text += len;
		n -= len;
	}
	return true;
}

/* An author who wrote Latin-1 goes on doing so, unless the bytes would be taken for UTF-8. */
static bool goes_on_as_latin1(
	const struct bytes *old, const char *text, size_t n, struct buffer *to)
{
	if (utf8_valid(old->data, old->size) || !store_name(text, n, false, to))
		return false;
	for (size_t i = 0; i < to->size; i++)
		if (to->data[i] >= 0x80)
			return !utf8_valid(to->data, to->size);
	return true;
}

static int take_name(const struct json_at *root, const char *key, struct bytes **name,
	bool *ret_changed, struct error *e)
{
	CLEANUP_BUFFER struct buffer shown = BUFFER_INIT;
	CLEANUP_BUFFER struct buffer stored = BUFFER_INIT;
	struct json_at at;
	const char *text;
	struct bytes *b;
	size_t n;
	int r;

	if (!json_get(root, key, &at))
		return 0;
	r = json_as_string(&at, &text, &n, e);
	if (r < 0)
		return r;
	show_name(*name, &shown);
	if (!shown.error && shown.size == n && (n == 0 || memcmp(shown.data, text, n) == 0))
		return 0;
	if (!goes_on_as_latin1(*name, text, n, &stored)) {
		stored.size = 0;
		(void)store_name(text, n, true, &stored);
	}
	if (stored.size > TCM_TEXT_MAX)
		return json_refuse(&at, e, "has %zu bytes, at most %d", stored.size, TCM_TEXT_MAX);
	if (shown.error || buffer_finish(&stored, &b) < 0)
		return error_set(e, -ENOMEM, "no memory for a name");
	bytes_unref(*name);
	*name = b;
	*ret_changed = true;
	return 0;
}

/* One of the words; -1 in *ret stays where the key is absent. */
static int take_word(const struct json_at *variant, const char *key, const char *const *words,
	int min, int *ret, struct error *e)
{
	struct json_at at;
	const char *text;
	int r;

	if (!json_get(variant, key, &at))
		return 0;
	r = json_as_string(&at, &text, NULL, e);
	if (r < 0)
		return r;
	for (int i = min; words[i]; i++) {
		if (strcmp(text, words[i]) == 0) {
			*ret = i;
			return 0;
		}
	}
	return json_refuse(&at, e, "must be %s%s%s or %s", words[min], words[min + 2] ? ", " : "",
		words[min + 2] ? words[min + 1] : "",
		words[min + 2] ? words[min + 2] : words[min + 1]);
}

/* What cannot be other than it is. */
static int expect_word(
	const struct json_at *variant, const char *key, const char *word, size_t n, struct error *e)
{
	struct json_at at;
	const char *text;
	size_t len;
	int r;

	if (!json_get(variant, key, &at))
		return 0;
	r = json_as_string(&at, &text, &len, e);
	if (r == 0 && (len != n || memcmp(text, word, n) != 0))
		r = json_refuse(&at, e, "must stay %.*s", (int)n, word);
	return r;
}

static const char *coordinates(const struct tcm_variant *v)
{
	return v->real ? "float" : "integer";
}

static int take_variant(
	const struct json_at *root, struct tcm_variant *v, bool *ret_changed, struct error *e)
{
	static const char *const keys[] = {"tag", "endian", "lists", "points", "coordinates", NULL};
	int endian = v->big, lists = (int)v->lists, points = (int)v->points;
	struct json_at at;
	int r;

	if (!json_get(root, "variant", &at))
		return 0;
	r = json_expect_object(&at, keys, e);
	if (r == 0)
		r = expect_word(&at, "tag", v->tag, sizeof(v->tag), e);
	if (r == 0)
		r = take_word(&at, "endian", tcm_endian_words, 0, &endian, e);
	if (r == 0)
		r = take_word(&at, "lists", tcm_size_words, TCM_BYTES, &lists, e);
	if (r == 0)
		r = take_word(&at, "points", tcm_size_words, TCM_NONE, &points, e);
	if (r == 0)
		r = expect_word(&at, "coordinates", coordinates(v), strlen(coordinates(v)), e);
	if (r < 0)
		return r;
	*ret_changed |= endian != v->big || lists != (int)v->lists || points != (int)v->points;
	v->big = endian;
	v->lists = (enum tcm_size)lists;
	v->points = (enum tcm_size)points;
	return 0;
}

void tcm_info_show(const struct tcm_map *m, struct buffer *to)
{
	const struct tcm_variant *v = &m->variant;
	CLEANUP_BUFFER struct buffer name = BUFFER_INIT;
	CLEANUP_BUFFER struct buffer author = BUFFER_INIT;
	struct jsonw w;

	show_name(m->name, &name);
	show_name(m->author, &author);
	if (name.error || author.error) {
		to->error = -ENOMEM;
		return;
	}
	jsonw_to_buffer(&w, to);
	jsonw_object(&w);
	jsonw_key(&w, "name");
	jsonw_string(&w, (const char *)name.data, name.size);
	jsonw_key(&w, "author");
	jsonw_string(&w, (const char *)author.data, author.size);
	jsonw_key(&w, "variant");
	jsonw_object(&w);
	jsonw_key(&w, "tag");
	jsonw_string(&w, v->tag, sizeof(v->tag));
	jsonw_key_string(&w, "endian", tcm_endian_words[v->big]);
	jsonw_key_string(&w, "lists", tcm_size_words[v->lists]);
	jsonw_key_string(&w, "points", tcm_size_words[v->points]);
	jsonw_key_string(&w, "coordinates", coordinates(v));
	jsonw_end(&w);
	jsonw_end(&w);
}

int tcm_info_parse(
	const struct tcm_map *m, const struct extent *in, struct tcm_map **ret, struct error *e)
{
	static const char *const keys[] = {"name", "author", "variant", NULL};
	CLEANUP_JSON struct json_doc doc = {0};
	struct tcm_map *c;
	struct json_at root;
	bool changed = false;
	int r = json_doc_load(in, FILE_MAX, &doc, e);

	if (r < 0)
		return r == -EFBIG ? error_set(e, -EINVAL,
					     "line 1: the file has more than %d bytes", FILE_MAX)
				   : r;
	c = tcm_map_copy(m);
	if (!c)
		return error_set(e, -ENOMEM, "no memory for another version of the map");
	root = json_root(&doc);
	r = json_expect_object(&root, keys, e);
	if (r == 0)
		r = take_name(&root, "name", &c->name, &changed, e);
	if (r == 0)
		r = take_name(&root, "author", &c->author, &changed, e);
	if (r == 0)
		r = take_variant(&root, &c->variant, &changed, e);
	if (r == 0 && changed)
		*ret = c;
	else
		snapshot_unref(&c->base);
	return r;
}
