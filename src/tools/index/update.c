/* SPDX-License-Identifier: Zlib */
#include "tools/index/update.h"

#include <errno.h>
#include <stdio.h>

#include "base/print.h"
#include "tools/index/index.h"
#include "tools/tools.h"
#include "vfs/offline/reader.h"

static void report_row(void *arg, enum index_event what, const char *index, const char *line)
{
	static const char *const words[] = {[INDEX_ADDED] = "added",
		[INDEX_CHANGED] = "changed",
		[INDEX_REMOVED] = "removed",
		[INDEX_KEPT] = "kept"};
	struct index_update *x = arg;

	x->unread |= what == INDEX_UNREAD;
	if (what == INDEX_UNREAD || what == INDEX_LACKING)
		offline_print(x->tree, "%s", line);
	else if (x->verbose || (x->dry && what != INDEX_KEPT))
		print_line(stdout, "%s: %s: %s", index, words[what], line);
}

static int put_index(void *arg, const char *index, struct bytes *content, struct error *e)
{
	struct index_update *x = arg;
	struct reader from = reader_from_extent(extent_of_bytes(bytes_ref(content)));
	int r;

	x->n_put += !x->dry;
	r = x->dry ? 0 : change_put(x->tree, index, reader_read, &from, NULL, e);
	reader_close(&from);
	if (r < 0)
		error_context(e, "%s", index);
	return r;
}

int index_update_run(struct index_update *x, const struct snapshot *s, struct error *e)
{
	const struct index_options how = {
		.is_exact = x->exact, .say = report_row, .write = put_index, .arg = x};

	const struct index_tool *f = tools_of(s->format)->index;

	if (!f)
		return error_set(e, -EOPNOTSUPP, "index is not supported for this format");
	return f->rebuild(s, &how, e);
}
