/* SPDX-License-Identifier: Zlib */
/*
 * fixture: a map of any format opened from its files as the mounted tree would, its new content
 * kept in memory; and what a save writes of it.
 */
#pragma once

#include "formats/format.h"

struct fixture {
	struct budget *budget;
	struct store store;
	struct source source;
	struct format_context ctx;
	struct snapshot *s; /* NULL where the file is refused */
	int dirfd;          /* for spools and written files */
};

/* One file more of a source, which is zero at first; the source's name is the first one's. */
int source_add(struct source *src, const char *path, struct error *e);
void source_drop(struct source *src);
uint64_t fixture_file_size(const struct file *file);
/* Do both have the same files, byte for byte? */
bool source_equal(const struct source *a, const struct source *b);

/* Takes the source over; format NULL: the one that claims it. Of a source without files a new map.
 * options are borrowed. 0 or the refusal; fixture_close in either case. */
int fixture_open_source(struct fixture *f, const struct format *format, const struct source *src,
	const char *const *options, struct error *e);
void fixture_close(struct fixture *f);

/* encode, close, verify: the written files, removed from their directory, for source_drop. ret_plan
 * may be NULL. */
int fixture_write(const struct fixture *f, const struct snapshot *s, bool force, struct source *ret,
	struct plan **ret_plan, struct error *e);
