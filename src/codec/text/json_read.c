/* SPDX-License-Identifier: Zlib */
#include "codec/text/json.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codec/text/json_place.h"
#include "codec/text/text.h"

enum { SHOWN_MAX = 40 }; /* bytes of a value in a refusal */

/* Append text of the file to a message: on one line, and cut after a whole character. */
static void add_shown(struct buffer *b, const char *s, size_t n, size_t max)
{
	size_t done = 0;

	while (done < n) {
		uint32_t c;
		size_t len = utf8_next(s + done, n - done, &c);

		if (done + len > max) {
			buffer_text(b, "...");
			return;
		}
		if (!len || c < 0x20 || c == 0x7f)
			buffer_byte(b, '?');
		else
			buffer_append(b, s + done, len);
		done += len ? len : 1;
	}
}

static int finish_parse(struct error *e, struct buffer *b, struct json_spot at)
{
	buffer_byte(b, '\0');
	if (b->error)
		error_set(e, -EINVAL, "line %u, column %u", at.line, at.column);
	else
		error_set(e, -EINVAL, "line %u, column %u: %s", at.line, at.column,
			(const char *)b->data);
	buffer_finish_free(b);
	return -EINVAL;
}

/* Jansson reports some failed allocations as errors of syntax, and ignores others. */
static _Thread_local bool is_exhausted;

static void *limited_malloc(size_t n)
{
	void *p = malloc(n);

	if (!p)
		is_exhausted = true;
	return p;
}

static void set_allocator(void)
{
	json_set_alloc_funcs(limited_malloc, free);
}

int json_doc_parse(struct json_doc *d, size_t flags, struct error *e)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct buffer b = BUFFER_INIT;
	struct json_spot at = JSON_BEGIN;
	json_error_t why;

	pthread_once(&once, set_allocator);
	is_exhausted = false;
	d->root = json_loadb(
		(const char *)d->text->data, d->text->size, JSON_REJECT_DUPLICATES | flags, &why);
	if (is_exhausted)
		return error_set(e, -ENOMEM, "out of memory");
	if (d->root)
		return 0;
	if (why.line > 0)
		at.line = (unsigned)why.line;
	if (why.column > 0)
		at.column = (unsigned)why.column;
	add_shown(&b, why.text, strlen(why.text), sizeof(why.text));
	return finish_parse(e, &b, json_spot_of(d, at));
}

int json_doc_load(const struct extent *x, uint64_t max, struct json_doc *ret, struct error *e)
{
	const size_t mark = sizeof(JSON_MARK) - 1;
	CLEANUP_JSON struct json_doc d = {.begin = JSON_BEGIN};
	struct bytes *rest;
	int r = extent_load(x, max, &d.text, e);

	if (r == -EFBIG)
		return error_set(e, -EINVAL,
			"line 1, column 1: the file has %" PRIu64 " bytes (at most %" PRIu64 ")",
			x->size, max);
	if (r < 0)
		return r;
	if (d.text->size >= mark && memcmp(d.text->data, JSON_MARK, mark) == 0) {
		rest = bytes_copy(d.text->data + mark, d.text->size - mark);
		bytes_unref(d.text);
		d.text = rest;
		if (!rest)
			return error_set(e, -ENOMEM, "out of memory");
	}
	if (d.text->size > JSON_TEXT_MAX && json_count(d.text) > JSON_TEXT_MAX)
		return error_set(e, -EINVAL, "the file has more than %d values", JSON_TEXT_MAX);
	r = json_doc_parse(&d, 0, e);
	if (r < 0)
		return r;
	*ret = d;
	d = (struct json_doc){0};
	return 0;
}

struct json_doc json_doc_ref(const struct json_doc *d)
{
	json_incref(d->root);
	bytes_ref(d->text);
	return *d;
}

void json_doc_finish(struct json_doc *d)
{
	json_decref(d->root);
	bytes_unref(d->text);
	*d = (struct json_doc){0};
}

struct json_at json_root(const struct json_doc *d)
{
	return (struct json_at){.doc = d, .value = d->root};
}

static void add_path(struct buffer *b, const struct json_at *at)
{
	if (!at->parent)
		return;
	add_path(b, at->parent);
	if (at->key) {
		if (at->parent->parent)
			buffer_byte(b, '.');
		add_shown(b, at->key, strlen(at->key), SHOWN_MAX);
	} else {
		buffer_printf(b, "[%zu]", at->index);
	}
}

static void add_value(struct buffer *b, const struct json_at *at, const struct json_place *place)
{
	if (json_is_object(at->value))
		buffer_text(b, "an object");
	else if (json_is_array(at->value))
		buffer_printf(b, "an array of %zu", json_array_size(at->value));
	else
		add_shown(b, place->text, place->n, SHOWN_MAX);
}

