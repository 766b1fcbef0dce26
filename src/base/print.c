/* SPDX-License-Identifier: Zlib */
#include "base/print.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"

/* Return the length of the UTF-8 character at s, or 1 if there is no valid one. A terminal may obey
 * a control character in an overlong form, so that is not valid. */
static unsigned char_length(const unsigned char *s, const unsigned char *end)
{
	unsigned n = s[0] < 0xc2 ? 1 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : s[0] < 0xf5 ? 4 : 1;

	if (n > 2 && s + 1 != end && s[1] < (s[0] == 0xe0 ? 0xa0 : s[0] == 0xf0 ? 0x90 : 0x80))
		return 1;
	for (unsigned i = 1; i < n; i++)
		if (s + i == end || (s[i] & 0xc0) != 0x80)
			return 1;
	return n;
}

static bool is_visible(const unsigned char *s, unsigned n)
{
	if (n == 1)
		return s[0] >= ' ' && s[0] < 0x7f;
	/* U+0080 to U+009F are control characters, which some terminals obey. */
	return n > 2 || s[0] != 0xc2 || s[1] >= 0xa0;
}

char *replace_unprintable(char *s)
{
	unsigned char *at = (unsigned char *)s, *end = at + strlen(s);

	while (at < end) {
		unsigned n = char_length(at, end);

		for (bool shown = is_visible(at, n); n; n--, at++)
			if (!shown)
				*at = '?';
	}
	return s;
}

void append_escaped(const void *text, size_t n, struct buffer *out)
{
	const unsigned char *at = text, *end = n ? at + n : at;

	for (unsigned k; at < end; at += k) {
		k = char_length(at, end);
		if (is_visible(at, k) || *at == '\t' || *at == '\n')
			buffer_append(out, at, k);
		else
			for (unsigned i = 0; i < k; i++)
				buffer_printf(out, "\\x%02x", at[i]);
	}
}

void print_line(FILE *out, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	print_line_around(out, "", fmt, ap, "");
	va_end(ap);
}

void print_line_around(
	FILE *out, const char *before, const char *fmt, va_list ap, const char *after)
{
	CLEANUP(free) char *text = NULL, *line = NULL;

	text = text_vprintf(fmt, ap);
	if (asprintf(&line, "%s%s%s", before, text ? text : "out of memory", after) < 0)
		line = NULL;
	if (line)
		fprintf(out, "%s\n", replace_unprintable(line));
}
