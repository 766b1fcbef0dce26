/* SPDX-License-Identifier: Zlib */
#include "tools/tidy/run.h"

#include <errno.h>
#include <stdio.h>

#include "base/say.h"
#include "formats/images.h"
#include "formats/preview.h"
#include "tools/tools.h"
#include "vfs/volume/outcome.h"

static int tidy_map(struct whole_map *m, struct error *e)
{
	const struct tidy_run *run = m->whole->arg;
	const struct tidy_tool *f = tools_of(m->t->vol->format)->tidy;
	const struct whole_calls calls = {whole_tell, m, images_find};

	return f ? f->tidy(m->t->vol->now, &run->how, &calls, &m->map, e)
		 : error_set(e, -EOPNOTSUPP, "nobody knows what of such a map can be missed");
}

/* The first toolset that can tidy. */
static const struct toolset *find_tools(void)
{
	size_t i = 0;

	while (!toolsets[i]->tidy)
		i++;
	return toolsets[i];
}

/* An embedded image must be what a player sees, so the game's directories are searched. An image
 * that leaves a map must be one that the game has: without --mapres the format's own table decides
 * that. */
static int open_images(struct tidy_run *run, struct error *e)
{
	static const char *const none[] = {NULL};

	if (!run->mapres && !run->how.embed)
		return 0;
	return whole_images(&run->whole, run->mapres,
		run->mapres ? none : find_tools()->format->preview->image_dirs, &run->how.images,
		e);
}

int tidy_run(struct tidy_run *run)
{
	struct error e = ERROR_INIT;
	int code = OUTCOME_REFUSED;

	run->whole.change = tidy_map;
	run->whole.arg = run;
	if (open_images(run, &e) < 0)
		say(stderr, "mapfs: %s", error_text(&e));
	else
		code = whole_run(&run->whole);
	images_unref(run->how.images);
	return code;
}
