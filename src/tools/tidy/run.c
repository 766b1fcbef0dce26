/* SPDX-License-Identifier: Zlib */
#include "tools/tidy/run.h"

#include <errno.h>
#include <stdio.h>

#include "base/print.h"
#include "formats/images.h"
#include "tools/common/work.h"
#include "tools/tools.h"
#include "vfs/volume/outcome.h"

static int tidy_map(struct whole_map *m, struct error *e)
{
	const struct tidy_run *run = m->whole->arg;
	const struct tidy_tool *f = tools_of(m->tree->vol->format)->tidy;
	const struct whole_calls calls = {whole_say, m, images_find};

	int r = f ? work_expect(m->tree->vol->base, run->whole.no_limit, e)
		  : error_set(e, -EOPNOTSUPP, "tidy is not supported for this format");

	return r < 0 ? r : f->tidy(m->tree->vol->base, &run->how, &calls, &m->map, e);
}

/* To embed images, search the directories of the games, because players see those images. To make
 * images external, use only --mapres or the format's own table of the game's images. */
static int open_images(struct tidy_run *run, struct error *e)
{
	static const char *const none[] = {NULL};
	int r = 0;

	if (run->mapres)
		r = images_open_others(run->mapres, none, &run->how.images, e);
	else if (run->how.embed)
		r = images_open_games(NULL, &run->how.images, e);
	whole_use_images(&run->whole, run->how.images);
	run->whole.options.images = run->how.images;
	return r;
}

int tidy_run(struct tidy_run *run)
{
	struct error e = ERROR_INIT;
	int code = OUTCOME_REFUSED;

	run->whole.change = tidy_map;
	run->whole.arg = run;
	if (open_images(run, &e) < 0)
		print_line(stderr, "mapfs: %s", error_text(&e));
	else
		code = whole_run(&run->whole);
	images_unref(run->how.images);
	return code;
}
