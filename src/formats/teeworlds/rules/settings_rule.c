/* SPDX-License-Identifier: Zlib */
/* Settings that no server of DDNet takes, or takes otherwise than they were meant. */
#include <stdio.h>
#include <string.h>

#include "formats/teeworlds/model/fields.h"
#include "formats/teeworlds/rules/look.h"
#include "formats/teeworlds/rules/settings.h"

static const struct tw_place settings = {TW_AT_INFO, TW_INFO_SETTINGS - TW_INFO_AUTHOR};

static bool is_number(const char *s)
{
	size_t whole, part = 0;

	s += *s == '-' || *s == '+';
	whole = strspn(s, "0123456789");
	s += whole;
	if (*s == '.') {
		part = strspn(s + 1, "0123456789");
		s += part + 1;
	}
	return whole + part > 0 && !*s;
}

/* A word that should be in a table: what it should be, with the one that was meant. */
static void unknown(const struct tw_look *look, const struct tw_command *c, const char *word,
	const struct tw_setting *table, const char *what)
{
	const char *like = tw_setting_like(table, word);

	tw_warn(look, settings, "line", word, like ? like : what, "line %u: %s is not %s%s%s%s",
		c->line, word, what, like ? " (" : "", like ? like : "", like ? "?)" : "");
}

static void check_word(
	const struct tw_look *look, const struct tw_command *c, const char *word, char is)
{
	if (is == 't' && !tw_setting_named(tw_tunings, word))
		unknown(look, c, word, tw_tunings, "a tuning");
	if (is == 'b' && !tw_setting_named(tw_map_bugs, word))
		unknown(look, c, word, tw_map_bugs, "a bug of maps that servers know");
	if ((is == 'z' || is == 's') && tw_setting_number(word) < 0)
		tw_warn(look, settings, "line", word, "0 to 255", "line %u: %s is %s (0 to 255)",
			c->line, is == 'z' ? "the tune zone" : "the switch", word);
	if (is == 'n' && !is_number(word))
		tw_warn(look, settings, "line", word, "a number", "line %u: %s is no number",
			c->line, word);
}

static void check_words(
	const struct tw_look *look, const struct tw_command *c, const struct tw_setting *s)
{
	unsigned at = 1;
	bool needed = true;

	for (const char *is = s->words; is && *is; is++) {
		if (*is == '?') {
			needed = false;
		} else if (at < c->n) {
			check_word(look, c, c->words[at++], *is);
		} else if (needed) {
			tw_warn(look, settings, "line", s->name, "all its words",
				"line %u: words of %s are missing", c->line, s->name);
			return;
		}
	}
}

static void check_command(void *arg, const struct tw_command *c)
{
	const struct tw_look *look = arg;
	const struct tw_setting *s = tw_setting_named(tw_settings, c->words[0]);

	if (s)
		check_words(look, c, s);
	else if (!tw_houses_allow(look->houses, c->words[0]))
		unknown(look, c, c->words[0], tw_settings, "a setting that servers take from maps");
}

static void check_length(void *arg, unsigned line, size_t n)
{
	const struct tw_look *look = arg;

	tw_warn(look, settings, "line", tw_digits((int64_t)n).text, "at most 255 bytes",
		"line %u: is %zu bytes long (at most %d)", line, n, TW_SETTING_MAX);
}

void tw_rule_settings(const struct tw_look *look)
{
	if (tw_settings_each(look->m, check_command, check_length, (void *)look, NULL) == -ENOMEM)
		look->f->failed = true;
}
