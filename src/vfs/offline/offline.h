/* SPDX-License-Identifier: Zlib */
/*
 * offline: a map opened, changed and saved without a mount. Changes go to an overlay over the base
 * (vfs/overlay/overlay.h); the file changes only in change_save.
 *
 * Calling sequence
 *   offline_open      open the map, and lock it unless it is opened read-only
 *   offline_confine   enter the sandbox
 *   offline_load      parse the map
 *   change_...        change the overlay (change.h), and save it with change_save
 *   offline_close     at any point; unsaved changes are dropped
 */
#pragma once

#include <sys/stat.h>

#include "base/sandbox/sandbox.h"
#include "vfs/overlay/overlay.h"
#include "vfs/volume/outcome.h"
#include "vfs/volume/volume.h"

struct offline {
	const char *file; /* the name given by the user, for messages; borrowed */
	struct volume *vol;
	struct overlay *overlay;  /* NULL before offline_load */
	struct error read_error;  /* reason of the last read; no code if that succeeded */
	struct error shown_error; /* the same, preceded by the text of EIO */
};

/* Resolve symbolic links, and return the map's directory and its name there. The caller closes and
 * frees them. "-" is copied from standard input to an unlinked file, which stays open;
 * directory and name are then those in /proc/self/fd. -EISDIR: it is a directory. */
int offline_locate(const char *file, int *ret_dirfd, char **ret_name, struct error *e);

/* Open a map into *t. The caller closes it, also if this or the next two fail. For writing:
 * VOLUME_LOCKED (-EBUSY) if the map is mounted for writing, -EROFS if it is not writable. */
int offline_open(struct offline *t, const char *file, const struct vfs_options *o, struct error *e);
/* Create a map of the format (NULL: by the file's ending). It is empty once loaded; volume_discard
 * removes the file again. -EEXIST. "-" requires o->nameless, and is a file with a temporary name,
 * for streams_output; the caller always discards it. "-" also sets the umask to 077. */
int offline_create(struct offline *t, const char *file, const char *format,
	const struct vfs_options *o, struct error *e);
/* Like offline_open, for the map `name` in a directory. `file` is its name for messages. */
int offline_open_at(struct offline *t, int dirfd, const char *name, const char *file,
	const struct vfs_options *o, struct error *e);
/* Make a sandbox rule for a directory, with SANDBOX_KEEP_OWNERS unless this user owns it. */
struct sandbox_rule offline_rule(int dirfd, unsigned flags);
/* Enter a sandbox that allows the open maps and the further rules. It has SANDBOX_KEEP_OWNERS if a
 * rule has, or a writable map is not volume_is_own. debug: print missing kernel features. */
int offline_confine(struct offline *const *trees, size_t n, const struct sandbox_rule *further,
	size_t n_further, bool debug, struct error *e);
/* For a map that will not be loaded: VOLUME_LOCKED if a journal with its changes exists. */
int offline_check_journal(const struct offline *t, struct error *e);
/* Parse the map, and create the overlay. VOLUME_LOCKED if a journal with changes of the map was
 * opened, which happens only for a map that is open for writing. */
int offline_load(struct offline *t, struct error *e);
void offline_close(struct offline *t);
/* Does st describe one of the map's files? */
bool offline_is_map(const struct offline *t, const struct stat *st);

/* Are the files of two maps equal, byte for byte? False if one cannot be read. */
bool offline_same(const struct source *a, const struct source *b);

/* The message for -errno: for -EIO why the last read failed (valid until the next), or strerror. */
const char *offline_reason(const struct offline *t, int r);
/* Print a line on stderr: "mapfs: FILE: ...". */
void offline_print(const struct offline *t, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Print an error for a path in the map: "mapfs: FILE: PATH: reason". Returns r. */
int offline_print_error(const struct offline *t, const char *path, int r);

/* The exit code for the result (0 or -errno) of opening or reading a map: OUTCOME_BUSY for
 * VOLUME_LOCKED, OUTCOME_REFUSED for all others. */
enum outcome offline_outcome(int r);
/* The exit code for the result of a command that writes a map: OUTCOME_SAVE_FAILED for a full disk;
 * otherwise as offline_outcome. */
enum outcome offline_write_outcome(int r);
