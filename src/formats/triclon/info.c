/* SPDX-License-Identifier: Zlib */
/* info: info.json. Names are bytes of an unknown encoding. */
#include <errno.h>
#include <string.h>

#include "codec/text/json.h"
#include "codec/text/text.h"
#include "formats/triclon/map.h"

enum {
	TEXT_MAX = 64 << 10,
	NUL_PICTURE = 0x2400, /* stands for a NUL, which JSON strings hold none of here */
};

static const char *coordinates(const struct tcm_variant *v)
{
	return v->real ? "float" : "integer";
}

/* A name as UTF-8: as it stands if it is that, else read as Latin-1. */
static void show_name(const struct bytes *name, struct buffer *to)
{
	bool utf8 = utf8_valid(name->data, name->size);
	uint8_t c[4];

	for (size_t i = 0; i < name->size; i++) {
		if (name->data[i] == 0)
			buffer_append(to, c, utf8_put(NUL_PICTURE, c));
		else if (utf8)
			buffer_byte(to, name->data[i]);
		else
			buffer_append(to, c, utf8_put(name->data[i], c));
	}
}

static void show_key(struct jsonw *w, const char *key, const struct bytes *name, struct buffer *to)
{
	CLEANUP_BUFFER struct buffer text = BUFFER_INIT;

	show_name(name, &text);
	if (text.error)
		to->error = text.error;
	jsonw_key(w, key);
	jsonw_string(w, (const char *)text.data, text.size);
}

void tcm_info_show(const struct tcm_map *m, struct buffer *to)
{
	const struct tcm_variant *v = &m->variant;
	struct jsonw w;

	jsonw_to_buffer(&w, to);
	jsonw_object(&w);
	show_key(&w, "name", m->name, to);
	show_key(&w, "author", m->author, to);
	jsonw_key(&w, "variant");
	jsonw_object(&w);
	jsonw_key_string(&w, "tag", v->tag);
	for (int q = 0; q < TCM_QUESTIONS; q++)
		jsonw_key_string(&w, tcm_questions[q].key, tcm_questions[q].words[v->answers[q]]);
	jsonw_key_string(&w, "coordinates", coordinates(v));
	jsonw_end(&w);
	jsonw_end(&w);
}

/* The way back, in UTF-8 or Latin-1; false: it takes more than Latin-1 has. */
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

static int take_name(
	const struct json_at *root, const char *key, struct bytes **name, struct error *e)
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
	/* Who wrote Latin-1 goes on doing so, unless the bytes would be taken for UTF-8. */
	if (utf8_valid((*name)->data, (*name)->size) || !store_name(text, n, false, &stored) ||
		utf8_valid(stored.data, stored.size)) {
		stored.size = 0;
		(void)store_name(text, n, true, &stored);
	}
	if (stored.size > TCM_NAME_MAX)
		return json_refuse(&at, e, "has %zu bytes, at most %d", stored.size, TCM_NAME_MAX);
	if (shown.error || buffer_finish(&stored, &b) < 0)
		return error_set(e, -ENOMEM, "no memory for a name");
	tcm_set(name, b);
	return 0;
}

static int take_answer(
	const struct json_at *variant, enum tcm_question q, int *ret, struct error *e)
{
	struct json_at at;
	const char *text;
	int r, answer;

	if (!json_get(variant, tcm_questions[q].key, &at))
		return 0;
	r = json_as_string(&at, &text, NULL, e);
	if (r < 0)
		return r;
	answer = tcm_answer(q, text);
	if (answer < 0)
		return json_refuse(&at, e, "must be %s", tcm_questions[q].all);
	*ret = answer;
	return 0;
}

/* What cannot be other than it is. */
static int expect_word(
	const struct json_at *variant, const char *key, const char *word, struct error *e)
{
	struct json_at at;
	const char *text;
	int r;

	if (!json_get(variant, key, &at))
		return 0;
	r = json_as_string(&at, &text, NULL, e);
	if (r == 0 && strcmp(text, word) != 0)
		r = json_refuse(&at, e, "must stay %s", word);
	return r;
}

static int take_variant(const struct json_at *root, struct tcm_variant *v, struct error *e)
{
	static const char *const keys[] = {"tag", "endian", "lists", "points", "coordinates", NULL};
	struct json_at at;
	int r;

	if (!json_get(root, "variant", &at))
		return 0;
	r = json_expect_object(&at, keys, e);
	if (r == 0)
		r = expect_word(&at, "tag", v->tag, e);
	if (r == 0)
		r = expect_word(&at, "coordinates", coordinates(v), e);
	for (int q = 0; r == 0 && q < TCM_QUESTIONS; q++)
		r = take_answer(&at, (enum tcm_question)q, &v->answers[q], e);
	return r;
}

int tcm_info_parse(struct tcm_map *m, const struct extent *in, struct error *e)
{
	static const char *const keys[] = {"name", "author", "variant", NULL};
	CLEANUP_JSON struct json_doc doc = {0};
	struct json_at root;
	int r = json_doc_load(in, TEXT_MAX, &doc, e);

	if (r < 0)
		return r;
	root = json_root(&doc);
	r = json_expect_object(&root, keys, e);
	if (r == 0)
		r = take_name(&root, "name", &m->name, e);
	if (r == 0)
		r = take_name(&root, "author", &m->author, e);
	if (r == 0)
		r = take_variant(&root, &m->variant, e);
	return r;
}
