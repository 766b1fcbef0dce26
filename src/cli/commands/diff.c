/* SPDX-License-Identifier: Zlib */
/* mapfs diff: compare two maps. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/output.h"
#include "base/print.h"
#include "cli/cli.h"
#include "cli/line/command.h"
#include "formats/images.h"
#include "tools/common/work.h"
#include "tools/diff/differences.h"
#include "tools/diff/page.h"
#include "tools/diff/pictures.h"
#include "tools/tools.h"

/* Exit codes, as of diff. */
enum { SAME = 0, DIFFERENT = 1, TROUBLE = 2 };

struct diff {
	struct command command;
	struct differences d;
	struct page page;
	bool full, json, markdown, no_limit;
};

static int open_images(struct diff *x)
{
	struct error e = ERROR_INIT;
	int r;

	if (!x->d.images_name)
		return 0;
	if (mkdir(x->d.images_name, 0777) < 0 && errno != EEXIST)
		r = error_set(&e, -errno, "%s", strerror(errno));
	else
		r = images_open(x->command.map_options.options, &x->d.game_images, &e);
	if (r == 0) {
		x->d.images = open(x->d.images_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		r = x->d.images < 0 ? error_set(&e, -errno, "%s", strerror(errno)) : 0;
	}
	if (r < 0)
		print_line(stderr, "mapfs: %s: %s", x->d.images_name, error_text(&e));
	return r;
}

static int open_both(struct diff *x)
{
	struct side *sides = x->d.m.sides;
	struct offline *trees[] = {&sides[BASE].tree, &sides[OURS].tree};
	struct sandbox_rule images[1 + IMAGES_DIRS_MAX] = {{x->d.images, SANDBOX_WRITABLE}};
	size_t n = x->d.images < 0 ? 0 : 1 + images_rules(x->d.game_images, images + 1);
	struct command *c = &x->command;
	struct error e = ERROR_INIT;
	int r = 0, i;

	for (i = 0; r == 0 && i < 2; i++)
		r = offline_open(trees[i], c->names[i], &c->map_options, &e);
	if (r == 0)
		r = offline_confine(trees, 2, images, n, c->debug, &e);
	for (i = r == 0 ? 0 : i; r == 0 && i < 2; i++)
		r = offline_load(trees[i], &e);
	for (i = r == 0 ? 0 : i; r == 0 && i < 2; i++)
		r = work_expect(trees[i]->vol->base, x->no_limit, &e);
	if (r < 0)
		print_line(stderr, "mapfs: %s: %s", c->names[i - 1], error_text(&e));
	return r;
}

/* Write the pictures of printed differences, and the page that shows them. */
static int finish_diff(struct diff *x)
{
	struct differences *d = &x->d;
	size_t left;
	int r = 0;

	if (d->images >= 0 && d->has_differences)
		pictures_of_map(d);
	if (x->markdown) {
		r = page_end(d, x->command.names[1]);
		return r < 0 ? r : output_text(&d->out);
	}
	for (int k = 0; r == 0 && d->images >= 0 && k < 2; k++) {
		r = pictures_of_places(d, k ? &x->page.played : &x->page.seen, k, NULL, &left);
		if (left)
			print_line(stderr, "mapfs: %s: places without a picture: %zu",
				d->images_name, left);
	}
	return r;
}

static int compare_maps(struct diff *x)
{
	struct merge *m = &x->d.m;
	const struct format *f = m->sides[OURS].tree.vol->format;
	bool objects = f->has_positions && m->sides[BASE].tree.vol->format == f;
	int r = 0;

	m->numbered = objects;
	if (objects && tools_of(f)->merge)
		m->schema = tools_of(f)->merge;
	for (int w = 0; r == 0 && w < SIDES; w++)
		r = side_read(&m->sides[w], (enum which)w, objects);
	if (r == 0)
		r = differences_print(&x->d);
	if (r == 0)
		r = finish_diff(x);
	return r;
}

static int run_diff(struct command *c)
{
	struct diff *x = (struct diff *)c;
	CLEANUP(budget_destroy) struct budget *budget = budget_create(c->map_options.cache);
	struct differences *d = &x->d;
	int r = budget ? digest_init() : -ENOMEM;

	if (x->markdown && (x->json || x->full)) {
		(void)cli_usage("diff: --markdown cannot be used with --json or --full");
		return TROUBLE;
	}

	d->length = x->markdown ? DETAIL_PAGE : x->full ? DETAIL_ALL : DETAIL_SOME;
	d->page = x->markdown || d->images_name ? &x->page : NULL;
	d->print = x->json ? difference_print_json : x->markdown ? page_print : difference_print;
	c->map_options.budget = budget; /* both maps share it */
	if (r == 0)
		r = open_images(x);
	if (r == 0)
		r = open_both(x);
	if (r == 0)
		r = compare_maps(x);
	if (r == -ENOMEM)
		print_line(stderr, "mapfs: out of memory");
	for (int w = 0; w < SIDES; w++)
		side_finish(&d->m.sides[w]);
	merged_finish(&d->m);
	page_finish(&x->page);
	buffer_finish_free(&d->out);
	images_unref(d->game_images);
	close_fd_cleanup(&d->images);
	return r < 0 || d->has_errors ? TROUBLE : d->has_differences ? DIFFERENT : SAME;
}

static const struct merge_schema nothing;

static const struct command_option options[] = {
	{"brief", 'q', COMMAND_FLAG, offsetof(struct diff, d.is_brief)},
	{"full", '\0', COMMAND_FLAG, offsetof(struct diff, full)},
	{"json", '\0', COMMAND_FLAG, offsetof(struct diff, json)},
	{"markdown", '\0', COMMAND_FLAG, offsetof(struct diff, markdown)},
	{"no-limit", '\0', COMMAND_FLAG, offsetof(struct diff, no_limit)},
	{"images", '\0', COMMAND_TEXT, offsetof(struct diff, d.images_name)}, {0}};

/* raw=off: the numbers in raw/ cannot be compared between maps. */
const struct command_line cli_diff = {.options = options,
	.min_names = 2,
	.max_names = 2,
	.operands = "two maps",
	.default_options = "raw=off",
	.fixed_options = "png=stored",
	.usage_code = TROUBLE,
	.size = sizeof(struct diff),
	.initial = &(const struct diff){.d = {.m.schema = &nothing, .images = -1}},
	.run = run_diff};
