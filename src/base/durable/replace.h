/* SPDX-License-Identifier: Zlib */
/*
 * replace: write a new version of a file atomically.
 *
 * Calling sequence:
 *   replace_begin     create .NAME.mapfs-new-XXXXXX in the directory of the file (O_EXCL)
 *   replace_write,
 *   replace_copy      append; replace_close returns the first error
 *   replace_close     flush, and copy mode, owner, ACL and xattrs of the old file to the new one
 *   (the caller reads replace_file back and compares, while the disk writes)
 *   replace_sync      fsync the file
 *   replace_commit    lock the new file, rename it over NAME, fsync the directory
 *   replace_destroy   at any time; removes the new file if it was not committed
 *
 * At any time NAME is either the whole old file or the whole new one.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/disk/sidecar_cache.h"
#include "base/durable/compared.h"
#include "base/disk/file.h"
#include "base/disk/trust.h"

struct replace;

/* Write the stem .NAME.mapfs-new- to ret, which has room for NAME_MAX + 1 bytes. A long NAME is
 * cut. In the temporary names six characters follow (io_temporary). */
void replace_stem(const char *name, char *ret);

/* Begin to write `name` below dirfd, borrowed until replace_destroy. like: a descriptor
 * (duplicated) of the file whose metadata is kept, or -1 for a new file with mode 0666 & ~umask. */
int replace_begin(int dirfd, const char *name, int like, struct replace **ret, struct error *e);
void replace_write(struct replace *r, const void *data, size_t n);
void replace_copy(struct replace *r, const struct extent *x);
uint64_t replace_size(const struct replace *r); /* number of bytes appended so far */
/* Set a function that replace_write, replace_copy and replace_close call about every MiB, or 8 MiB
 * in an extent of a file. written: bytes of the new file so far. */
void replace_on_progress(struct replace *r, void (*fn)(void *arg, uint64_t written), void *arg);
int replace_close(struct replace *r, struct error *e);
/* Sync the written file. Optional: replace_lock and replace_commit sync it if it is not synced. */
int replace_sync(struct replace *r, struct error *e);
/* Return a new reference to the written file, for reading. After replace_close. */
struct file *replace_file(struct replace *r);
/* Return the ranges that were compared while they were copied: large ones that the kernel did not
 * copy by itself. Borrowed. After replace_close. */
const struct compared *replace_compared(const struct replace *r);
/* Return the attributes of the written file. The commit does not change inode number, size and
 * mtime. After replace_close. */
const struct stat *replace_stat(const struct replace *r);

/* Change the name that replace_commit will give to the file. -EINVAL: not a name. */
int replace_set_name(struct replace *r, const char *name, struct error *e);

/*
 * Rename the file over NAME, or, if over is false, to the first free name of NAME, NAME.1, NAME.2,
 * up to NAME.999 (-EEXIST if all are taken). ret_name (NAME_MAX + 1 bytes, may be NULL) is set to
 * the name once the file is renamed, even if the sync of the directory fails. Before the rename,
 * the descriptor of replace_file is locked (flock LOCK_EX), so no other mount can lock the new
 * file: -EBUSY if another process has locked it. If the file system has no locks, it is not locked.
 */
int replace_commit(struct replace *r, bool over, char *ret_name, struct error *e);
/* Was the file renamed to its final name? Also true if replace_commit failed after the rename. */
bool replace_is_committed(const struct replace *r);
/* Remove trusted temporary files for `name` that killed processes left behind. The caller holds the
 * lock of that file, so no other process is writing it. Ignores errors. */
void replace_remove_leftovers(const struct trust *trust, const char *name);
/* Like replace_remove_leftovers, but use the cached names of the directory. */
void replace_remove_leftovers_cached(
	const struct trust *trust, struct sidecar_cache *sidecars, const char *name);
/* For pair.c, which commits two files together. */
int replace_dirfd(const struct replace *r);
const char *replace_name(const struct replace *r);
const char *replace_temporary(const struct replace *r); /* "" once renamed, forgotten or removed */
int replace_lock(struct replace *r, struct error *e);   /* sync and lock the file */
/* Forget the temporary name: replace_destroy keeps the file, replace_is_committed returns true. */
void replace_forget_temporary(struct replace *r);
/* Remove the temporary file now. If that fails, replace_destroy tries again. */
void replace_discard(struct replace *r);

void replace_destroy(struct replace *r);
DEFINE_CLEANUP(struct replace, replace_destroy);
