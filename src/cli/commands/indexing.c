/* SPDX-License-Identifier: Zlib */
#include "cli/commands/indexing.h"

#include <errno.h>
#include <string.h>

#include "base/say.h"
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
