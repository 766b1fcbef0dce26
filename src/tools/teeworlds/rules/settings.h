/* SPDX-License-Identifier: Zlib */
/*
 * settings: what DDNet's server takes from a map: its variables for the game, and a few commands.
 * The words are data, in known.c.
 *
 * The server reads a line as its console does (engine/shared/console.cpp): commands are told apart
 * by ";", what follows "#" is none, words by blanks, "..." is one word; case does not count.
 */
#pragma once

#include "formats/teeworlds/model/map.h"

enum { TW_SETTING_MAX = 255 /* bytes of a line that a server reads */, TW_SETTING_WORDS = 5 };

/* A command of a line, taken apart. */
struct tw_command {
	unsigned line; /* of info/settings.cfg, from 1 */
	unsigned n;    /* words, at least 1; the rest of more than there is room for is left out */
	char *words[TW_SETTING_WORDS];
	char text[TW_SETTING_MAX + 1]; /* ... in here */
};

/* Each command; long_line is told of lines that are cut (it may be NULL). -ENOMEM, -EIO. */
typedef void (*tw_command_fn)(void *arg, const struct tw_command *c);
int tw_settings_each(const struct tw_map *m, tw_command_fn fn,
	void (*long_line)(void *arg, unsigned line, size_t n), void *arg, struct error *e);

/* The number of a switch or a tune zone, 0 to 255; -1: it is none. */
int tw_setting_number(const char *word);
/* The switches that are open from the begin. */
void tw_settings_open(const struct tw_map *m, bool ret[256]);

/*
 * known.c: lists of words, NULL-ended. Behind a setting that is no variable, which takes any value,
 * stands what its words have to be, a letter each: t a tuning, z a tune zone, s a switch, b a bug
 * of a map, n a number, r any text; those behind "?" may be left out.
 */
extern const char *const tw_settings[], *const tw_tunings[], *const tw_map_bugs[];

/* What stands behind a word of the list, or ""; NULL: it is none of them. */
const char *tw_known(const char *const *list, const char *word);
/* The one that was meant by a misspelt word, and its length; *ret = NULL: none is like it. */
int tw_known_like(const char *const *list, const char *word, const char **ret);
