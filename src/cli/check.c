/* SPDX-License-Identifier: Zlib */
/* mapfs check: what a game would refuse in maps, and what of them cannot be read. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/say.h"
#include "cli/cli.h"
#include "cli/command.h"
#include "cli/json_line.h"
#include "cli/offline/many.h"
#include "cli/offline/walk.h"

struct check {
	struct command command;
	bool json;
};

/* One map's. */
struct checking {
	const struct check *check;
	struct offline *t;
	struct buffer *out;
	struct error why; /* what the vfs said last */
	bool bad;
};

/* A line; in JSON, an object on a line of its own. */
static void tell(const struct check *c, const char *file, const char *level, const char *problem,
	struct buffer *out)
{
	CLEANUP(free) char *shown = strdup(file), *text = strdup(problem);

	if (c->json) {
		json_line_text(out, "{\"file\": ", file);
		json_line_text(out, ", \"level\": ", level);
		json_line_text(out, ", \"problem\": ", problem);
		buffer_text(out, "}\n");
	} else if (shown && text) {
		buffer_printf(out, "%s: %s: %s\n", printable(shown), level, printable(text));
	}
}

static void refuse(void *arg, const char *line)
{
	struct checking *k = arg;

	k->bad = true;
	tell(k->check, k->t->file, "error", line, k->out);
}

static void heard(void *arg, const char *line)
{
	struct checking *k = arg;

	error_set(&k->why, -EIO, "%s", line);
}

static int drop(void *arg, const void *data, size_t n)
{
	(void)arg, (void)data, (void)n;
	return 0;
}

static int read_one(void *arg, const char *path, const struct attr *a)
{
	struct checking *k = arg;
	CLEANUP(free) char *line = NULL;
	int r;

	if (S_ISDIR(a->mode))
		return 0;
	error_clear(&k->why);
	r = offline_read(k->t, a, drop, NULL);
	if (r == 0)
		return 0;
	if (r != -EIO)
		return r;
	if (asprintf(&line, "%s: cannot be read: %s", path,
		    k->why.code ? error_text(&k->why) : strerror(-r)) < 0)
		return -ENOMEM;
	tell(k->check, k->t->file, "warning", line, k->out);
	return 0;
}

static int check_map(void *arg, struct offline *t, struct buffer *out)
{
	struct checking k = {.check = arg, .t = t, .out = out};
	const struct format_edit *edit = t->vol->format->edit;
	struct error e = ERROR_INIT;
	int r = 0;

	t->heard = heard;
	t->heard_arg = &k;
	if (edit && edit->sound && edit->sound(t->vol->now, true, &e) < 0)
		refuse(&k, error_text(&e));
	error_clear(&e);
	if (edit && edit->check)
		r = edit->check(NULL, t->vol->now, refuse, &k, &e);
	if (r == 0 || r == -EINVAL)
		r = offline_walk(t, "", read_one, NULL, &k);
	else
		command_fail(t, "", r);
	return r < 0 ? r : k.bad ? -EINVAL : 0;
}

static int refused(void *arg, const char *file, const struct error *why, struct buffer *out)
{
	tell(arg, file, "error", error_text(why), out);
	return why->code;
}

static int run(struct check *k)
{
	struct command *c = &k->command;
	struct many m = {.visit = check_map,
		.refused = refused,
		.arg = k,
		.how = &c->how,
		.debug = c->debug};
	int r = many_visit_all(&m, c->names, c->n_names);

	return r < 0 ? OUTCOME_REFUSED : OUTCOME_DONE;
}

int cli_check(int argc, char **argv)
{
	static const struct option long_options[] = {
		{"json", no_argument, NULL, 'j'}, COMMAND_LONG_OPTIONS};
	struct check k = {0};
	struct command *c = &k.command;
	int option;

	command_begin(c, "check");
	while ((option = command_option(c, argc, argv, COMMAND_LETTERS, long_options)) == 'j')
		k.json = true;
	if (option == -1 && c->n_names < 1)
		c->code = cli_usage("check takes maps or folders");
	else if (option == -1)
		c->code = run(&k);
	command_finish(c);
	return c->code;
}
