/* SPDX-License-Identifier: Zlib */
/* mapfs diff: how two maps differ. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/say.h"
#include "cli/cli.h"
#include "cli/commands/differences.h"
#include "cli/line/command.h"

/* Those of diff. */
enum { SAME = 0, DIFFERENT = 1, TROUBLE = 2 };

struct diff {
	struct command command;
	struct differences d;
	const char *images;
};

static int open_images(struct diff *x)
{
	if (!x->images)
		return 0;
	if (mkdir(x->images, 0777) < 0 && errno != EEXIST)
		x->d.images = -1;
	else
		x->d.images = open(x->images, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (x->d.images >= 0)
		return 0;
	say(stderr, "mapfs: %s: %s", x->images, strerror(errno));
	return -EINVAL;
}

static int open_both(struct diff *x, struct pool *pool)
{
	struct side *sides = x->d.m.sides;
	struct offline *trees[] = {&sides[BASE].tree, &sides[OURS].tree};
	struct sandbox_rule images = {x->d.images, SANDBOX_WRITABLE};
	struct command *c = &x->command;
	struct error e = ERROR_INIT;
	int r = 0, i;

	for (i = 0; r == 0 && i < 2; i++)
		r = offline_open(trees[i], c->names[i], &c->how, &e);
	if (r == 0)
		r = offline_confine(trees, 2, &images, x->d.images >= 0, c->debug, &e);
	for (i = r == 0 ? 0 : i; r == 0 && i < 2; i++)
		r = offline_load(trees[i], pool, &e);
	if (r < 0)
		say(stderr, "mapfs: %s: %s", c->names[i - 1], error_text(&e));
	return r;
}

static int compare(struct diff *x)
{
	struct merge *m = &x->d.m;
	const struct format *f = m->sides[OURS].tree.vol->format;
	bool objects = f->numbered && m->sides[BASE].tree.vol->format == f;
	int r = 0;

	m->numbered = objects;
	if (objects && f->merging)
		m->how = f->merging;
	for (int w = 0; r == 0 && w < SIDES; w++)
		r = side_read(&m->sides[w], objects);
	if (r == 0)
		r = differences_tell(&x->d);
	if (r == 0)
		differences_draw(&x->d);
	return r;
}

static int run(struct command *c)
{
	struct diff *x = (struct diff *)c;
	CLEANUP(budget_destroy) struct budget *budget = budget_create(c->how.cache);
	struct pool *pool = pool_create(0);
	struct differences *d = &x->d;
	int r = pool && budget ? digest_begin() : -ENOMEM;

	c->how.budget = budget; /* both maps share it */
	if (r == 0)
		r = open_images(x);
	if (r == 0)
		r = open_both(x, pool);
	if (r == 0)
		r = compare(x);
	if (r == -ENOMEM)
		say(stderr, "mapfs: out of memory");
	for (int w = 0; w < SIDES; w++) {
		offline_close(&d->m.sides[w].tree);
		side_finish(&d->m.sides[w]);
	}
	merged_finish(&d->m);
	pool_destroy(pool);
	buffer_finish_free(&d->out);
	return r < 0 || d->trouble ? TROUBLE : d->different ? DIFFERENT : SAME;
}

int cli_diff(int argc, char **argv)
{
	static const struct command_option options[] = {
		{"brief", 'q', COMMAND_FLAG, offsetof(struct diff, d.brief)},
		{"full", '\0', COMMAND_FLAG, offsetof(struct diff, d.full)},
		{"images", '\0', COMMAND_TEXT, offsetof(struct diff, images)}, {0}};
	/* The numbers in raw/ say nothing of another map. */
	static const struct command_line line = {.options = options,
		.least = 2,
		.most = 2,
		.takes = "two maps",
		.before = "raw=off",
		.fixed = "png=stored",
		.wrong = TROUBLE,
		.run = run};
	static const struct format_merging nothing;
	struct diff x = {.d = {.m.how = &nothing, .images = -1}};
	int code = command_main("diff", argc, argv, &line, &x.command);

	close_fd_cleanup(&x.d.images);
	return code;
}