int json_refuse(const struct json_at *at, struct error *e, const char *why, ...)
{
	struct json_place place = json_place(at);
	struct buffer b = BUFFER_INIT;
	char text[256];
	va_list ap;

	va_start(ap, why);
	vsnprintf(text, sizeof(text), why, ap);
	va_end(ap);
	add_path(&b, at);
	if (!b.size)
		buffer_text(&b, "the file");
	buffer_text(&b, " is ");
	add_value(&b, at, &place);
	buffer_printf(&b, " (%s)", text);
	return finish_parse(e, &b, place.spot);
}

/* Refuse a key, not its value. */
static int refuse_key(const struct json_at *at, struct error *e, const char *why)
{
	struct json_place place = json_place(at);
	struct buffer b = BUFFER_INIT;

	add_path(&b, at);
	buffer_text(&b, why);
	return finish_parse(e, &b, place.spot);
}

static bool is_known(const char *key, const char *const *known)
{
	for (; *known; known++) {
		if (strcmp(key, *known) == 0)
			return true;
	}
	return false;
}

int json_expect_object(const struct json_at *at, const char *const *known, struct error *e)
{
	const char *key;
	json_t *value;

	if (!json_is_object(at->value))
		return json_refuse(at, e, "must be an object");
	json_object_foreach(at->value, key, value)
	{
		struct json_at entry = {.doc = at->doc, .parent = at, .key = key, .value = value};

		if (!is_known(key, known))
			return refuse_key(&entry, e, " is not a known key");
	}
	return 0;
}

bool json_get(const struct json_at *at, const char *key, struct json_at *ret)
{
	json_t *value = json_object_get(at->value, key);

	if (!value)
		return false;
	*ret = (struct json_at){.doc = at->doc, .parent = at, .key = key, .value = value};
	return true;
}

int json_need(const struct json_at *at, const char *key, struct json_at *ret, struct error *e)
{
	struct json_at missing = {.doc = at->doc, .parent = at, .key = key};

	if (json_get(at, key, ret))
		return 0;
	return refuse_key(&missing, e, " is missing");
}

int json_expect_array(const struct json_at *at, size_t *ret_n, struct error *e)
{
	if (!json_is_array(at->value))
		return json_refuse(at, e, "must be an array");
	*ret_n = json_array_size(at->value);
	return 0;
}

int json_expect_array_of(const struct json_at *at, size_t n, struct error *e)
{
	if (!json_is_array(at->value) || json_array_size(at->value) != n)
		return json_refuse(at, e, "must be an array of %zu", n);
	return 0;
}

struct json_at json_element(const struct json_at *at, size_t i)
{
	return (struct json_at){
		.doc = at->doc, .parent = at, .index = i, .value = json_array_get(at->value, i)};
}

bool json_holds_null(const struct json_at *at)
{
	return json_is_null(at->value);
}

bool json_holds_int(const struct json_at *at)
{
	return json_is_integer(at->value);
}

int json_as_int_within(
	const struct json_at *at, int64_t min, int64_t max, int64_t *ret, struct error *e)
{
	int64_t v;

	if (!json_is_integer(at->value))
		return json_refuse(at, e, "must be an integer");
	v = json_integer_value(at->value);
	if (v < min || v > max)
		return json_refuse(at, e, "must be %" PRIi64 " to %" PRIi64, min, max);
	*ret = v;
	return 0;
}

int json_as_int(const struct json_at *at, int32_t *ret, struct error *e)
{
	int64_t v = 0;
	int r = json_as_int_within(at, INT32_MIN, INT32_MAX, &v, e);

	if (r == 0)
		*ret = (int32_t)v;
	return r;
}

int json_as_ints(const struct json_at *at, int32_t *ret, size_t n, struct error *e)
{
	int r = json_expect_array_of(at, n, e);

	/* Loop twice, so that nothing is written if an element is refused. */
	for (int store = 0; store < 2; store++) {
		for (size_t i = 0; r == 0 && i < n; i++) {
			struct json_at element = json_element(at, i);
			int32_t v;

			r = json_as_int(&element, &v, e);
			if (r == 0 && store)
				ret[i] = v;
		}
	}
	return r;
}

int json_as_string(const struct json_at *at, const char **ret, size_t *ret_n, struct error *e)
{
	if (!json_is_string(at->value))
		return json_refuse(at, e, "must be a string");
	*ret = json_string_value(at->value);
	if (ret_n)
		*ret_n = json_string_length(at->value);
	return 0;
}

int json_get_int(
	const struct json_at *at, const char *key, int32_t *ret, bool *ret_present, struct error *e)
{
	struct json_at entry;
	bool present = json_get(at, key, &entry);
	int r = present ? json_as_int(&entry, ret, e) : 0;

	if (r == 0 && ret_present)
		*ret_present = present;
	return r;
}
