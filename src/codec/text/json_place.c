/* SPDX-License-Identifier: Zlib */
#include "codec/text/json_place.h"

#include <string.h>

enum { PATH_MAX_STEPS = 32 };

/* All text here is valid JSON; the checks against end only keep a mistake from running away. */
struct scan {
	const char *p, *end;
};

static char peek(const struct scan *s)
{
	return s->p < s->end ? *s->p : '\0';
}

static void skip_blanks(struct scan *s)
{
	while (s->p < s->end && memchr(" \t\r\n", *s->p, 4))
		s->p++;
}

static void skip_string(struct scan *s)
{
	s->p++;
	while (s->p < s->end && *s->p != '"')
		s->p += *s->p == '\\' ? 2 : 1;
	if (s->p < s->end)
		s->p++;
	else
		s->p = s->end;
}

static void skip_value(struct scan *s)
{
	unsigned depth = 0;

	do {
		char c = peek(s);

		if (c == '"') {
			skip_string(s);
			continue;
		}
		if (!depth && memchr(",]}: \t\r\n", c, 8))
			return;
		if (c == '[' || c == '{')
			depth++;
		if (c == ']' || c == '}') {
			s->p++;
			if (!--depth)
				return;
			continue;
		}
		s->p++;
	} while (s->p < s->end);
}

/* To the next entry of the array or object at hand; false at its end. */
static bool next_entry(struct scan *s)
{
	skip_value(s);
	skip_blanks(s);
	if (peek(s) != ',')
		return false;
	s->p++;
	skip_blanks(s);
	return true;
}

static bool enter_key(struct scan *s, const char *key)
{
	size_t n = strlen(key);

	do {
		const char *name = s->p + 1;
		bool found;

		if (peek(s) != '"')
			return false;
		skip_string(s);
		found = (size_t)(s->p - name) == n + 1 && memcmp(name, key, n) == 0;

		skip_blanks(s);
		s->p++; /* the colon */
		skip_blanks(s);
		if (found)
			return true;
	} while (next_entry(s));
	return false;
}

static bool enter_index(struct scan *s, size_t index)
{
	while (index--) {
		if (!next_entry(s))
			return false;
	}
	return true;
}

/* From a container to the entry that `at` is; a key that is written with escapes is not found, and
 * then the container's own place has to do. */
static bool enter(struct scan *s, const struct json_at *at)
{
	struct scan inner = *s;

	if (!memchr("[{", peek(s), 2))
		return false;
	inner.p++;
	skip_blanks(&inner);
	if (at->key ? !enter_key(&inner, at->key) : !enter_index(&inner, at->index))
		return false;
	*s = inner;
	return true;
}

size_t json_count(const struct bytes *text)
{
	struct scan s = {(const char *)text->data, (const char *)text->data + text->size};
	size_t n = 1;

	while (s.p < s.end) {
		if (*s.p == '"') {
			skip_string(&s);
			continue;
		}
		n += memchr(",[{", *s.p, 3) != NULL;
		s.p++;
	}
	return n;
}

struct json_spot json_spot_of(const struct json_doc *d, size_t off)
{
	struct json_spot spot = d->begin;

	for (size_t i = 0; i < off; i++) {
		if (d->after_off && i == d->after_off)
			spot = d->after;
		json_spot_pass(&spot, d->text->data[i]);
	}
	return d->after_off && off == d->after_off ? d->after : spot;
}

struct json_place json_place(const struct json_at *at)
{
	const struct json_at *path[PATH_MAX_STEPS];
	const struct json_doc *d = at->doc;
	const char *begin = (const char *)d->text->data;
	struct scan s = {.p = begin, .end = begin + d->text->size};
	struct json_place place;
	size_t n = 0;

	for (; at->up; at = at->up) {
		/* Only the outermost steps count then. */
		if (n == PATH_MAX_STEPS)
			memmove(path, path + 1, --n * sizeof(*path));
		path[n++] = at;
	}
	n = n > d->levels ? n - d->levels : 0;
	skip_blanks(&s);
	while (n && enter(&s, path[n - 1]))
		n--;
	place.spot = json_spot_of(d, (size_t)(s.p - begin));
	place.text = s.p;
	skip_value(&s);
	place.n = (size_t)(s.p - place.text);
	return place;
}
