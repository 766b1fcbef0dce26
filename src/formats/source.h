/* SPDX-License-Identifier: Zlib */
/* source: the arguments with which a format opens a map: files, options, and the store for bytes of
 * new blobs. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/budget.h"
#include "base/disk/file.h"
#include "base/durable/compared.h"
#include "base/error.h"

/* A store for the bytes of new blobs: memory or unlinked files (vfs/volume/store.h); in tests only
 * memory. The journal does not hold these bytes, because they follow from its operations. */
struct store {
	/* Keep data; *ret is an owned reference to it. Data in a file stays there, and data in
	 * memory may. Any thread. */
	int (*keep)(
		struct store *s, const struct extent *data, struct extent *ret, struct error *e);
	int spool_dirfd; /* for spool_create */
};

struct snapshot;

/* Report a line about a map that is about to be saved. A FORMAT_WARNING makes the exit status of
 * the save 5: the map is saved, but a game will not do what the user expects. */
enum format_line_kind { FORMAT_NOTE, FORMAT_WARNING };
typedef void (*format_say)(void *arg, enum format_line_kind kind, const char *line);

/* The surroundings of a map. All pointers are borrowed; all but names outlive every snapshot. */
struct format_context {
	struct budget *budget;
	struct store *store;
	/* The options of -o, "key=value" or "key", NULL-ended; a format ignores unknown ones. */
	const char *const *options;
	/* The file of -o names=FILE, opened before the process entered the sandbox; or NULL. */
	struct file *names_file;
	/* A preview_image_fn or NULL. game: from 1 as in image_dirs, 0: any. Caller owns *ret. */
	int (*image)(
		void *arg, unsigned game, const char *name, struct extent *ret, struct error *e);
	void *image_arg;
	/* Called by open, to report what it assumed, repaired or ignored. May be NULL. */
	void (*note)(void *arg, const char *line);
	void *note_arg;
	/* The name table (format_tree.names) of the mount that saved the map, so that objects keep
	 * the names of that mount. For open only. NULL: names follow from the map. */
	const struct bytes *names;
};

enum { FORMAT_FILES_MAX = 2 };

/* The files of one map: files[0] is the file that the user named, files[1] the companion. The owner
 * of the struct owns one reference to each. n_files is 0 for a new map. */
struct source {
	struct file *files[FORMAT_FILES_MAX];
	uint64_t sizes[FORMAT_FILES_MAX];
	unsigned n_files;
	const char *name; /* of files[0], or of a new map, without directories */
	bool is_doubtful; /* for verify: check the checksums of copied data, too */
	/* For verify: the ranges that were compared already. Borrowed; may be NULL. */
	const struct compared *compared[FORMAT_FILES_MAX];
};

/* The value of an option: "" for a bare key, NULL if the key is absent. If a key occurs several
 * times, the last one wins. options may be NULL. */
const char *format_option(const char *const *options, const char *key);
