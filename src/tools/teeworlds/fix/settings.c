/* SPDX-License-Identifier: Zlib */
/* Misspelt settings: names of which exactly one known name differs in one letter. */
#include <ctype.h>
#include <string.h>

#include "base/array.h"
#include "base/buffer.h"
#include "formats/teeworlds/model/fields.h"
#include "formats/teeworlds/model/store.h"
#include "tools/teeworlds/fix/fix.h"
#include "tools/teeworlds/rules/settings.h"

/* A word to replace. */
struct misspelt {
	size_t at, n; /* in the text of all settings */
	const char *meant;
	int n_meant;
};

struct search {
	struct tw_fixing *k;
	const struct bytes *text;
	unsigned line; /* number of the line that begins at `at` */
	size_t at;
	struct misspelt *words; /* in the order of the text */
	size_t n, room;
};

static bool is_name_letter(uint8_t c)
{
	return isalnum(c) || c == '_' || c == '-' || c == '@' || c == '.';
}

/* Find the only place of a word in a line. Returns false if it has none or several, or is written
 * with escapes. */
static bool find_in_line(const char *line, size_t n, const char *word, size_t *ret)
{
	size_t size = strlen(word), n_found = 0;

	for (size_t i = 0; i + size <= n; i++) {
		if (memcmp(line + i, word, size) != 0 ||
			(i && is_name_letter((uint8_t)line[i - 1])) ||
			(i + size < n && is_name_letter((uint8_t)line[i + size])))
			continue;
		*ret = i;
		n_found++;
	}
	return size && n_found == 1;
}

static size_t line_length(const struct search *s)
{
	return strnlen((const char *)s->text->data + s->at, s->text->size - s->at);
}

static void report_word(struct search *s, const char *word, const struct misspelt *w)
{
	const struct tw_text meant = tw_text("%.*s", w->n_meant, w->meant);
	const struct tw_text text =
		tw_text("line %u: %.40s is not known (%s?)", s->line, word, meant.text);
	const struct tw_text line = tw_text("info/settings.cfg: %s", text.text);
	const struct format_fault f = {.is_warning = true,
		.path = "info/settings.cfg",
		.field = "line",
		.value = word,
		.bound = meant.text,
		.text = text.text,
		.line = line.text};

	(void)fixing_done(s->k, "line %u: %.40s is %s now", s->line, word, meant.text);
	s->k->say(s->k->arg, &f, s->k->done);
}

static void check_word(struct search *s, const char *word, const char *const *list)
{
	struct misspelt w = {.n = strlen(word)};

	if (tw_known_find(list, word) || !(w.n_meant = tw_known_find_meant(list, word, &w.meant)) ||
		!find_in_line((const char *)s->text->data + s->at, line_length(s), word, &w.at))
		return;
	w.at += s->at;
	if (!array_reserve(s->words, s->n, s->room)) {
		(void)fixing_failed(s->k, -ENOMEM);
		return;
	}
	s->words[s->n++] = w;
	report_word(s, word, &w);
}

static void check_command(void *arg, const struct tw_command *c)
{
	const char *types = tw_known_find(tw_settings, c->words[0]), *tuning;
	struct search *s = arg;

	for (; s->line < c->line; s->line++)
		s->at += line_length(s) + 1;
	if (!types)
		check_word(s, c->words[0], tw_settings);
	tuning = types ? strchr(types, 't') : NULL;
	if (tuning && tuning - types + 1 < (ptrdiff_t)c->n)
		check_word(s, c->words[tuning - types + 1], tw_tunings);
}

/* Store the text with the replaced words. */
static void store_text(struct search *s, uint32_t item)
{
	CLEANUP_BUFFER struct buffer out = BUFFER_INIT;
	CLEANUP(bytes_unref) struct bytes *text = NULL;
	struct blob *fresh = NULL;
	size_t at = 0;
	int r;

	for (size_t i = 0; i < s->n; i++) {
		buffer_append(&out, s->text->data + at, s->words[i].at - at);
		buffer_append(&out, s->words[i].meant, (size_t)s->words[i].n_meant);
		at = s->words[i].at + s->words[i].n;
	}
	buffer_append(&out, s->text->data + at, s->text->size - at);
	r = buffer_finish(&out, &text);
	if (r == 0)
		r = tw_store_bytes(s->k->m, text, &fresh, NULL);
	if (r < 0)
		(void)fixing_failed(s->k, r);
	else
		tw_change_set_data(s->k->change, item, TW_INFO_SETTINGS, fresh);
}

void fix_settings(struct tw_fixing *k)
{
	const struct tw_map *now = k->change->result ? k->change->result : k->m;
	const struct tw_item *it = tw_item_at(now, TW_INFO, 0);
	struct blob *b = it ? tw_get_blob(now, it, TW_INFO_SETTINGS) : NULL;
	CLEANUP(bytes_unref) struct bytes *text = NULL;
	struct search s = {.k = k, .line = 1};
	int r = b && b->size && tw_is_typed(k->m) ? blob_load(b, &text, NULL) : 0;

	s.text = text;
	if (r == 0 && text)
		r = tw_settings_each(now, check_command, NULL, &s, NULL);
	if (r == -ENOMEM)
		(void)fixing_failed(k, r);
	k->any |= s.n > 0;
	if (s.n)
		store_text(&s, (uint32_t)(it - now->items));
	free(s.words);
}
