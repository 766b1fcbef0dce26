/* SPDX-License-Identifier: Zlib */
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <string.h>

#include "codec/text/json_place.h"

/* The state of json_list_read. */
struct listing {
	struct json_scan r;
	const char *key;
	json_element_fn take;
	void *arg;
	struct buffer rest; /* the file without the elements */
	struct json_doc doc;
	bool found;
};

static int read_element(struct listing *l, const struct json_at *list, size_t index)
{
	CLEANUP_BUFFER struct buffer text = BUFFER_INIT;
	CLEANUP_JSON struct json_doc doc = {.begin = l->r.at, .levels = l->key ? 2 : 1};
	struct json_at at = {.doc = &doc, .parent = list, .index = index};
	int r;

	json_move_value(&l->r, &text);
	if (l->r.error)
		return l->r.error;
	if (buffer_finish(&text, &doc.text) < 0)
		return error_set(l->r.e, -ENOMEM, "out of memory");
	r = json_doc_parse(&doc, JSON_DECODE_ANY, l->r.e);
	at.value = doc.root;
	return r < 0 ? r : l->take(l->arg, &at, l->r.e);
}

/* Read the list; the next byte is its '['. The rest gets '[' and ']', an empty array. */
static int read_list(struct listing *l)
{
	struct json_at root = {.doc = &l->doc}, named = {.parent = &root, .key = l->key};
	struct json_scan *in = &l->r;

	l->found = true;
	json_move(in, &l->rest);
	json_move_blanks(in, NULL);
	for (size_t i = 0; !in->error && (i || json_peek(in) != ']'); i++) {
		int r = read_element(l, l->key ? &named : &root, i);

		if (r < 0)
			return r;
		if (json_peek(in) != ',')
			break;
		json_move(in, NULL);
		json_move_blanks(in, NULL);
	}
	if (json_peek(in) != ']')
		return json_scan_refuse(in, "',' or ']' expected");
	l->doc.after = in->at;
	l->doc.after_off = l->rest.size;
	json_move(in, &l->rest);
	return in->error;
}

/* Read the outermost object; the next byte is its '{'. jansson refuses malformed text later. */
static int read_object(struct listing *l)
{
	struct json_scan *in = &l->r;
	size_t n = strlen(l->key);
	int r = 0;

	do {
		size_t name;
		bool named;

		json_move(in, &l->rest);
		json_move_blanks(in, &l->rest);
		if (json_peek(in) != '"')
			return in->error;
		name = l->rest.size + 1;
		json_move_string(in, &l->rest);
		named = l->rest.size == name + n + 1 && memcmp(l->rest.data + name, l->key, n) == 0;
		json_move_blanks(in, &l->rest);
		if (json_peek(in) != ':')
			return in->error;
		json_move(in, &l->rest);
		json_move_blanks(in, &l->rest);
		if (named && !l->found && json_peek(in) == '[')
			r = read_list(l);
		else
			json_move_value(in, &l->rest);
		if (r == 0)
			json_move_blanks(in, &l->rest);
	} while (r == 0 && json_peek(in) == ',');
	return r < 0 ? r : in->error;
}

/* Take the elements of a list that the scan missed, because its key is written with escapes. */
static int take_parsed(struct listing *l, const struct json_at *list)
{
	size_t n;
	int r = json_expect_array(list, &n, l->r.e);

	for (size_t i = 0; r == 0 && i < n && !l->found; i++) {
		struct json_at at = json_element(list, i);

		r = l->take(l->arg, &at, l->r.e);
	}
	return r;
}

static int read_rest(struct listing *l)
{
	struct json_at root, list;
	int r;

	while (json_peek(&l->r) >= 0)
		json_move(&l->r, &l->rest);
	if (l->r.error)
		return l->r.error;
	if (buffer_finish(&l->rest, &l->doc.text) < 0)
		return error_set(l->r.e, -ENOMEM, "out of memory");
	r = json_doc_parse(&l->doc, 0, l->r.e);
	if (r < 0)
		return r;
	root = list = json_root(&l->doc);
	return l->key && !json_get(&root, l->key, &list) ? 0 : take_parsed(l, &list);
}

static void skip_mark(struct json_scan *r)
{
	if (json_peek(r) < 0 || r->n < sizeof(JSON_MARK) - 1)
		return;
	if (memcmp(r->window, JSON_MARK, sizeof(JSON_MARK) - 1) == 0)
		r->i = sizeof(JSON_MARK) - 1;
}

int json_list_read(const struct extent *x, uint64_t max, const char *key, json_element_fn take,
	void *arg, struct json_doc *ret, struct error *e)
{
	struct listing l = {.r = {.x = x, .e = e, .at = JSON_BEGIN},
		.key = key,
		.take = take,
		.arg = arg,
		.doc = {.begin = JSON_BEGIN}};
	int r = 0, c;

	if (x->size > max)
		return error_set(e, -EINVAL, "the file has %" PRIu64 " bytes (at most %" PRIu64 ")",
			x->size, max);
	skip_mark(&l.r);
	json_move_blanks(&l.r, &l.rest);
	c = json_peek(&l.r);
	if (!key && c == '[')
		r = read_list(&l);
	else if (key && c == '{')
		r = read_object(&l);
	if (r == 0)
		r = read_rest(&l);
	buffer_finish_free(&l.rest);
	if (r == 0)
		*ret = l.doc;
	else
		json_doc_finish(&l.doc);
	return r;
}
