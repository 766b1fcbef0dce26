/* SPDX-License-Identifier: Zlib */
/*
 * fixture: a map of any format, opened from its files as a mount does, with new content kept in
 * memory; and the files that a save writes.
 */
#pragma once

#include "formats/format.h"

struct fixture {
	struct budget *budget;
	struct store store;
	struct source source;
	struct format_context ctx;
	struct snapshot *s; /* NULL if the file is refused */
	int dirfd;          /* for spools and written files */
};

/* Add one file to a source, which is initially zero; the first file names the source. */
int source_add(struct source *src, const char *path, struct error *e);
void source_drop(struct source *src);
uint64_t fixture_file_size(const struct file *file);
/* Are all files of both sources equal, byte for byte? */
bool source_equal(const struct source *a, const struct source *b);

/*
 * Open a map; consumes the source. A NULL format means the one that recognizes the source; a source
 * without files gives a new map. `options` are borrowed. Returns 0 or the refusal; call
 * fixture_close in either case.
 */
int fixture_open_source(struct fixture *f, const struct format *format, const struct source *src,
	const char *const *options, struct error *e);
void fixture_close(struct fixture *f);

/*
 * Encode, close and verify. *ret gets the written files, which are unlinked; free it with
 * source_drop. `ret_plan` may be NULL.
 */
int fixture_write(const struct fixture *f, const struct snapshot *s, bool force, struct source *ret,
	struct plan **ret_plan, struct error *e);
