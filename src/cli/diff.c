/* SPDX-License-Identifier: Zlib */
/* mapfs diff: how two maps differ. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/io.h"
#include "base/say.h"
#include "cli/cli.h"
#include "cli/command.h"
#include "cli/offline/compare.h"
#include "cli/offline/walk.h"
#include "codec/text.h"

/* Those of diff. */
enum { SAME = 0, DIFFERENT = 1, TROUBLE = 2 };
enum { FILE_MAX = 1 << 30 }; /* bytes */

struct side {
	struct offline tree;
	struct names paths;
};

struct diff {
	struct command command;
	struct side sides[2];
	struct buffer out;
	bool different, trouble;
	bool brief;
};

static int collect(void *arg, const char *path, const struct attr *a)
{
	struct names *p = &((struct side *)arg)->paths;

	if (S_ISDIR(a->mode))
		return 0;
	if (!array_room(p->at, p->n, p->room) || !(p->at[p->n] = strdup(path)))
		return -ENOMEM;
	p->n++;
	return 0;
}

/* In the order of a walk: what is in a directory stands together. */
static int path_cmp(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return (*a == '/' ? 1 : (unsigned char)*a) - (*b == '/' ? 1 : (unsigned char)*b);
}

static struct bytes *load(struct diff *d, struct side *s, const char *path)
{
	struct bytes *b = NULL;
	struct attr a;
	int r = offline_find(&s->tree, path, &a);

	if (r == 0) {
		r = offline_read_all(&s->tree, &a, FILE_MAX, &b);
		offline_forget(&s->tree, a.ino);
	}
	if (r < 0) {
		command_fail(&s->tree, path, r);
		d->trouble = true;
	}
	return b;
}

static bool ends_in(const char *path, const char *ending)
{
	size_t n = strlen(path), m = strlen(ending);

	return n > m && strcmp(path + n - m, ending) == 0;
}

static bool is_text(const struct bytes *b)
{
	return !memchr(b->data, '\0', b->size) && utf8_valid(b->data, b->size);
}

static void tell(struct diff *d, const char *path, struct bytes *a, struct bytes *b)
{
	buffer_printf(&d->out, "changed %s\n", path);
	if (d->brief || (ends_in(path, ".csv") && compare_tables(a, b, &d->out)) ||
		(ends_in(path, ".png") && compare_images(a, b, &d->out)))
		return;
	if (is_text(a) && is_text(b))
		compare_texts(a, b, &d->out);
	else
		buffer_printf(&d->out, " %zu bytes -> %zu bytes\n", a->size, b->size);
}

static void compare(struct diff *d, const char *path)
{
	CLEANUP(bytes_unref) struct bytes *a = load(d, &d->sides[0], path);
	CLEANUP(bytes_unref) struct bytes *b = load(d, &d->sides[1], path);

	if (!a || !b || (a->size == b->size && memcmp(a->data, b->data, a->size) == 0))
		return;
	d->different = true;
	tell(d, path, a, b);
}

static void only(struct diff *d, const char *what, const char *path)
{
	d->different = true;
	buffer_printf(&d->out, "%s %s\n", what, path);
}

static int flush(struct diff *d)
{
	int r = d->out.error ? d->out.error : io_write(STDOUT_FILENO, d->out.data, d->out.size);

	if (r < 0)
		say(stderr, "mapfs: standard output: %s", strerror(-r));
	d->out.size = 0;
	return r < 0 ? r : 0;
}

static int compare_all(struct diff *d)
{
	const struct names *a = &d->sides[0].paths, *b = &d->sides[1].paths;
	size_t i = 0, j = 0;
	int r = 0;

	while (r == 0 && (i < a->n || j < b->n)) {
		int order = i == a->n ? 1 : j == b->n ? -1 : path_cmp(a->at[i], b->at[j]);

		if (order < 0)
			only(d, "removed", a->at[i++]);
		else if (order > 0)
			only(d, "added", b->at[j++]);
		else {
			compare(d, a->at[i++]);
			j++;
		}
		r = flush(d);
	}
	return r;
}

static int open_both(struct diff *d, struct pool *pool)
{
	struct command *c = &d->command;
	struct offline *trees[2] = {&d->sides[0].tree, &d->sides[1].tree};
	struct error e = ERROR_INIT;
	int r = 0, i;

	for (i = 0; r == 0 && i < 2; i++)
		r = offline_open(trees[i], c->names[i], &c->how, &e);
	if (r == 0)
		r = offline_confine(trees, 2, NULL, 0, c->debug, &e);
	for (i = r == 0 ? 0 : i; r == 0 && i < 2; i++)
		r = offline_load(trees[i], pool, &e);
	if (r < 0)
		say(stderr, "mapfs: %s: %s", c->names[i - 1], error_text(&e));
	return r;
}

static int run(struct diff *d)
{
	struct pool *pool = pool_create(0);
	int r = pool ? open_both(d, pool) : -ENOMEM;

	for (int i = 0; r == 0 && i < 2; i++)
		r = offline_walk(&d->sides[i].tree, "", collect, NULL, &d->sides[i]);
	if (r == 0)
		r = compare_all(d);
	for (int i = 0; i < 2; i++) {
		offline_close(&d->sides[i].tree);
		names_finish(&d->sides[i].paths);
	}
	pool_destroy(pool);
	buffer_finish_free(&d->out);
	return r < 0 || d->trouble ? TROUBLE : d->different ? DIFFERENT : SAME;
}

int cli_diff(int argc, char **argv)
{
	static const struct option long_options[] = {
		{"brief", no_argument, NULL, 'q'}, COMMAND_LONG_OPTIONS};
	struct diff d = {0};
	struct command *c = &d.command;
	int option;

	command_begin(c, "diff");
	/* Its numbers say nothing of another map. */
	(void)options_add(&c->options, "raw=off", NULL);
	while ((option = command_option(c, argc, argv, COMMAND_LETTERS "q", long_options)) == 'q')
		d.brief = true;
	if (option == -1 && c->n_names == 2)
		c->code = run(&d);
	else if (option == -1 || c->code != OUTCOME_DONE)
		c->code = option == -1 ? cli_usage("diff takes two maps") + 1 : TROUBLE;
	command_finish(c);
	return c->code;
}
