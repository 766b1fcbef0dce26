/* SPDX-License-Identifier: Zlib */
/* mapfs index: the files of an archive that list its other files are made anew. */
#include "formats/index.h"

#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/say.h"
#include "cli/cli.h"
#include "cli/command.h"
#include "cli/offline/change.h"

/* An index that is to be written. */
struct made {
	char *path;
	struct bytes *content;
};

struct indexing {
	struct offline tree; /* first: lines are the map's */
	struct made *made;
	size_t n_made, room;
	bool dry, exact, unread;
	struct change_save save;
};

/* Rows that differ are what a dry run is for; with -v also those that stay for want of a source. */
static void say_row(void *arg, enum index_said what, const char *index, const char *line)
{
	static const char *const words[] = {[INDEX_ADDED] = "added",
		[INDEX_CHANGED] = "changed",
		[INDEX_REMOVED] = "removed",
		[INDEX_KEPT] = "kept"};
	struct indexing *x = arg;

	x->unread |= what == INDEX_UNREAD;
	if (what == INDEX_UNREAD || what == INDEX_LACKING) {
		offline_say(&x->tree, "%s", line);
	} else if (x->save.verbose || (x->dry && what != INDEX_KEPT)) {
		say(stdout, "%s: %s: %s", index, words[what], line);
	}
}

static int take_made(void *arg, const char *index, struct bytes *content, struct error *e)
{
	struct indexing *x = arg;
	char *path = strdup(index);

	if (!path || !array_room(x->made, x->n_made, x->room)) {
		free(path);
		return error_set(e, -ENOMEM, "out of memory");
	}
	x->made[x->n_made++] = (struct made){path, bytes_ref(content)};
	return 0;
}

struct reading {
	const struct bytes *b;
	size_t at;
};

static ssize_t read_bytes(void *arg, void *dst, size_t n)
{
	struct reading *r = arg;

	if (n > r->b->size - r->at)
		n = r->b->size - r->at;
	memcpy(dst, r->b->data + r->at, n);
	r->at += n;
	return (ssize_t)n;
}

static int put_all(struct indexing *x, struct error *e)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < x->n_made; i++) {
		struct reading from = {x->made[i].content, 0};

		r = change_put(&x->tree, x->made[i].path, read_bytes, &from, NULL, e);
		if (r < 0)
			error_context(e, "%s", x->made[i].path);
	}
	return r;
}

static int run(struct command *c, struct indexing *x)
{
	const struct index_making how = {
		.exact = x->exact, .say = say_row, .made = take_made, .arg = x};
	const struct snapshot *s;
	struct error e = ERROR_INIT;
	int r = command_open(c, c->names[0], NULL, 0, &x->tree), code = OUTCOME_DONE;

	if (r < 0)
		return (int)command_outcome_of_writing(r);
	s = x->tree.vol->now;
	if (!s->format->index) {
		offline_say(&x->tree, "no file of such a map lists its other files");
		return OUTCOME_REFUSED;
	}
	r = s->format->index->make(s, &how, &e);
	if (r == 0 && !x->dry)
		r = put_all(x, &e);
	if (r < 0) {
		offline_say(&x->tree, "%s", error_text(&e));
		return OUTCOME_SAVE_FAILED;
	}
	if (x->n_made && !x->dry)
		code = (int)change_save(&x->tree, &x->save);
	return code == OUTCOME_DONE && x->unread ? OUTCOME_LEFT : code;
}

static void finish(struct indexing *x)
{
	for (size_t i = 0; i < x->n_made; i++) {
		free(x->made[i].path);
		bytes_unref(x->made[i].content);
	}
	free(x->made);
	command_close(&x->tree);
}

int cli_index(int argc, char **argv)
{
	static const struct option long_options[] = {{"dry-run", no_argument, NULL, 'n'},
		{"exact", no_argument, NULL, 'e' + 256}, {"verbose", no_argument, NULL, 'v'},
		COMMAND_LONG_OPTIONS};
	struct indexing x = {0};
	struct command c;
	int option;

	command_begin(&c, "index");
	while ((option = command_option(&c, argc, argv, COMMAND_LETTERS "nv", long_options)) > 0 &&
		option != '?') {
		x.dry |= option == 'n';
		x.save.verbose |= option == 'v';
		x.exact |= option == 'e' + 256;
	}
	if (option == -1 && c.n_names != 1)
		c.code = cli_usage("index takes a file");
	else if (option == -1 && (x.dry || command_writes(&c))) {
		c.code = run(&c, &x);
		finish(&x);
	}
	command_finish(&c);
	return c.code;
}
