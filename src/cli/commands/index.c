/* SPDX-License-Identifier: Zlib */
/* mapfs index: the files of an archive that list its other files are made anew. */
#include <errno.h>

#include "base/say.h"
#include "cli/cli.h"
#include "cli/commands/indexing.h"
#include "cli/line/command.h"
#include "cli/offline/reader.h"
#include "formats/index.h"

static void say_row(void *arg, enum index_said what, const char *index, const char *line)
{
	static const char *const words[] = {[INDEX_ADDED] = "added",
		[INDEX_CHANGED] = "changed",
		[INDEX_REMOVED] = "removed",
		[INDEX_KEPT] = "kept"};
	struct indexing *x = arg;

	x->unread |= what == INDEX_UNREAD;
	if (what == INDEX_UNREAD || what == INDEX_LACKING)
		offline_say(x->tree, "%s", line);
	else if (x->verbose || (x->dry && what != INDEX_KEPT))
		say(stdout, "%s: %s: %s", index, words[what], line);
}

static int put(void *arg, const char *index, struct bytes *content, struct error *e)
{
	struct indexing *x = arg;
	struct reader from = reader_of(extent_of_bytes(bytes_ref(content)));
	int r;

	x->n_put += !x->dry;
	r = x->dry ? 0 : change_put(x->tree, index, reader_take, &from, NULL, e);
	reader_close(&from);
	return r < 0 ? error_context(e, "%s", index) : 0;
}

int indexing_put(struct indexing *x, const struct snapshot *s, struct error *e)
{
	const struct index_making how = {.exact = x->exact, .say = say_row, .made = put, .arg = x};

	if (!s->format->index)
		return error_set(e, -EOPNOTSUPP, "no file of such a map lists its other files");
	return s->format->index->make(s, &how, e);
}

struct indexes {
	struct command command;
	struct indexing x;
};

static int run(struct command *c)
{
	struct indexing *x = &((struct indexes *)c)->x;
	struct error e = ERROR_INIT;
	int r, code = OUTCOME_DONE;

	if (!x->dry && !command_writes(c))
		return OUTCOME_USAGE;
	r = command_open(c, c->names[0], NULL, 0);
	if (r < 0)
		return (int)command_outcome_of_writing(r);
	x->tree = &c->tree;
	x->verbose = c->save.verbose;
	r = indexing_put(x, c->tree.vol->now, &e);
	if (r < 0) {
		offline_say(&c->tree, "%s", error_text(&e));
		return r == -EOPNOTSUPP ? OUTCOME_REFUSED : OUTCOME_SAVE_FAILED;
	}
	if (x->n_put)
		code = (int)change_save(&c->tree, &c->save);
	return code == OUTCOME_DONE && x->unread ? OUTCOME_LEFT : code;
}

static const struct command_option options[] = {
	{"dry-run", 'n', COMMAND_FLAG, offsetof(struct indexes, x.dry)},
	{"exact", '\0', COMMAND_FLAG, offsetof(struct indexes, x.exact)}, COMMAND_VERBOSE, {0}};

const struct command_line cli_index = {.options = options,
	.least = 1,
	.most = 1,
	.takes = "a file",
	.size = sizeof(struct indexes),
	.run = run};
