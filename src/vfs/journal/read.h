/* SPDX-License-Identifier: Zlib */
/* Reading journal records back, for replay (walk.c) and `mapfs recover` (list.c,
 * offline/recover.c). */
#pragma once

#include "vfs/journal/journal.h"

/*
 * A record taken apart. Strings are owned; content is a range of the record's payload. One that is
 * damaged has neither, and type 0 where even that is not known; so has one of an unknown type. A
 * path that no mount writes (base/name.h) is damage.
 */
struct journal_record {
	enum journal_type type;
	bool damaged;
	uint32_t crc; /* of the whole payload */
	char *texts[4];
	size_t n_texts;
	struct extent content;
};

void journal_record_finish(struct journal_record *r);
/* The operation on a path that a record is, borrowed from it. False: it is none, or damaged. */
bool journal_record_op(const struct journal_record *r, struct journal_op *ret);

/* The next record: 1, 0 at the end, or -errno. One whose texts are none (a path too long, a NUL
 * missing) is of an unknown type. */
int journal_record_next(struct reclog *l, struct reclog_pos *pos, struct journal_record *ret,
	bool *ret_torn, struct error *e);

/* Calls fn with the name of each file in dirfd that is a journal of map, whatever its identity, or
 * one that was set aside. */
int journal_each_file(int dirfd, const char *map, int (*fn)(void *arg, const char *file), void *arg,
	struct error *e);
/* ... of the directory that b is of. */
int journal_each_nearby(struct nearby *b, const char *map, int (*fn)(void *arg, const char *file),
	void *arg, struct error *e);

/* The number in the name of a file that is a journal by its name (journal/journal.h), if it is one
 * of a map of this identity; 0: it is not. */
unsigned journal_is_of(const char *file, const char *identity);
/* ... or one that was set aside (journal/journal.h)? */
bool journal_is_aside(const char *file);
