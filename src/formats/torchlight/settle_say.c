/* SPDX-License-Identifier: Zlib */
/* What a person should know of an archive before the game tells them nothing. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "formats/torchlight/settle_plan.h"

/* The game finds these only through an index that somebody must have made anew. */
static const struct {
	const char *below, *index;
} indexed[] = {
	{"MEDIA/UNITS/ITEMS/", "UNITDATA.RAW"},
	{"MEDIA/UNITS/MONSTERS/", "UNITDATA.RAW"},
	{"MEDIA/UNITS/PLAYERS/", "UNITDATA.RAW"},
	{"MEDIA/UNITS/PROPS/", "UNITDATA.RAW"},
	{"MEDIA/SKILLS/", "SKILLS.RAW"},
	{"MEDIA/AFFIXES/", "AFFIXES.RAW"},
	{"MEDIA/MISSILES/", "MISSILES.RAW"},
};

/* Was the index changed, or made, since the mount? */
static bool index_changed(const struct settling *st, const char *name)
{
	const struct tl_table *t = st->table;

	for (uint32_t i = 0; i < t->n_rows; i++)
		if (t->rows[i].handle != TL_NONE &&
			str_equal_nocase(t->rows[i].name, str_of(name)) &&
			(t->rows[i].handle >= st->sh->manifest->n_entries ||
				tl_map_file(st->m, t->rows[i].handle)))
			return true;
	return false;
}

static size_t count_new(const struct settling *st, const char *below)
{
	size_t n = 0;

	for (size_t i = 0; i < st->homes.n; i++) {
		const struct tl_home *h = &st->homes.all[i];

		n += h->handle != TL_NONE && h->handle >= st->sh->manifest->n_entries &&
		     !strncasecmp(h->path, below, strlen(below)) && h->type == 0;
	}
	return n;
}

/* Files that were found to be broken, and are copied so. */
static void say_damaged(
	const struct settling *st, void (*say)(void *arg, const char *line), void *arg)
{
	for (uint32_t i = 0; i < st->m->base->n; i++) {
		CLEANUP(tl_content_unref) struct tl_content *c = tl_base_peek(st->m->base, i);
		CLEANUP_BUFFER struct buffer line = BUFFER_INIT;

		if (!c || tl_map_file(st->m, i) || atomic_load(&c->state) != TL_DAMAGED ||
			tl_file_path(st->sh, i, &line) < 0)
			continue;
		line.size--; /* the NUL */
		buffer_text(&line, " is damaged (its CRC-32 is wrong) and stays so");
		buffer_byte(&line, 0);
		if (!line.error)
			say(arg, (const char *)line.data);
	}
}

void tl_settle_say(const struct settling *st, void (*say)(void *arg, const char *line), void *arg)
{
	char line[256];

	if (!say)
		return;
	say_damaged(st, say, arg);
	tl_settle_say_names(st, say, arg);
	if (st->m->info_dropped && !st->m->header)
		say(arg, "a PAK has no header: title, author and the rest of .mod/info.json are "
			 "left "
			 "out");
	for (size_t i = 0; i < sizeof(indexed) / sizeof(*indexed); i++) {
		size_t n = count_new(st, indexed[i].below);

		if (!n || index_changed(st, indexed[i].index))
			continue;
		snprintf(line, sizeof(line),
			"%zu new files below %s are not in %s, which did not change: the game does "
			"not see them",
			n, indexed[i].below, indexed[i].index);
		say(arg, line);
	}
}
