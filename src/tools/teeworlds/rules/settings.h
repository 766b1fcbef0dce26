/* SPDX-License-Identifier: Zlib */
/*
 * settings: the settings that DDNet's server accepts from a map: game variables and a few commands.
 * Their names are in known.c.
 *
 * The server reads a line like its console (engine/shared/console.cpp): ";" separates commands, "#"
 * begins a comment, blanks separate words, "..." is one word, and case is ignored.
 */
#pragma once

#include "formats/teeworlds/model/map.h"

enum { TW_SETTING_MAX = 255 /* bytes of a line that a server reads */, TW_SETTING_WORDS = 5 };

/* A command, split into words. */
struct tw_command {
	unsigned line;                 /* in info/settings.cfg, from 1 */
	unsigned n;                    /* number of words, at least 1; excess words are dropped */
	char *words[TW_SETTING_WORDS]; /* in text */
	char text[TW_SETTING_MAX + 1];
};

typedef void (*tw_command_fn)(void *arg, const struct tw_command *c);
/* Call fn for each command, and long_line (may be NULL) for each line that is too long and was cut.
 * Ignores settings of more than 1 MiB. -ENOMEM, -EIO. */
int tw_settings_each(const struct tw_map *m, tw_command_fn fn,
	void (*long_line)(void *arg, unsigned line, size_t n), void *arg, struct error *e);

/* The number of a switch or a tune zone, 0 to 255; -1 if the word is not one. */
int tw_setting_number(const char *word);
/* Set ret[n] to true for each switch n that the settings open at the start; leave the others. */
void tw_settings_open(const struct tw_map *m, bool ret[256]);

/* known.c: NULL-ended lists of names. A name may be followed by a blank and the types of its words,
 * a letter each: t tuning, z tune zone, s switch, b map bug, n number, r any text. Words after "?"
 * are optional. A variable has no types and takes any value. */
extern const char *const tw_settings[], *const tw_tunings[], *const tw_map_bugs[];

/* The types that follow a name in the list, or "". NULL if the name, in any case, is not in it. */
const char *tw_known_find(const char *const *list, const char *word);
/* Find the name most similar to a misspelled word. Returns its length; *ret is NULL if none is. */
int tw_known_find_similar(const char *const *list, const char *word, const char **ret);
/* The same, if exactly one name is one edit away. Otherwise returns 0, and *ret means nothing. */
int tw_known_find_meant(const char *const *list, const char *word, const char **ret);
