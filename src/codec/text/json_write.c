/* SPDX-License-Identifier: Zlib */
#include "codec/text/json.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "codec/text/text.h"

void jsonw_to_nowhere(struct jsonw *w)
{
	*w = (struct jsonw){0};
}

void jsonw_to_nowhere_after(struct jsonw *w, const struct jsonw *other)
{
	*w = *other;
	w->buffer = NULL;
	w->dst = NULL;
}

void jsonw_to_buffer(struct jsonw *w, struct buffer *to)
{
	*w = (struct jsonw){.buffer = to};
}

void jsonw_to_range(struct jsonw *w, uint64_t off, void *dst, size_t n)
{
	*w = (struct jsonw){.dst = dst, .begin = off, .end = off + n};
}

bool jsonw_done(const struct jsonw *w)
{
	return w->dst && w->size >= w->end;
}

static void emit(struct jsonw *w, const char *s, size_t n)
{
	uint64_t from = w->size, to = w->size + n;

	if (w->buffer)
		buffer_append(w->buffer, s, n);
	w->size = to;
	if (!w->dst || from >= w->end || to <= w->begin)
		return;
	if (to > w->end)
		n -= (size_t)(to - w->end);
	if (from < w->begin) {
		s += w->begin - from;
		n -= (size_t)(w->begin - from);
		from = w->begin;
	}
	memcpy(w->dst + (from - w->begin), s, n);
}

static void emit_text(struct jsonw *w, const char *s)
{
	emit(w, s, strlen(s));
}

static void new_line(struct jsonw *w, unsigned indent)
{
	emit_text(w, "\n");
	while (indent--)
		emit_text(w, "  ");
}

/* Write the separator before the next entry of the level. */
static void write_separator(struct jsonw *w)
{
	struct jsonw_level *l = &w->levels[w->depth - 1];

	if (l->any)
		emit_text(w, ",");
	if (l->lines)
		new_line(w, w->depth);
	else if (l->any)
		emit_text(w, " ");
	l->any = true;
}

static void begin_value(struct jsonw *w)
{
	if (w->depth && !w->after_key) {
		assert(w->levels[w->depth - 1].close == ']');
		write_separator(w);
	}
	w->after_key = false;
}

static void open_level(struct jsonw *w, const char *open, char close)
{
	bool lines = w->depth == 0 || (w->after_key && w->points && close == ']');

	assert(w->depth < JSONW_DEPTH_MAX);
	begin_value(w);
	emit_text(w, open);
	w->levels[w->depth++] = (struct jsonw_level){.close = close, .lines = lines};
}

void jsonw_object(struct jsonw *w)
{
	open_level(w, "{", '}');
}

void jsonw_array(struct jsonw *w)
{
	open_level(w, "[", ']');
}

void jsonw_end(struct jsonw *w)
{
	struct jsonw_level *l = &w->levels[w->depth - 1];

	assert(w->depth && !w->after_key);
	w->depth--;
	if (l->lines && l->any)
		new_line(w, w->depth);
	emit(w, &l->close, 1);
	if (!w->depth)
		emit_text(w, "\n");
}

static void emit_char(struct jsonw *w, const char *s, size_t len, uint32_t c)
{
	static const char shorts[] = "\bb\tt\nn\ff\rr\"\"\\\\";
	char escape[8];

	for (const char *p = shorts; *p; p += 2) {
		if (c == (unsigned char)*p) {
			snprintf(escape, sizeof(escape), "\\%c", p[1]);
			emit_text(w, escape);
			return;
		}
	}
	if (c >= 0x20) {
		emit(w, s, len);
		return;
	}
	snprintf(escape, sizeof(escape), "\\u%04x", (unsigned)c);
	emit_text(w, escape);
}

static void emit_string(struct jsonw *w, const char *s, size_t n)
{
	emit_text(w, "\"");
	while (n) {
		uint32_t c;
		size_t len = utf8_next(s, n, &c);

		if (len) {
			emit_char(w, s, len, c);
		} else {
			emit_text(w, "\xef\xbf\xbd");
			len = 1;
		}
		s += len;
		n -= len;
	}
	emit_text(w, "\"");
}

void jsonw_key(struct jsonw *w, const char *key)
{
	assert(w->depth && w->levels[w->depth - 1].close == '}' && !w->after_key);
	write_separator(w);
	emit_string(w, key, strlen(key));
	emit_text(w, ": ");
	w->after_key = true;
	w->points = w->depth == 1 && strcmp(key, "points") == 0;
}

void jsonw_int(struct jsonw *w, int64_t v)
{
	char text[20]; /* the longest integer, with its sign */
	uint64_t left = v < 0 ? -(uint64_t)v : (uint64_t)v;
	size_t i = sizeof(text);

	begin_value(w);
	do {
		text[--i] = (char)('0' + left % 10);
		left /= 10;
	} while (left);
	if (v < 0)
		text[--i] = '-';
	emit(w, text + i, sizeof(text) - i);
}

void jsonw_null(struct jsonw *w)
{
	begin_value(w);
	emit_text(w, "null");
}

void jsonw_bool(struct jsonw *w, bool v)
{
	begin_value(w);
	emit_text(w, v ? "true" : "false");
}

void jsonw_string(struct jsonw *w, const char *s, size_t n)
{
	begin_value(w);
	emit_string(w, s, n);
}

void jsonw_ints(struct jsonw *w, const int32_t *v, size_t n)
{
	jsonw_array(w);
	for (size_t i = 0; i < n; i++)
		jsonw_int(w, v[i]);
	jsonw_end(w);
}

void jsonw_key_int(struct jsonw *w, const char *key, int64_t v)
{
	jsonw_key(w, key);
	jsonw_int(w, v);
}

void jsonw_key_string(struct jsonw *w, const char *key, const char *s)
{
	jsonw_key(w, key);
	jsonw_string(w, s, strlen(s));
}
