/* SPDX-License-Identifier: Zlib */
#include "tools/merge/rescue.h"

#include <errno.h>
#include <string.h>

#include "tools/merge/content.h"

static ssize_t read_next(void *arg, uint64_t, void *dst, size_t n, struct error *)
{
	return reader_read(arg, dst, n);
}

/* Copy a file, and close its reader. */
static int copy_reader(struct rescue_dir *d, const char *path, struct reader *from, struct error *e)
{
	const struct rescue_content content = {read_next, from};
	int r = rescue_dir_write(d, path, &content, false, e);

	reader_close(from);
	if (r < 0)
		error_context(e, "%s", path);
	return r;
}

/* Sync the copies to disk. Removes them if r is negative or the sync fails. */
static int finish_copies(struct rescue_dir *d, int r, struct error *e)
{
	if (r == 0)
		r = rescue_dir_sync(d, e);
	if (r < 0)
		rescue_dir_drop(d);
	return r;
}

int merge_rescue(struct rescue_dir *d, struct merge *m, struct error *e)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < m->n_conflicts; i++) {
		struct merge_node *x = m->conflicts[i].node;
		CLEANUP(free) char *path = NULL;
		struct reader from;

		if (!m->conflicts[i].copies_theirs || x->is_rescued)
			continue;
		x->is_rescued = true;
		path = merged_path(x, true, x->items[THEIRS]);
		r = path ? content_open(m, x->items[THEIRS], CONTENT_NEW_NAMES, &from) : -ENOMEM;
		r = r < 0 ? error_set(e, r, "%s: %s", path ? path : "", strerror(-r))
			  : copy_reader(d, path, &from, e);
	}
	return finish_copies(d, r, e);
}

int merge_rescue_map(
	struct rescue_dir *d, const struct source *theirs, const struct format *f, struct error *e)
{
	char second[NAME_MAX + 1] = "";
	int r = 0;

	if (theirs->n_files > 1 && !f->companion(d->map, 0, second))
		r = error_set(
			e, -ENAMETOOLONG, "%s: the name is too long for a second file", d->map);
	for (unsigned i = 0; r == 0 && i < theirs->n_files; i++) {
		struct reader from = reader_from_extent(
			extent_of_file(file_ref(theirs->files[i]), 0, theirs->sizes[i]));

		r = copy_reader(d, i ? second : d->map, &from, e);
	}
	return finish_copies(d, r, e);
}
