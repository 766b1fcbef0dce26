/* SPDX-License-Identifier: Zlib */
/* change: write and remove files of an open map, and save it. Errors are those that a mount would
 * give, but contents are not validated before change_save. */
#pragma once

#include "vfs/offline/calls.h"
#include "vfs/offline/out.h"
#include "vfs/overlay/overlay_build.h"

/* Read up to n bytes of a content. Returns their number, 0 at the end, or -errno. */
typedef ssize_t (*change_source)(void *arg, void *dst, size_t n);
/* The argument of change_from_file, which is a change_source for an open file. */
struct change_file {
	int fd;
	int failed; /* -errno of the last failed read */
};
ssize_t change_from_file(void *arg, void *dst, size_t n);

/* Write a file, and create it, but not its parents. mtime: its new time; NULL: none. */
int change_put(struct offline *t, const char *path, change_source source, void *arg,
	const struct timespec *mtime, struct error *e);
/* Does the format refuse a name in the path, or fail to judge it? If so, e has the reason. */
bool change_refuses_name(const struct offline *t, const char *path, struct error *e);
/* Remove a file, or a directory with its contents. Entries in it that cannot be removed stay, and
 * so do their directories: -ENOTEMPTY. -ENOENT: nothing has this path. */
int change_remove_tree(struct offline *t, const char *path);

/* Why a file is, or is not, part of the map. */
enum change_class {
	CHANGE_OF_MAP,
	CHANGE_SCRATCH,
	CHANGE_EXPLAINED, /* a scratch file whose loss is harmless (lost_is_harmless) */
	CHANGE_DERIVED,   /* a by-product of a file beside it, or generated (is_by_product) */
};
enum change_class change_classify(const struct offline *t, const struct dentry *s);

/* Options of change_save. By default a file of CHANGE_SCRATCH, or with refused content, makes the
 * save fail with OUTCOME_SAVE_FAILED and a line on stderr. With `left`, scratch files are only
 * reported, and the result is OUTCOME_PARTIAL. With `skip` too, files with refused content are left
 * out as well. A removed file that the map must have always makes it fail. The report goes to
 * stderr. Except for OUTCOME_CONFLICT, its lines about saved and removed files need `verbose`, and
 * go to stdout unless the map is "-". With `silent`, OUTCOME_DONE and _PARTIAL print no report. */
struct change_save {
	bool verbose, left, skip, silent;
	int *error;      /* may be NULL; set to the -errno of a failed build or write (-EINVAL: the
			  * new map would be invalid), otherwise unchanged */
	struct out *out; /* may be NULL; write the map here instead; the caller calls out_commit */
	/* A map to write instead of the one built from the overlay; borrowed; may be NULL. */
	struct snapshot *map;
	/* Called for each refused content; true leaves the file out unreported. May be NULL. */
	bool (*refused)(void *arg, const struct oentry *u, const char *why);
	void *refused_arg;
	/* Returns the name of the file that a path of the map was copied from, for messages, or
	 * NULL. The caller frees it. May be NULL. */
	char *(*origin)(void *arg, struct offline *t, const char *path);
	void *origin_arg;
};
/* Build the map from base and overlay, and save it if it differs or is new, or if how->out or
 * how->map is set. */
enum outcome change_save(struct offline *t, const struct change_save *how);
