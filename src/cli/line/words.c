/* SPDX-License-Identifier: Zlib */
#include "cli/line/words.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"

enum { FORMATS_MAX = 16 };

/* Join words: "a, b or c". Returns NULL if memory is exhausted. */
static char *join_words(const char *const *words)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	for (size_t i = 0; words && words[i]; i++)
		fprintf(out, "%s%s", i == 0 ? "" : words[i + 1] ? ", " : " or ", words[i]);
	fclose(out);
	return text;
}

bool words_format_known(const char *name)
{
	for (size_t i = 0; formats[i]; i++) {
		if (formats[i]->can_create && strcmp(formats[i]->name, name) == 0)
			return true;
	}
	return false;
}

char *words_formats(void)
{
	const char *names[FORMATS_MAX + 1] = {NULL};
	size_t n = 0;

	for (size_t i = 0; formats[i]; i++) {
		assert(n < FORMATS_MAX);
		if (formats[i]->can_create)
			names[n++] = formats[i]->name;
	}
	return join_words(names);
}

const struct format_setting *words_option(const char *key)
{
	for (size_t i = 0; formats[i]; i++) {
		for (const struct format_setting *o = formats[i]->settings; o && o->key; o++) {
			if (strcmp(o->key, key) == 0)
				return o;
		}
	}
	return NULL;
}

bool words_value_known(const struct format_setting *o, const char *value)
{
	size_t digits = strspn(value, "0123456789");
	bool number = digits && digits < 10 && !value[digits];
	unsigned long n = number ? strtoul(value, NULL, 10) : 0;

	if (o->max)
		return number && (n == 0 || (n >= o->min && n <= o->max));
	for (const char *const *v = o->values; v && *v; v++) {
		if (strcmp(value, *v) == 0)
			return true;
	}
	return !o->values;
}

char *words_values(const struct format_setting *o)
{
	return o->max ? text_printf("0, or %u to %u", (unsigned)o->min, (unsigned)o->max)
		      : join_words(o->values);
}

static void print_option(FILE *out, int columns, const struct format_setting *o)
{
	CLEANUP(free) char *text = NULL;
	size_t size;
	FILE *word = open_memstream(&text, &size);

	if (!word)
		return;
	fprintf(word, "%s=%s", o->key, o->values ? o->values[0] : o->max ? "N" : "FILE");
	for (size_t i = 1; o->values && o->values[i]; i++)
		fprintf(word, "|%s", o->values[i]);
	fclose(word);
	fprintf(out, "  %-*s %s\n", columns, text, o->help);
}

void words_print_options(FILE *out, int columns)
{
	for (size_t i = 0; formats[i]; i++) {
		const struct format_setting *o = formats[i]->settings;

		/* Formats that share their options are adjacent in the table. */
		if (i > 0 && o == formats[i - 1]->settings)
			continue;
		for (; o && o->key; o++)
			print_option(out, columns, o);
	}
}
