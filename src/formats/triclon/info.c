/* SPDX-License-Identifier: Zlib */
/* info: info.json. The file does not name the encoding of its two names. */
#include <errno.h>
#include <string.h>

#include "base/cursor.h"
#include "codec/text/json.h"
#include "codec/text/text.h"
#include "formats/triclon/map.h"

enum {
	TEXT_MAX = 64 << 10,
	NUL_PICTURE = 0x2400, /* shown for a NUL, which these JSON strings cannot hold */
};

static const char *const names[] = {"name", "author"};

static struct cursor next_name(struct cursor *stored)
{
	size_t n = cursor_u8(stored);

	return cursor_init(cursor_take(stored, n), n);
}

/* Append a name as UTF-8. A name that is not UTF-8 is read as Latin-1. */
static void show_name(const struct cursor *name, struct buffer *to)
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

static const char *coordinates(const struct tcm_variant *v)
{
	return v->real ? "float" : "integer";
}

void tcm_info_show(const struct tcm_content *c, struct buffer *to)
{
	struct cursor stored = cursor_init(c->lists[TCM_INFO].data, c->lists[TCM_INFO].n);
	const struct tcm_variant *v = &c->variant;
	struct jsonw w;

	jsonw_to_buffer(&w, to);
	jsonw_object(&w);
	for (int i = 0; i < 2; i++) {
		CLEANUP_BUFFER struct buffer text = BUFFER_INIT;
		struct cursor name = next_name(&stored);

		show_name(&name, &text);
		if (text.error)
			to->error = text.error;
		jsonw_key(&w, names[i]);
		jsonw_string(&w, (const char *)text.data, text.size);
	}
	jsonw_key(&w, "variant");
	jsonw_object(&w);
	jsonw_key_string(&w, "tag", v->tag);
	for (int q = 0; q < TCM_QUESTIONS; q++)
		jsonw_key_string(&w, tcm_questions[q].key, tcm_questions[q].words[v->answers[q]]);
	jsonw_key_string(&w, "coordinates", coordinates(v));
	jsonw_end(&w);
	jsonw_end(&w);
}

/* Append a text as UTF-8 or Latin-1. Returns false if Latin-1 lacks a character. */
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

/* Append the bytes of a name for a written text. An unchanged name keeps its bytes. */
static void convert_name(const struct cursor *old, const char *text, size_t n, struct buffer *to)
{
	CLEANUP_BUFFER struct buffer shown = BUFFER_INIT;

	show_name(old, &shown);
	if (shown.error)
		to->error = shown.error;
	if (shown.size == n && (n == 0 || memcmp(shown.data, text, n) == 0)) {
		buffer_append(to, old->data, old->size);
		return;
	}
	/* Keep Latin-1, unless the bytes would be read as UTF-8. */
	if (utf8_valid(old->data, old->size) || !store_name(text, n, false, to) ||
		utf8_valid(to->data, to->size)) {
		to->size = 0;
		(void)store_name(text, n, true, to);
	}
}

static int take_name(const struct json_at *root, const char *key, struct cursor *stored,
	struct buffer *to, struct error *e)
{
	CLEANUP_BUFFER struct buffer name = BUFFER_INIT;
	struct cursor old = next_name(stored);
	struct json_at at;
	const char *text;
	size_t n;
	int r;

	if (json_get(root, key, &at)) {
		r = json_as_string(&at, &text, &n, e);
		if (r < 0)
			return r;
		convert_name(&old, text, n, &name);
		if (name.size > TCM_NAME_MAX)
			return json_refuse(
				&at, e, "%zu bytes, at most %d", name.size, TCM_NAME_MAX);
		old = cursor_init(name.data, name.size);
	}
	if (name.error)
		to->error = name.error;
	buffer_byte(to, (uint8_t)old.size);
	buffer_append(to, old.data, old.size);
	return 0;
}

static int take_variant(const struct json_at *root, struct tcm_variant *v, struct error *e)
{
	static const char *const keys[] = {"endian", "lists", "points", "tag", "coordinates", NULL};
	const char *fixed[] = {NULL, NULL, NULL, v->tag, coordinates(v)};
	struct json_at variant, at;
	const char *text;
	int r;

	if (!json_get(root, "variant", &variant))
		return 0;
	r = json_expect_object(&variant, keys, e);
	for (enum tcm_question q = 0; r == 0 && keys[q]; q++) {
		if (!json_get(&variant, keys[q], &at))
			continue;
		r = json_as_string(&at, &text, NULL, e);
		if (r < 0)
			return r;
		if (q >= TCM_QUESTIONS && strcmp(text, fixed[q]) != 0)
			return json_refuse(&at, e, "must stay %s", fixed[q]);
		if (q >= TCM_QUESTIONS)
			continue;
		v->answers[q] = tcm_answer(q, text);
		if (v->answers[q] < 0)
			r = json_refuse(&at, e, "must be %s", tcm_questions[q].all);
	}
	return r;
}

int tcm_info_parse(const struct tcm_content *c, const struct extent *in, struct tcm_variant *as,
	struct buffer *to, struct error *e)
{
	static const char *const keys[] = {"name", "author", "variant", NULL};
	CLEANUP_JSON struct json_doc doc = {0};
	struct cursor stored = cursor_init(c->lists[TCM_INFO].data, c->lists[TCM_INFO].n);
	int r = json_doc_load(in, TEXT_MAX, &doc, e);
	struct json_at root;

	if (r < 0)
		return r;
	root = json_root(&doc);
	r = json_expect_object(&root, keys, e);
	for (int i = 0; r == 0 && i < 2; i++)
		r = take_name(&root, names[i], &stored, to, e);
	if (r == 0)
		r = take_variant(&root, as, e);
	return r;
}
