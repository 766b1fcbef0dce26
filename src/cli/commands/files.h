/* SPDX-License-Identifier: Zlib */
/* files: a directory of files on disk as the content of a map. */
#pragma once

#include "cli/commands/unlike.h"

/* Which files of a map were written, and from where. By numbers (upper.number): names that differ
 * may be one file (in archives, where the case of letters does not count). */
struct copied {
	char **from; /* paths; NULL: it was not */
	size_t n, room;
};

struct files_copied {
	/* Set before: a map that is no part of itself where the directory has it, beside the one
	 * that is written. */
	const struct offline *held;
	size_t refused; /* by the map: a line on stderr each */
	size_t unread;  /* likewise */
	size_t left;    /* links, devices, and names that no map takes; likewise */
	size_t shut;    /* what the map shows and nobody can write (raw/): one line */
	size_t derived; /* made of others that are there: one line, with the first */
	char *first_derived;
	struct copied all; /* that is in the map now */
};

/* Copies all that is below a directory, as cp -r does into a mount; links are not followed. shown:
 * what the directory is called in messages. u (may be NULL): what went to make room. What stops it
 * is -errno. *ret is to be finished in any case. */
int files_copy_in(struct offline *t, int dirfd, const char *shown, const struct unlike *u,
	struct files_copied *ret);
/* Those in whose place another one of the directory stands, as an image does in that of its JSON,
 * are told of, and counted in left. -errno. */
int files_tell_replaced(
	struct offline *t, const char *shown, const struct unlike *u, struct files_copied *copied);
/* "SHOWN/PATH" of the file that the map's was copied from; malloc'ed. NULL: it was not. */
char *files_origin(
	struct offline *t, const char *shown, const struct files_copied *copied, const char *path);
/* Removes from the map what the directory has not, and what was not copied. */
int files_remove_others(
	struct offline *t, int dirfd, const struct unlike *u, const struct files_copied *copied);
void files_copied_finish(struct files_copied *copied);
