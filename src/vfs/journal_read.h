/* SPDX-License-Identifier: Zlib */
/* Reading journal records back; shared by replay (journal_open.c) and recover (journal_list.c). */
#ifndef VFS_JOURNAL_READ_H
#define VFS_JOURNAL_READ_H

#include "vfs/journal.h"

/* A record taken apart. Strings are owned; content is a range of the record's payload. */
struct journal_record {
	enum journal_type type;
	char *texts[4];
	size_t n_texts;
	struct extent content;
};

void journal_record_finish(struct journal_record *r);

/* The next record that is understood: 1, 0 at the end, or -errno. Records of unknown types and
 * damaged ones (a path too long, a NUL missing) are passed over. */
int journal_record_next(struct reclog *l, uint64_t *pos, struct journal_record *ret, bool *ret_torn,
	struct error *e);

/* Calls fn with the name of each file in dirfd that is a journal of map, whatever its identity. */
int journal_each_file(int dirfd, const char *map, int (*fn)(void *arg, const char *file), void *arg,
	struct error *e);

#endif
