/* SPDX-License-Identifier: Zlib */
/*
 * reclog: an append-only log of records with checksums, in a file. The journal is one.
 *
 * File: 16 bytes of magic ("mapfs-journal-2\n"), then records: u8 type (not 0), u24 number, u64
 * size, u32 CRC-32 of those twelve bytes, payload, u32 CRC-32 of the payload; little-endian. The
 * records are numbered from 0 (modulo 2^24), so a missing record is detected. A log of version 1 is
 * read and continued as it is; its numbers are all 0 and ignored. Payloads can be read back as
 * extents of the log's own file.
 *
 * A crash of the program leaves a torn end: an incomplete last record. reclog_next reports it, and
 * reclog_open truncates it. Any other unreadable bytes are damage, including zeros at the end.
 * reclog_next reports damage, continues at the next whole record, and leaves the bytes in the file.
 * Missing records are reported as damage of 0 bytes.
 *
 * Several threads may append. The log truncates a failed append. If that fails, too, or a sync
 * fails, the log is dead: every later append and sync returns the same error. (After a failed sync
 * the kernel may have dropped data that it could not write.)
 *
 * reclog_open fails with -EINVAL on another kind of file. A proper prefix of the magic is an empty
 * log whose creation was interrupted. Payloads keep the descriptor open, but reclog_close releases
 * the lock. On a file system without flock(2), create and open continue without a lock.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/disk/file.h"
#include "base/disk/trust.h"

struct reclog;

/* Create the log `name` below dirfd with mode 0600, and lock it (flock LOCK_EX). -EEXIST if the
 * name is taken. dirfd is borrowed until reclog_close. */
int reclog_create(int dirfd, const char *name, struct reclog **ret, struct error *e);
/* Create a log in an unlinked file below dirfd. Sync it only after reclog_replace. */
int reclog_create_unnamed(int dirfd, struct reclog **ret, struct error *e);
/* Open a log for reading and appending, and lock it. -ENOENT if there is none, -EPERM if it is not
 * trusted, -EBUSY if it is locked already. trust->dirfd is borrowed until reclog_close. */
int reclog_open(const struct trust *trust, const char *name, struct reclog **ret, struct error *e);
/* Open any regular file as a log for reading (recover --list), without a lock and without
 * truncating it. reclog_next reports another magic as damage, so -EINVAL is not returned. */
int reclog_open_readonly(int dirfd, const char *name, struct reclog **ret, struct error *e);
/* Is `name` still the name of the log's file? Other programs may remove, rename or replace it.
 * Always false for a read-only or unnamed log. */
bool reclog_has_name(const struct reclog *l, const char *name);
/* Copy the log to a new, locked file and continue there; the old file is unchanged. The descriptor
 * keeps its number, so payloads that were returned before are read from the new file. The next
 * reclog_sync syncs the directory again. -EEXIST if the name is taken. After a failure the log is
 * unchanged. Meanwhile other threads may append, but not call reclog_rewrite or reclog_sync. */
int reclog_rewrite(struct reclog *l, const char *name, struct error *e);
/*
 * Give an unnamed log the name of an existing file below dirfd, which is borrowed until
 * reclog_close. The log is copied to a new, locked file (stem: of its temporary name, see
 * io_temporary), synced, and renamed over the old file: after a crash the name has the old file or
 * the whole log. If the directory cannot be synced, the next reclog_sync does it. After a failure
 * the name has the old file, and the log may only be closed.
 */
int reclog_replace(
	struct reclog *l, int dirfd, const char *stem, const char *name, struct error *e);
void reclog_close(struct reclog *l); /* NULL is fine */
DEFINE_CLEANUP(struct reclog, reclog_close);

/* Append one record, of a type from 1 to 255. Its payload is the concatenation of the parts. The
 * caller finishes *ret_payload (may be NULL), the payload in the log. Does not sync. */
int reclog_append(struct reclog *l, uint32_t type, const struct extent *parts, size_t n_parts,
	struct extent *ret_payload, struct error *e);
/* Sync the log to disk; the first time the directory, too. Other threads may append or sync
 * meanwhile. A read-only log needs no sync: 0. */
int reclog_sync(struct reclog *l, struct error *e);

struct record {
	uint32_t type;         /* 0: damaged bytes, or no bytes if records are missing */
	uint32_t number;       /* modulo 2^24 */
	bool is_damaged;       /* the payload does not have its checksum, or type is 0 */
	uint32_t crc;          /* computed from the payload; 0 if type is 0 */
	struct extent payload; /* or the damaged bytes; the caller calls extent_finish */
};

/* A position in a log; all zeros is its beginning. */
struct reclog_pos {
	uint64_t offset;
	uint32_t number;   /* expected number of the next record */
	bool is_uncertain; /* damage before it may have destroyed records: do not expect number */
};

/* Read the record at pos and advance pos. Returns 1 for a record or damage, 0 at the end, which may
 * be torn, or -errno. With 0, *ret_torn (may be NULL) is set to whether it is, and pos stays. Else
 * *ret_torn is false. */
int reclog_next(struct reclog *l, struct reclog_pos *pos, struct record *ret, bool *ret_torn,
	struct error *e);

/* Size of the file in bytes, with the magic. */
uint64_t reclog_size(const struct reclog *l);
