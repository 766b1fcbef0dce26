/* SPDX-License-Identifier: Zlib */
/*
 * change: files of a map made, written, moved and removed, and saved. Errors are those that a
 * program would hear from a mount; whether content is any, and goes with the rest, is for
 * change_build and change_save.
 */
#pragma once

#include "vfs/offline/calls.h"
#include "vfs/offline/out.h"
#include "vfs/overlay/overlay_build.h"

/* Where content comes from: up to n bytes into dst; the number, 0 at the end, -errno. */
typedef ssize_t (*change_source)(void *arg, void *dst, size_t n);
/* A file that is open. */
struct change_file {
	int fd;
	int failed; /* -errno of reading it */
};
ssize_t change_from_file(void *arg, void *dst, size_t n);

/* Writes a file, which need not be there yet. mtime (may be NULL): the time that it has then. */
int change_put(struct offline *t, const char *path, change_source source, void *arg,
	const struct timespec *mtime, struct error *e);
/* Does the format take no file or directory of that path for its name? Then e says why. */
bool change_is_no_name(const struct offline *t, const char *path, struct error *e);
/* A directory and all that is in it. What cannot be removed stays, and so does what it is in:
 * -ENOTEMPTY. */
int change_remove_tree(struct offline *t, const char *path);

/* Does a file mean something in a map? */
enum change_meaning {
	CHANGE_OF_MAP,
	CHANGE_SCRATCH,
	CHANGE_EXPLAINED, /* it, or a directory that it is in, has a name that editors give */
	CHANGE_DERIVED,   /* a tool made it of a file beside it */
};
enum change_meaning change_meaning_of(const struct offline *t, const struct spot *s);

/*
 * Saves. Before that, what would not be in the new map is refused: a line on stderr for each, and
 * OUTCOME_SAVE_FAILED; where left is set, files that mean nothing in a map are told of instead, and
 * the code is OUTCOME_LEFT; with skip so are those whose content is refused.  The lines of the
 * report are printed: of what was saved on stdout if verbose, of all else on stderr; silent: only
 * where the map could not be saved.
 */
struct change_save {
	bool verbose, left, skip, silent;
	int *error;      /* may be NULL: -errno of what kept it from being written, -EINVAL: the map
			  * would be wrong; else untouched */
	struct out *out; /* may be NULL: where the map is to be instead; out_commit follows */
	/* May be NULL: what is written instead of the map that follows from the tree; borrowed. */
	struct snapshot *map;
	/* May be NULL: a content is refused; true: the map is made without it. */
	bool (*refused)(void *arg, const struct oentry *u, const char *why);
	void *refused_arg;
	/* May be NULL: the name of the file that a path of the map was copied from, malloc'ed, or
	 * NULL. What is refused is told by that one. */
	char *(*origin)(void *arg, struct offline *t, const char *path);
	void *origin_arg;
};
enum outcome change_save(struct offline *t, const struct change_save *how);
