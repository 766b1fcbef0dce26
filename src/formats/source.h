/* SPDX-License-Identifier: Zlib */
/* source: what a format is given to open a map: its files, the options, and where the bytes of new
 * blobs are kept. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/budget.h"
#include "base/disk/file.h"
#include "base/durable/compared.h"
#include "base/error.h"

/* Where the bytes of new blobs are kept: in memory or in unlinked files (vfs/volume/store.h), not
 * in the journal, since they follow from what that holds. In tests this is memory alone. */
struct store {
	/* Keep data, and return where it is from then on. Data in a file stays in that file. Any
	 * thread. */
	int (*keep)(
		struct store *s, const struct extent *data, struct extent *ret, struct error *e);
	int spool_dirfd; /* for spool_create */
};

struct snapshot;

/* Report a line about a map that is about to be saved. With a warning the exit status is 5: the map
 * is saved, but a game will not do what the user expects. */
enum format_said { FORMAT_NOTE, FORMAT_WARNING };
typedef void (*format_say)(void *arg, enum format_said kind, const char *line);

/* What a format is opened with; all borrowed but files, and alive as long as any snapshot. */
struct format_context {
	struct budget *budget;
	struct store *store;
	/* "key=value" and "key" of -o, NULL-ended; a format reads those it knows. */
	const char *const *options;
	/* The file that -o names=FILE names, opened before the sandbox, or NULL; borrowed. */
	struct file *names_file;
	/* preview_image_fn (preview.h), for pictures. May be NULL. */
	int (*image)(
		void *arg, unsigned game, const char *name, struct extent *ret, struct error *e);
	void *image_arg;
	/* For the report and the log: what was assumed, repaired, ignored. May be NULL. */
	void (*note)(void *arg, const char *line);
	void *note_arg;
	/* Of a map that a mount has saved: what tree->names gave of the map that was built, so that
	 * its objects are called as that mount calls them. NULL: the map's own names. */
	const struct bytes *names;
};

enum { FORMAT_FILES_MAX = 2 };

/* The file or files of one map (a PAK and its MAN); files[0] is the one that was named. None: a map
 * that is being made. */
struct source {
	struct file *files[FORMAT_FILES_MAX];
	uint64_t sizes[FORMAT_FILES_MAX];
	unsigned n_files;
	const char *name; /* the file's own name, without directories */
	bool doubted;     /* for verify: what was copied has to pass its own checksums */
	/* For verify: what needs no comparing any more. Borrowed; may be NULL. */
	const struct compared *compared[FORMAT_FILES_MAX];
};

/* The value of key in "key=value" options: "" for a bare key, NULL where it is absent. The last of
 * several counts. */
const char *format_option(const char *const *options, const char *key);
