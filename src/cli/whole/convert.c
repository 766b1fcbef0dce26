/* SPDX-License-Identifier: Zlib */
/* mapfs convert: maps of one game as another game loads and shows them. */
#include "formats/convert.h"

#include <errno.h>
#include <stdio.h>

#include "base/say.h"
#include "cli/cli.h"
#include "cli/whole/whole.h"
#include "formats/images.h"

struct converts {
	struct whole whole;
	struct convert how; /* what the command line says */
	const char *to, *mapres;
	const struct format *format;
};

static int change(struct whole_map *m, struct error *e)
{
	const struct converts *all = (struct converts *)m->whole;
	const struct whole_calls calls = {whole_tell, m, images_find};

	if (m->t->vol->format != all->format)
		return error_set(e, -EOPNOTSUPP, "there is no other game for maps of this format");
	return all->format->convert->convert(m->t->vol->now, &all->how, &calls, &m->map, e);
}

static int run_all(struct converts *all, struct error *e)
{
	const struct convert_game *games = all->format->convert->games;

	for (size_t i = 0; games[i].name; i++)
		if (whole_images(&all->whole, all->mapres, games[i].image_dirs, &all->how.images[i],
			    e) < 0)
			return OUTCOME_REFUSED;
	return whole_run(&all->whole);
}

static int run(struct command *c)
{
	struct converts *all = (struct converts *)c;
	struct error e = ERROR_INIT;
	int code;

	if (!all->to)
		return cli_usage("convert: --to says which game the maps are for");
	if (convert_find(all->to, &all->format, &all->how.to, &e) < 0)
		return cli_usage("convert: --to: %s", error_text(&e));
	code = run_all(all, &e);
	if (e.code)
		say(stderr, "mapfs: %s", error_text(&e));
	for (size_t i = 0; i < CONVERT_GAMES_MAX; i++)
		images_unref(all->how.images[i]);
	return code;
}

static const struct command_option options[] = {
	{"mapres", '\0', COMMAND_TEXT, offsetof(struct converts, mapres)},
	{"scale", '\0', COMMAND_FLAG, offsetof(struct converts, how.scale)},
	{"strip", '\0', COMMAND_FLAG, offsetof(struct converts, how.strip)},
	{"to", '\0', COMMAND_TEXT, offsetof(struct converts, to)}, WHOLE_OPTIONS, {0}};

const struct command_line cli_convert = {.options = options,
	.least = 1,
	.takes = "a map, or a folder, and perhaps OUT",
	.before = "raw=off",
	.size = sizeof(struct converts),
	.start = &(const struct converts){.whole.change = change},
	.run = run};
