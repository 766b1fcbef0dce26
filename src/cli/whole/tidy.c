/* SPDX-License-Identifier: Zlib */
/* mapfs tidy: maps without what nobody would miss. */
#include "formats/tidy.h"

#include <errno.h>
#include <stdio.h>

#include "base/say.h"
#include "cli/cli.h"
#include "cli/whole/whole.h"
#include "formats/images.h"
#include "formats/preview.h"

struct tidies {
	struct whole whole;
	struct tidy how; /* what the command line says */
	const char *mapres;
};

static int change(struct whole_map *m, struct error *e)
{
	const struct tidies *all = (struct tidies *)m->whole;
	const struct format_tidy *f = m->t->vol->format->tidy;
	const struct whole_calls calls = {whole_tell, m, images_find};

	return f ? f->tidy(m->t->vol->now, &all->how, &calls, &m->map, e)
		 : error_set(e, -EOPNOTSUPP, "nobody knows what of such a map can be missed");
}

/* What is put into maps is what a player would see; what leaves them the game has to have, and
 * without a directory the format itself knows what that is. */
static int open_images(struct tidies *a, struct error *e)
{
	static const char *const none[] = {NULL};
	size_t i = 0;

	while (!formats[i]->tidy)
		i++;
	return whole_images(&a->whole, a->mapres,
		a->mapres ? none : formats[i]->preview->image_dirs, &a->how.images, e);
}

static int run(struct command *c)
{
	struct tidies *a = (struct tidies *)c;
	struct error e = ERROR_INIT;
	int code = OUTCOME_REFUSED;

	if (a->how.external && a->how.embed)
		return cli_usage("tidy: --external or --embed");
	if (a->how.hash_names && !a->how.pixels)
		return cli_usage("tidy: --hash-names goes with --pixels");
	if (a->how.pixels && c->n_names == 1 && !a->whole.in_place && !a->whole.dry)
		return cli_usage("tidy: pixels do not come back: name OUT, or say --in-place");
	if ((a->mapres || a->how.embed) && open_images(a, &e) < 0)
		say(stderr, "mapfs: %s", error_text(&e));
	else
		code = whole_run(&a->whole);
	images_unref(a->how.images);
	return code;
}

static const struct command_option options[] = {
	{"embed", '\0', COMMAND_FLAG, offsetof(struct tidies, how.embed)},
	{"external", '\0', COMMAND_FLAG, offsetof(struct tidies, how.external)},
	{"hash-names", '\0', COMMAND_FLAG, offsetof(struct tidies, how.hash_names)},
	{"keep", '\0', COMMAND_TEXTS, offsetof(struct tidies, how.keep)},
	{"layers", '\0', COMMAND_FLAG, offsetof(struct tidies, how.layers)},
	{"mapres", '\0', COMMAND_TEXT, offsetof(struct tidies, mapres)},
	{"pixels", '\0', COMMAND_FLAG, offsetof(struct tidies, how.pixels)}, WHOLE_OPTIONS, {0}};

const struct command_line cli_tidy = {.options = options,
	.least = 1,
	.takes = "a map and perhaps OUT",
	.before = "raw=off",
	.size = sizeof(struct tidies),
	.start = &(const struct tidies){.whole.change = change},
	.run = run};
