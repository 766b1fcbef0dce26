/* SPDX-License-Identifier: Zlib */
/* The writable files of a map, numbered for fuzz_view and its seeds. */
#pragma once

#include <stdlib.h>
#include <string.h>

#include "../../teeworlds/support/fixture.h"

enum { VIEW_FILES = 250, VIEW_HEADER = 3 };

struct view_files {
	struct fixture map;
	entry_id ids[VIEW_FILES];
	size_t n, n_typed; /* files of raw/ follow the typed ones */
	unsigned of_items, of_data;
};

/* All typed files, and some of raw/, which has many of each kind. */
static inline void view_take(void *arg, const char *path, const struct file_attr *entry)
{
	struct view_files *f = arg;

	if (!entry->is_writable || f->n == VIEW_FILES ||
		(!strncmp(path, "raw/items", 9) && f->of_items++ > 80) ||
		(!strncmp(path, "raw/data", 8) && f->of_data++ > 40))
		return;
	f->ids[f->n++] = entry->id;
	if (strncmp(path, "raw/", 4))
		f->n_typed = f->n;
}

static inline void view_files_open(struct view_files *f, const char *path)
{
	struct error e = ERROR_INIT;

	if (fixture_open(&f->map, path, "rw", &e) < 0 ||
		entry_walk(f->map.s, ENTRY_ROOT, "", view_take, f, &e) < 0 || !f->n) {
		fprintf(stderr, "%s: %s\n", path, error_text(&e));
		abort();
	}
}
