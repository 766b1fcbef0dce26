/* SPDX-License-Identifier: Zlib */
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <string.h>

#include "codec/text/json_place.h"

enum { WINDOW = 16 << 10 };

/* The file as it goes by, and where in it the next byte stands. */
struct reader {
	const struct extent *x;
	struct error *e;
	uint64_t read; /* bytes of x that were read into window */
	size_t i, n;
	struct json_spot at;
	int error; /* sticky */
	uint8_t window[WINDOW];
};

/* What is read, and who takes its elements. */
struct listing {
	struct reader r;
	const char *key;
	json_element_fn take;
	void *arg;
	struct buffer rest; /* the file without the elements */
	struct json_doc doc;
	bool found;
};

/* The next byte; -1 at the end, and after an error. */
static int peek(struct reader *r)
{
	uint64_t left = r->x->size - r->read;

	if (r->i == r->n && left && !r->error) {
		r->n = left < WINDOW ? (size_t)left : WINDOW;
		r->i = 0;
		r->error = extent_read(r->x, r->read, r->window, r->n, r->e);
		r->read += r->n;
	}
	return r->error || r->i == r->n ? -1 : r->window[r->i];
}

static int refuse(struct reader *r, const char *why)
{
	if (!r->error)
		r->error = error_set(
			r->e, -EINVAL, "line %u, column %u: %s", r->at.line, r->at.column, why);
	return r->error;
}

/* The byte that peek showed; to may be NULL. */
static void move(struct reader *r, struct buffer *to)
{
	uint8_t c = r->window[r->i++];

	if (to && to->size == JSON_TEXT_MAX) {
		refuse(r, "one value is too long (at most 65536 bytes)");
		return;
	}
	if (to)
		buffer_byte(to, c);
	json_spot_pass(&r->at, c);
}

static void move_blanks(struct reader *r, struct buffer *to)
{
	int c;

	while ((c = peek(r)) >= 0 && memchr(" \t\r\n", c, 4))
		move(r, to);
}

static void move_string(struct reader *r, struct buffer *to)
{
	int c;

	move(r, to);
	while ((c = peek(r)) >= 0 && c != '"') {
		move(r, to);
		if (c == '\\' && peek(r) >= 0)
			move(r, to);
	}
	if (c >= 0)
		move(r, to);
}

/* To the end of a value: whether it is one is jansson's to say. */
static void move_value(struct reader *r, struct buffer *to)
{
	uint64_t depth = 0;
	int c;

	while ((c = peek(r)) >= 0 && (depth || !memchr(",]}", c, 3))) {
		if (c == '"') {
			move_string(r, to);
			continue;
		}
		if (c == '[' || c == '{')
			depth++;
		else if (c == ']' || c == '}')
			depth--;
		move(r, to);
	}
}

static int read_element(struct listing *l, const struct json_at *list, size_t index)
{
	CLEANUP_BUFFER struct buffer text = BUFFER_INIT;
	CLEANUP_JSON struct json_doc doc = {.begin = l->r.at, .levels = l->key ? 2 : 1};
	struct json_at at = {.doc = &doc, .up = list, .index = index};
	int r;

	move_value(&l->r, &text);
	if (l->r.error)
		return l->r.error;
	if (buffer_finish(&text, &doc.text) < 0)
		return error_set(l->r.e, -ENOMEM, "no memory to read JSON");
	r = json_doc_parse(&doc, JSON_DECODE_ANY, l->r.e);
	at.value = doc.root;
	return r < 0 ? r : l->take(l->arg, &at, l->r.e);
}

/* At a '['. It and the ']' go into the rest, so that this is an array without elements. */
static int read_list(struct listing *l)
{
	struct json_at root = {.doc = &l->doc}, named = {.up = &root, .key = l->key};
	struct reader *in = &l->r;

	l->found = true;
	move(in, &l->rest);
	move_blanks(in, NULL);
	for (size_t i = 0; !in->error && (i || peek(in) != ']'); i++) {
		int r = read_element(l, l->key ? &named : &root, i);

		if (r < 0)
			return r;
		if (peek(in) != ',')
			break;
		move(in, NULL);
		move_blanks(in, NULL);
	}
	if (peek(in) != ']')
		return refuse(in, "',' or ']' expected");
	l->doc.after = in->at;
	l->doc.after_off = l->rest.size;
	move(in, &l->rest);
	return in->error;
}

/* At a '{'. What is no object is left for jansson to refuse. */
static int read_object(struct listing *l)
{
	struct reader *in = &l->r;
	size_t n = strlen(l->key);
	int r = 0;

	do {
		size_t name;
		bool named;

		move(in, &l->rest);
		move_blanks(in, &l->rest);
		if (peek(in) != '"')
			return in->error;
		name = l->rest.size + 1;
		move_string(in, &l->rest);
		named = l->rest.size == name + n + 1 && memcmp(l->rest.data + name, l->key, n) == 0;
		move_blanks(in, &l->rest);
		if (peek(in) != ':')
			return in->error;
		move(in, &l->rest);
		move_blanks(in, &l->rest);
		if (named && !l->found && peek(in) == '[')
			r = read_list(l);
		else
			move_value(in, &l->rest);
		if (r == 0)
			move_blanks(in, &l->rest);
	} while (r == 0 && peek(in) == ',');
	return r < 0 ? r : in->error;
}

/* The list stood where it was not looked for: its key is written with escapes. */
static int take_small(struct listing *l, const struct json_at *list)
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

	while (peek(&l->r) >= 0)
		move(&l->r, &l->rest);
	if (l->r.error)
		return l->r.error;
	if (buffer_finish(&l->rest, &l->doc.text) < 0)
		return error_set(l->r.e, -ENOMEM, "no memory to read JSON");
	r = json_doc_parse(&l->doc, 0, l->r.e);
	if (r < 0)
		return r;
	root = list = json_root(&l->doc);
	return l->key && !json_get(&root, l->key, &list) ? 0 : take_small(l, &list);
}

static void skip_mark(struct reader *r)
{
	if (peek(r) < 0 || r->n < sizeof(JSON_MARK) - 1)
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
	move_blanks(&l.r, &l.rest);
	c = peek(&l.r);
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
