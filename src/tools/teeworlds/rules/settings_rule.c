/* SPDX-License-Identifier: Zlib */
/* Settings that DDNet's servers do not accept, or read in another way than intended. */
#include <string.h>

#include "formats/teeworlds/model/fields.h"
#include "tools/teeworlds/rules/look.h"
#include "tools/teeworlds/rules/settings.h"

static const struct tw_place settings = {
	.at = TW_AT_INFO, .number = TW_INFO_SETTINGS - TW_INFO_AUTHOR};

static bool is_number(const char *s)
{
	char *end;

	(void)strtod(s, &end);
	return end != s && !*end && !s[strspn(s, "+-.0123456789")];
}

/* Warn about a word that is not in the list, and suggest the most similar one. */
static void unknown(const struct tw_look *look, const struct tw_command *c, const char *word,
	const char *const *list, const char *what)
{
	const char *like;
	int n = tw_known_find_similar(list, word, &like);
	const struct tw_text meant = tw_text("%.*s", n, like ? like : "");

	tw_warn(look, settings, "line", word, like ? meant.text : what,
		"line %u: %s is not %s%s%s%s", c->line, word, what, like ? " (" : "", meant.text,
		like ? "?)" : "");
}

static void check_word(
	const struct tw_look *look, const struct tw_command *c, const char *word, char is)
{
	if (is == 't' && !tw_known_find(tw_tunings, word))
		unknown(look, c, word, tw_tunings, "a tuning");
	if (is == 'b' && !tw_known_find(tw_map_bugs, word))
		unknown(look, c, word, tw_map_bugs, "a map bug known to servers");
	if ((is == 'z' || is == 's') && tw_setting_number(word) < 0)
		tw_warn(look, settings, "line", word, "0 to 255", "line %u: %s is %s (0 to 255)",
			c->line, is == 'z' ? "the tune zone" : "the switch", word);
	if (is == 'n' && !is_number(word))
		tw_warn(look, settings, "line", word, "a number", "line %u: %s is not a number",
			c->line, word);
}

/* Check the words of a command against their types `are` (known.c). */
static void check_words(const struct tw_look *look, const struct tw_command *c, const char *are)
{
	unsigned at = 1;

	for (; at < c->n && *are; are++)
		if (*are != '?')
			check_word(look, c, c->words[at++], *are);
	if (*are && *are != '?')
		tw_warn(look, settings, "line", c->words[0], "more words",
			"line %u: %s needs more words", c->line, c->words[0]);
}

static void check_command(void *arg, const struct tw_command *c)
{
	const struct tw_look *look = arg;
	const char *words = tw_known_find(tw_settings, c->words[0]);
	const struct tw_house *h = look->houses;

	while (h && !tw_house_allows(h, c->words[0]))
		h = h->next;
	if (words)
		check_words(look, c, words);
	else if (!h)
		unknown(look, c, c->words[0], tw_settings,
			"a setting that servers accept from maps");
}

static void check_length(void *arg, unsigned line, size_t n)
{
	const struct tw_look *look = arg;

	tw_warn(look, settings, "line", tw_digits((int64_t)n).text, "at most 255 bytes",
		"line %u: %zu bytes (at most %d)", line, n, TW_SETTING_MAX);
}

void tw_rule_settings(const struct tw_look *look)
{
	if (tw_settings_each(look->m, check_command, check_length, (void *)look, NULL) == -ENOMEM)
		look->faults->out_of_memory = true;
}
