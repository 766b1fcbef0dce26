/* SPDX-License-Identifier: Zlib */
/* files: copy a directory on disk into a map. Prints messages for files that are not copied. */
#pragma once

#include "cli/pack/mismatch.h"
#include "tools/pack/pack.h"

struct files {
	struct offline *tree;            /* the map that is changed */
	int dirfd;                       /* the directory on disk */
	const char *shown;               /* name of the directory in messages */
	const struct mismatch *mismatch; /* collections that were emptied first; may be NULL */
	const struct pack_rules *rules;  /* of the format; may be NULL */
	bool takes_all;                  /* copy also files that the game's tool does not pack */
	/* The file of this map (not NULL) and that of `tree` are not copied from the directory. */
	const struct offline *held_map;
	/* Results; zeros at first. */
	size_t refused;    /* files that the map refuses; one message each */
	size_t unread;     /* files that cannot be read; one message each */
	size_t left_out;   /* links, devices, and names without a meaning; one message each */
	size_t unwritable; /* read-only files of the map (raw/); one message for all */
	/* Counted, with the first path; one message for each kind. */
	struct files_count {
		size_t n;
		char *first;
	} derived,        /* by-products of other files */
		unpacked, /* files that the game's tool does not pack */
		split;    /* names with backslashes, which became paths */
	/* The path on disk of each copied file or directory, by oentry.serial, because paths that
	 * differ on disk can be one file of an archive, which ignores case. NULL: not copied. */
	char **sources;
	size_t n, room;
};

/* Copy all files below the directory, as cp -r does; links are not followed. Files that cannot be
 * copied are counted. A full disk or a directory that cannot be listed ends the copying. */
int files_copy_in(struct files *f);
/* Report copied files that another copied file has replaced, as an image replaces its JSON. Adds
 * them to left_out. Returns 0 or -errno. */
int files_report_replaced(struct files *f);
/* Remove writable files that were not copied, except those that the directory has and pack_rules do
 * not exclude. -EEXIST: one of these is a file on one side and a directory on the other. */
int files_remove_others(const struct files *f);
/* For change_save.origin: the path on disk of a copied file, which the caller frees. NULL: it was
 * not copied, or memory is exhausted. arg is a struct files. */
char *files_origin(void *arg, struct offline *t, const char *path);
void files_finish(struct files *f);
