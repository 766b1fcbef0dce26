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
	struct images *images[CONVERT_GAMES_MAX]; /* of each game */
};

static struct converts *converts_of(const struct whole_map *m)
{
	return (struct converts *)m->whole;
}

static int find_image(void *arg, size_t game, const char *name, struct extent *ret, struct error *e)
{
	int r = images_find(converts_of(arg)->images[game], name, ret, NULL);

	return r == -ENOENT ? error_set(e, r, "no %.127s.png was found", name) : r;
}

static void tell(void *arg, enum convert_said what, const char *line)
{
	struct whole_map *m = arg;

	m->left |= what == CONVERT_LEFT;
	if (what == CONVERT_DONE)
		whole_report(m, "%s", line);
	else
		offline_say(m->t, "%s", line);
}

static int change(struct whole_map *m, struct error *e)
{
	const struct converts *all = converts_of(m);
	struct convert how = all->how;

	if (m->t->vol->format != all->format)
		return error_set(e, -EOPNOTSUPP, "there is no other game for maps of this format");
	how.image = find_image;
	how.say = tell;
	how.arg = m;
	how.dry = m->whole->dry;
	return all->format->convert->convert(m->t->vol->now, &how, &m->map, e);
}

static int run_all(struct converts *all, struct error *e)
{
	const struct convert_game *games = all->format->convert->games;
	struct sandbox_rule rules[CONVERT_GAMES_MAX * IMAGES_DIRS_MAX];

	for (size_t i = 0; games[i].name; i++) {
		if (images_open_others(all->mapres, games[i].image_dirs, &all->images[i], e) < 0)
			return OUTCOME_REFUSED;
		all->whole.n_further += images_rules(all->images[i], rules + all->whole.n_further);
	}
	all->whole.further = rules;
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
	return code;
}

int cli_convert(int argc, char **argv)
{
	static const struct command_option options[] = {
		{"mapres", '\0', COMMAND_TEXT, offsetof(struct converts, mapres)},
		{"scale", '\0', COMMAND_FLAG, offsetof(struct converts, how.scale)},
		{"strip", '\0', COMMAND_FLAG, offsetof(struct converts, how.strip)},
		{"to", '\0', COMMAND_TEXT, offsetof(struct converts, to)}, WHOLE_OPTIONS, {0}};
	static const struct command_line line = {.options = options,
		.least = 1,
		.takes = "a map, or a folder, and perhaps OUT",
		.before = "raw=off",
		.run = run};
	struct converts all = {.whole.change = change};
	int code = command_main("convert", argc, argv, &line, &all.whole.command);

	for (size_t i = 0; i < CONVERT_GAMES_MAX; i++)
		images_unref(all.images[i]);
	return code;
}
