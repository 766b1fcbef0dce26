/* SPDX-License-Identifier: Zlib */
/* files: a directory of files on disk as the content of a map. */
#pragma once

#include "cli/commands/unlike.h"
#include "tools/pack/pack.h"

struct files {
	struct offline *t;              /* where they go */
	int dirfd;                      /* of the directory */
	const char *shown;              /* what it is called in messages */
	const struct unlike *u;         /* what went to make room */
	const struct pack_rules *rules; /* of the map's format; may be NULL */
	bool all;                       /* also what its own tool does not pack */
	/* A map that is no part of itself where the directory has it, beside the one that is
	 * written. */
	const struct offline *held;

	size_t refused; /* by the map: a line on stderr each */
	size_t unread;  /* likewise */
	size_t left;    /* links, devices, and names that no map takes; likewise */
	size_t shut;    /* what the map shows and nobody can write (raw/): one line */
	/* One line each, with the first: */
	struct files_count {
		size_t n;
		char *first;
	} derived,        /* made of others that are there */
		unpacked, /* that the format's own tool does not pack */
		split;    /* whose name was made a path */
	/* Paths of those that are in the map now, by numbers (oentry.serial): names that differ may
	 * be one file (in archives, where the case of letters does not count). NULL: it was not. */
	char **from;
	size_t n, room;
};

/* Copies all that is below the directory, as cp -r does into a mount; links are not followed. What
 * stops it is -errno. */
int files_copy_in(struct files *f);
/* Those in whose place another one of the directory stands, as an image does in that of its JSON,
 * are told of, and counted in left. -errno. */
int files_tell_replaced(struct files *f);
/* Removes from the map what the directory has not, and what was not copied. */
int files_remove_others(const struct files *f);
/* change_save.origin (vfs/offline/change.h), of a struct files. */
char *files_origin(void *arg, struct offline *t, const char *path);
void files_finish(struct files *f);
