/* SPDX-License-Identifier: Zlib */
#include "tools/convert/run.h"

#include <errno.h>
#include <stdio.h>

#include "base/print.h"
#include "formats/images.h"
#include "formats/preview.h"
#include "vfs/volume/outcome.h"

static int convert_map(struct whole_map *m, struct error *e)
{
	const struct convert_run *run = m->whole->arg;
	const struct whole_calls calls = {whole_say, m, images_find};

	if (m->tree->vol->format != run->tools->format)
		return error_set(e, -EOPNOTSUPP, "conversion is not supported for this format");
	return run->tools->convert->convert(m->tree->vol->base, &run->how, &calls, &m->map, e);
}

static int open_images(struct convert_run *run, struct error *e)
{
	const struct convert_game *games = run->tools->convert->games;
	const char *const *const *dirs = run->tools->format->preview->image_dirs;
	int r = 0;

	for (size_t i = 0; r == 0 && games[i].name; i++) {
		r = images_open_others(
			run->mapres, dirs[games[i].images - 1], &run->how.images[i], e);
		whole_use_images(&run->whole, run->how.images[i]);
	}
	return r;
}

int convert_run(struct convert_run *run)
{
	struct error e = ERROR_INIT;
	int code = OUTCOME_REFUSED;

	run->whole.change = convert_map;
	run->whole.arg = run;
	if (open_images(run, &e) < 0)
		print_line(stderr, "mapfs: %s", error_text(&e));
	else
		code = whole_run(&run->whole);
	for (size_t i = 0; i < CONVERT_GAMES_MAX; i++)
		images_unref(run->how.images[i]);
	return code;
}
