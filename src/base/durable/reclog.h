/* SPDX-License-Identifier: Zlib */
/*
 * reclog: an append-only log of checked records in a file.
 *
 * File: 16 bytes of magic ("mapfs-journal-2\n"), then records: u8 type (not 0), u24 number, u64
 * size, u32 CRC-32 of those twelve bytes, payload, u32 CRC-32 of the payload; little-endian. The
 * records are numbered from 0 (modulo 2^24), so that one which is missing is seen; in a log of
 * version 1, which is read and continued as it is, all numbers are 0 and mean nothing. Payloads may
 * be read back as extents of the log's own file.
 *
 * A torn end (a record that was begun and not finished) is what a crash of the program leaves:
 * reclog_next says so, and reclog_open cuts it off before it appends. What does not read anywhere
 * else, zeros at the end among it, is damage: it is passed over to the next whole record, told, and
 * left where it is. Damage of no bytes stands where records are missing.
 *
 * Appends from several threads are serialized inside. An append that fails is cut off again; if
 * that fails too the log is dead and every later append returns the same error. So it is after a
 * sync that failed, since the kernel may then have dropped what it could not write.
 *
 * A file that is no log is -EINVAL; one shorter than the magic, and like it so far, is an empty log
 * whose making was interrupted. Payloads keep the descriptor open; reclog_close gives the lock up
 * all the same.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/disk/file.h"
#include "base/disk/trust.h"

struct reclog;

/* Makes the log `name` below dirfd (mode 0600, -EEXIST where there is one) or opens it, for reading
 * and appending, and locks it (flock LOCK_EX); -EBUSY where another process has it, -EPERM where it
 * is not to be trusted. The directory's descriptor is borrowed until reclog_close. */
int reclog_create(int dirfd, const char *name, struct reclog **ret, struct error *e);
/* ... or makes one that has no name and goes with the process. */
int reclog_create_unnamed(int dirfd, struct reclog **ret, struct error *e);
int reclog_open(const struct trust *trust, const char *name, struct reclog **ret, struct error *e);
/* For looking only (recover --list): any regular file; no lock, no cut; a damaged magic is damage
 * like any other. */
int reclog_open_readonly(int dirfd, const char *name, struct reclog **ret, struct error *e);
/* Is `name` still the name of the log's file? Other programs may remove, rename or replace it. */
bool reclog_has_name(const struct reclog *l, const char *name);
/* Copy the log to a new file of that name, locked, and continue there; the old file is left alone.
 * The descriptor keeps its number, so payloads that were returned before are read from the new
 * file. The next reclog_sync syncs the directory again. -EEXIST: the name is taken. After a failure
 * the log is unchanged. Not while reclog_rewrite or reclog_sync runs on another thread. */
int reclog_rewrite(struct reclog *l, const char *name, struct error *e);
void reclog_close(struct reclog *l);
DEFINE_CLEANUP(struct reclog, reclog_close);

/* Appends one record whose payload is the parts one after the other. ret_payload (may be NULL) is
 * where the payload stands in the log. */
int reclog_append(struct reclog *l, uint32_t type, const struct extent *parts, size_t n_parts,
	struct extent *ret_payload, struct error *e);
int reclog_sync(
	struct reclog *l, struct error *e); /* fdatasync; the first time the directory too */

struct record {
	uint32_t type;   /* 0: damaged bytes between records, or none where some are missing */
	uint32_t number; /* modulo 2^24 */
	bool damaged;    /* the payload is not what was written */
	uint32_t crc;    /* of the payload, where it is sound */
	struct extent payload; /* extent_finish when done */
};

/* Where a walk of a log is; all zero at its begin. */
struct reclog_pos {
	uint64_t at;
	uint32_t number; /* that the next record has */
	bool lost;       /* ... unless the damage before it took some along */
};

/* Walks the records. 1: a record, or damage; 0: the end; *ret_torn (may be NULL): it is a torn one.
 * Negative: cannot be read. */
int reclog_next(struct reclog *l, struct reclog_pos *pos, struct record *ret, bool *ret_torn,
	struct error *e);

uint64_t reclog_size(const struct reclog *l);
