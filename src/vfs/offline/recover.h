/* SPDX-License-Identifier: Zlib */
/*
 * recover: the contents that a journal holds, without the map (`mapfs recover --extract`).
 *
 * The journal is replayed into an overlay over a base without entries, in which every name can be
 * used. So neither the map nor its format is needed, and what a mount would refuse is found, too.
 * Each file is found under the name that it has at the end. A file that was removed is found, too,
 * unless something else is at its path at the end.
 *
 * line() is called in the order of the records: for each file, at the record that has its content
 * ("applied", or why it was refused); for each name that was created, removed or renamed; and for
 * the journal itself (its file name) where it is damaged, or if it ends too early.
 */
#pragma once

#include "base/error.h"

/* Read the journal with the name `file` in dirfd, without a lock. Copy each file to outdirfd/PATH,
 * over existing files, and create the directories of the path; symbolic links are not followed.
 * If outdirfd is -1, only call line(). */
int recover_extract(int dirfd, const char *file, int outdirfd,
	void (*line)(void *arg, const char *path, const char *what), void *arg, struct error *e);
/* Report the records of the journal `file` to line(), and remove it. -EBUSY: a mount uses it. */
int recover_discard(int dirfd, const char *file,
	void (*line)(void *arg, const char *path, const char *what), void *arg, struct error *e);
