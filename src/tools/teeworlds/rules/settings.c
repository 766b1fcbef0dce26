/* SPDX-License-Identifier: Zlib */
#include "tools/teeworlds/rules/settings.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "formats/teeworlds/model/fields.h"

enum { TEXT_MAX = 1 << 20 };

/* Cut off the next word of *s, in place. Returns NULL if there is none. */
static char *next_word(char **s)
{
	char *from = *s + strspn(*s, " \t\r\n"), *to = from, *word = from;

	if (!*from)
		return NULL;
	if (*from != '"') {
		from += strcspn(from, " \t\r\n");
		*s = from + (*from != '\0');
		*from = '\0';
		return word;
	}
	for (from++; *from && *from != '"'; from++) {
		from += from[0] == '\\' && from[1];
		*to++ = *from;
	}
	*s = from + (*from != '\0');
	*to = '\0';
	return word;
}

static bool take_words(struct tw_command *c)
{
	char *s = c->text;

	for (c->n = 0; c->n < TW_SETTING_WORDS && (c->words[c->n] = next_word(&s)); c->n++)
		;
	return c->n > 0;
}

/* Call fn for each command of a line. */
static void each_of_line(const char *line, struct tw_command *c, tw_command_fn fn, void *arg)
{
	while (*line) {
		bool quoted = false;
		size_t n = 0;

		while (line[n] && (quoted || (line[n] != ';' && line[n] != '#'))) {
			quoted ^= line[n] == '"';
			n += line[n] == '\\' && line[n + 1] == '"' ? 2 : 1;
		}
		memcpy(c->text, line, n);
		c->text[n] = '\0';
		if (take_words(c))
			fn(arg, c);
		if (line[n] != ';')
			return;
		line += n + 1;
	}
}

int tw_settings_each(const struct tw_map *m, tw_command_fn fn,
	void (*long_line)(void *arg, unsigned line, size_t n), void *arg, struct error *e)
{
	const struct tw_item *it = tw_item_at(m, TW_INFO, 0);
	struct blob *b = it ? tw_get_blob(m, it, TW_INFO_SETTINGS) : NULL;
	CLEANUP(bytes_unref) struct bytes *text = NULL;
	struct tw_command c = {0};
	char line[TW_SETTING_MAX + 1];
	int r = b && b->size && b->size <= TEXT_MAX ? blob_load(b, &text, e) : 0;

	for (size_t at = 0, n; text && at < text->size; at += n + 1) {
		n = strnlen((const char *)text->data + at, text->size - at);
		c.line++;
		if (n > TW_SETTING_MAX && long_line)
			long_line(arg, c.line, n);
		snprintf(line, sizeof(line), "%.*s", n > TW_SETTING_MAX ? TW_SETTING_MAX : (int)n,
			(const char *)text->data + at);
		each_of_line(line, &c, fn, arg);
	}
	return r;
}

int tw_setting_number(const char *word)
{
	size_t n = strspn(word, "0123456789");
	int v = n && n < 6 && !word[n] ? atoi(word) : -1;

	return v <= 255 ? v : -1;
}

static void note_open(void *arg, const struct tw_command *c)
{
	int number = c->n > 1 && strcasecmp(c->words[0], "switch_open") == 0
			     ? tw_setting_number(c->words[1])
			     : -1;

	if (number >= 0)
		((bool *)arg)[number] = true;
}

void tw_settings_open(const struct tw_map *m, bool ret[256])
{
	(void)tw_settings_each(m, note_open, NULL, ret, NULL);
}
