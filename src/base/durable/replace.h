/* SPDX-License-Identifier: Zlib */
/*
 * replace: write a file anew, all or nothing.
 *
 * Calling sequence
 *   replace_begin     makes .NAME.mapfs-new-XXXXXX in the file's own directory (O_EXCL)
 *   replace_write,
 *   replace_copy      append; the first error stays and is what replace_close returns
 *   replace_close     flushes, gives the new file the old one's mode, owner, ACL and xattrs
 *   (the caller reads replace_file back and compares, while the disk writes)
 *   replace_sync      fsyncs it
 *   replace_commit    locks the new file, renames it over NAME, fsyncs the directory
 *   replace_destroy   at any point; removes what was not committed
 *
 * At every instant NAME is all of the old file or all of the new one. A failure of the directory's
 * fsync after the rename is reported as an error although the new file stands.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/disk/nearby.h"
#include "base/durable/compared.h"
#include "base/disk/file.h"
#include "base/disk/trust.h"

struct replace;

/* What the names of files that are to become NAME begin with; six letters follow (io_temporary).
 * ret has room for NAME_MAX + 1. */
void replace_stem(const char *name, char *ret);

/*
 * like: a descriptor of the file whose metadata is kept, or -1 for a new file of mode 0666 &
 * ~umask. dirfd is borrowed. Owner and group are kept as far as the rights go: where the group
 * cannot be kept its mode bits are dropped to those of others, never widened.
 */
int replace_begin(int dirfd, const char *name, int like, struct replace **ret, struct error *e);
void replace_write(struct replace *r, const void *data, size_t n);
void replace_copy(struct replace *r, const struct extent *x);
uint64_t replace_written(const struct replace *r);
/* Called after every few MiB with the bytes so far; for progress. */
void replace_on_progress(struct replace *r, void (*fn)(void *arg, uint64_t written), void *arg);
int replace_close(struct replace *r, struct error *e);
/* Without it replace_lock and replace_commit do it. */
int replace_sync(struct replace *r, struct error *e);
/* The written file, open for reading; a new reference. After replace_close. */
struct file *replace_file(struct replace *r);
/* What of it was compared while it was copied: large ranges, unless the kernel copied them by
 * itself. Borrowed. After replace_close. */
const struct compared *replace_compared(const struct replace *r);
/* What fstat says of the written file: ino, size and mtime stay through the commit. After
 * replace_close. */
const struct stat *replace_stat(const struct replace *r);

/* From now on the file is to become `name` instead. */
int replace_rename_as(struct replace *r, const char *name, struct error *e);

/*
 * over = true: rename over NAME. over = false: the file takes the first free of NAME, NAME.1,
 * NAME.2 ... and *ret_name (NAME_MAX + 1 bytes, may be NULL) says which. The descriptor that
 * replace_file shares is flock'ed (LOCK_EX) before it is renamed, so that no other mount slips in.
 */
int replace_commit(struct replace *r, bool over, char *ret_name, struct error *e);
/* Did the file get its name? True also where replace_commit failed after the rename. */
bool replace_stands(const struct replace *r);
/* Removes what a process that was killed between begin and commit left behind, and what of it is to
 * be trusted. The caller holds the lock of NAME, so that nobody is writing it now. */
void replace_sweep(const struct trust *trust, const char *name);
/* ... by what was read of the directory. */
void replace_sweep_nearby(const struct trust *trust, struct nearby *nearby, const char *name);
/* For pair.c, which commits two of them: what they are called, and that it did. */
int replace_dirfd(const struct replace *r);
const char *replace_name(const struct replace *r);
const char *replace_temporary(const struct replace *r);
int replace_lock(struct replace *r, struct error *e); /* and syncs, as replace_commit does */
void replace_let_stand(struct replace *r); /* its temporary name is not its own any more */
void replace_discard(struct replace *r);   /* the temporary file goes now */

void replace_destroy(struct replace *r);
DEFINE_CLEANUP(struct replace, replace_destroy);
