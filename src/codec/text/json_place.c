/* SPDX-License-Identifier: Zlib */
#include "codec/text/json_place.h"

#include <errno.h>
#include <string.h>

enum { PATH_MAX_STEPS = 32 };

uint64_t json_scan_offset(const struct json_scan *r)
{
	return r->read - (r->n - r->i);
}

int json_peek(struct json_scan *r)
{
	uint64_t left = r->x->size - r->read;

	if (r->i == r->n && left && !r->error) {
		r->n = left < JSON_WINDOW ? (size_t)left : JSON_WINDOW;
		r->i = 0;
		r->error = extent_read(r->x, r->read, r->window, r->n, r->e);
		r->read += r->n;
	}
	return r->error || r->i == r->n ? -1 : r->window[r->i];
}

int json_scan_refuse(struct json_scan *r, const char *why)
{
	if (!r->error)
		r->error = error_set(
			r->e, -EINVAL, "line %u, column %u: %s", r->at.line, r->at.column, why);
	return r->error;
}

void json_move(struct json_scan *r, struct buffer *to)
{
	uint8_t c = r->window[r->i++];

	if (to && to->size == JSON_TEXT_MAX) {
		json_scan_refuse(r, "one value is too long (at most 65536 bytes)");
		return;
	}
	if (to)
		buffer_byte(to, c);
	json_spot_pass(&r->at, c);
	if (r->jump && json_scan_offset(r) == r->jump)
		r->at = r->jump_to;
}

void json_move_blanks(struct json_scan *r, struct buffer *to)
{
	int c;

	while ((c = json_peek(r)) >= 0 && memchr(" \t\r\n", c, 4))
		json_move(r, to);
}

void json_move_string(struct json_scan *r, struct buffer *to)
{
	int c;

	json_move(r, to);
	while ((c = json_peek(r)) >= 0 && c != '"') {
		json_move(r, to);
		if (c == '\\' && json_peek(r) >= 0)
			json_move(r, to);
	}
	if (c >= 0)
		json_move(r, to);
}

void json_move_value(struct json_scan *r, struct buffer *to)
{
	uint64_t depth = 0;
	int c;

	while ((c = json_peek(r)) >= 0 && (depth || !memchr(",]}", c, 3))) {
		if (c == '"') {
			json_move_string(r, to);
			continue;
		}
		if (c == '[' || c == '{')
			depth++;
		else if (c == ']' || c == '}')
			depth--;
		json_move(r, to);
	}
}

static struct json_scan scan_of(const struct json_doc *d, const struct extent *text)
{
	return (struct json_scan){
		.x = text, .at = d->begin, .jump = d->after_off, .jump_to = d->after};
}

/* Skip the value of an entry, and go to the next entry. False: the entry is the last one. */
static bool next_entry(struct json_scan *s)
{
	json_move_value(s, NULL);
	if (json_peek(s) != ',')
		return false;
	json_move(s, NULL);
	json_move_blanks(s, NULL);
	return true;
}

static bool enter_key(struct json_scan *s, const struct json_at *at)
{
	const char *text = (const char *)at->doc->text->data;
	size_t n = strlen(at->key);
	bool found = false;

	do {
		uint64_t name = json_scan_offset(s) + 1;

		if (json_peek(s) != '"')
			return false;
		json_move_string(s, NULL);
		found = json_scan_offset(s) == name + n + 1 && memcmp(text + name, at->key, n) == 0;
		json_move_blanks(s, NULL);
		json_move(s, NULL); /* the colon */
		json_move_blanks(s, NULL);
	} while (!found && next_entry(s));
	return found;
}

static bool enter_index(struct json_scan *s, size_t index)
{
	while (index && next_entry(s))
		index--;
	return !index;
}

/* Go from an array or object to the value of its entry `at`. False: not found, and s stays. A key
 * that is written with escapes is not found. */
static bool enter_value(struct json_scan *s, const struct json_at *at)
{
	struct json_scan inner = *s;
	int c = json_peek(&inner);

	if (c != '[' && c != '{')
		return false;
	json_move(&inner, NULL);
	json_move_blanks(&inner, NULL);
	if (at->key ? !enter_key(&inner, at) : !enter_index(&inner, at->index))
		return false;
	*s = inner;
	return true;
}

size_t json_count(const struct bytes *text)
{
	const struct extent x = {.mem = (struct bytes *)(uintptr_t)text, .size = text->size};
	struct json_scan s = {.x = &x};
	size_t n = 1;
	int c;

	while ((c = json_peek(&s)) >= 0) {
		if (c == '"') {
			json_move_string(&s, NULL);
			continue;
		}
		n += memchr(",[{", c, 3) != NULL;
		json_move(&s, NULL);
	}
	return n;
}

struct json_spot json_spot_of(const struct json_doc *d, struct json_spot in_text)
{
	const struct extent x = extent_of_bytes(d->text); /* borrowed */
	struct json_scan s = scan_of(d, &x);
	struct json_spot own = JSON_BEGIN;
	int c;

	while ((own.line < in_text.line ||
		       (own.line == in_text.line && own.column < in_text.column)) &&
		(c = json_peek(&s)) >= 0) {
		json_spot_pass(&own, c);
		json_move(&s, NULL);
	}
	return s.at;
}

struct json_place json_place(const struct json_at *at)
{
	const struct json_at *path[PATH_MAX_STEPS];
	const struct json_doc *d = at->doc;
	const struct extent x = extent_of_bytes(d->text); /* borrowed */
	struct json_scan s = scan_of(d, &x);
	struct json_place place;
	size_t n = 0;

	for (; at->parent; at = at->parent) {
		/* The path is too long: keep its outermost steps. */
		if (n == PATH_MAX_STEPS)
			memmove(path, path + 1, --n * sizeof(*path));
		path[n++] = at;
	}
	n = n > d->levels ? n - d->levels : 0;
	json_move_blanks(&s, NULL);
	while (n && enter_value(&s, path[n - 1]))
		n--;
	place.spot = s.at;
	place.text = (const char *)d->text->data + json_scan_offset(&s);
	json_move_value(&s, NULL);
	place.n = (size_t)((const char *)d->text->data + json_scan_offset(&s) - place.text);
	while (place.n && memchr(" \t\r\n", place.text[place.n - 1], 4))
		place.n--;
	return place;
}
