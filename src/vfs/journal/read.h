/* SPDX-License-Identifier: Zlib */
/* read: parse the records of a journal. */
#pragma once

#include "vfs/journal/journal.h"

/* A parsed record. It owns its strings, and content, which is a range of the record's payload. A
 * damaged record has neither, and its type is 0 if that is unknown. A record of an unknown type, or
 * whose strings cannot be parsed, also has type 0 and neither, but is not damaged. A record with a
 * path that no mount writes (base/name.h) counts as damaged. */
struct journal_record {
	enum journal_type type;
	bool damaged;
	uint32_t crc; /* of the whole payload; 0 if strings or paths are invalid */
	char *texts[4];
	size_t n_texts;
	struct extent content;
};

void journal_record_finish(struct journal_record *r);
/* Convert a record to an operation, which borrows from it. False if it is damaged or not one. */
bool journal_record_op(const struct journal_record *r, struct journal_op *ret);

/* Read the record at pos, at first {0}. Returns 1 (damaged or not; the caller finishes ret), 0 at
 * the end, or -errno. With 0, *ret_torn is set: does the log end in an incomplete record? */
int journal_record_next(struct reclog *l, struct reclog_pos *pos, struct journal_record *ret,
	bool *ret_torn, struct error *e);

/* Call fn with the name of each file in dirfd that is a journal of the map by its name. `map` is a
 * result of sidecar_family. The journal may have any identity, may have been set aside, and may be
 * untrusted. A nonzero return of fn ends the loop, and is returned if negative. */
int journal_each_file(int dirfd, const char *map, int (*fn)(void *arg, const char *file), void *arg,
	struct error *e);
/* Like journal_each_file, for the directory of b. May miss changes of the last second. */
int journal_each_sidecar(struct sidecar_cache *b, const char *map,
	int (*fn)(void *arg, const char *file), void *arg, struct error *e);

/* The number in the file name of a journal (journal.h), if the journal has this identity and was
 * not set aside; otherwise 0. `file` must be the name of a journal. */
unsigned journal_is_of(const char *file, const char *identity);
/* Was the journal of that file name set aside? `file` must be the name of a journal. */
bool journal_is_set_aside(const char *file);
