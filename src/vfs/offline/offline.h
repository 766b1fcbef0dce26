/* SPDX-License-Identifier: Zlib */
/*
 * offline: the tree of a map's files without a mount: an overlay of what a command changes over
 * the map as it was opened (vfs/overlay/overlay.h). Nothing of it is in the map before change_save.
 *
 * Calling sequence
 *   offline_open      open the map; a map that is to be written is locked, as a mount does it
 *   offline_confine   give up every right except those to the open maps and to what is named
 *   offline_load      parse the map
 *   ...               change the tree (change.h), and save it with change_save
 *   offline_close     at any point; changes that were not saved are dropped
 *
 * A tree belongs to one thread.
 */
#pragma once

#include <sys/stat.h>

#include "base/sandbox/sandbox.h"
#include "vfs/overlay/overlay.h"
#include "vfs/volume/outcome.h"
#include "vfs/volume/volume.h"

struct offline {
	const char *file; /* as it was named, for messages; borrowed */
	struct volume *vol;
	struct overlay *tree; /* NULL before offline_load */
	struct error why;     /* why a file could not be read, last; and as a line says it */
	struct error told;
};

/*
 * Where a map is, links resolved: its directory, and its name there. Both are the caller's. "-" is
 * what standard input holds. -EISDIR: it is a directory.
 */
int offline_locate(const char *file, int *ret_dirfd, char **ret_name, struct error *e);

/*
 * t is the caller's memory, and is to be closed also on failure. Without o->read_only:
 * VOLUME_LOCKED where the map is mounted for writing, -EROFS where it cannot be written.
 */
int offline_open(struct offline *t, const char *file, const struct vfs_options *o, struct error *e);
/* A new map of this format (NULL: by its ending), which must not be there: an empty one, once it is
 * loaded. Where it is not to stay, volume_discard takes it away again. "-", for o->nameless, is one
 * for standard output (streams_output), and never stays. */
int offline_create(struct offline *t, const char *file, const char *format,
	const struct vfs_options *o, struct error *e);
/* The same of a map below a directory that is open (borrowed): for those that a folder holds. */
int offline_open_at(struct offline *t, int dirfd, const char *name, const char *file,
	const struct vfs_options *o, struct error *e);
/* A rule for a directory, which may not be our own. */
struct sandbox_rule offline_rule(int dirfd, unsigned flags);
/* A further rule with SANDBOX_RIGHTS: it is of files that are not all our own. debug: what the
 * kernel lacks is told. */
int offline_confine(struct offline *const *trees, size_t n, const struct sandbox_rule *further,
	size_t n_further, bool debug, struct error *e);
/* Of a map that is not to be loaded: VOLUME_LOCKED where a journal that fits it waits. */
int offline_check_journal(const struct offline *t, struct error *e);
/* For writing: VOLUME_LOCKED where a journal that fits the map waits. */
int offline_load(struct offline *t, struct error *e);
void offline_close(struct offline *t);
/* Is that file the map's own, or one of its two? */
bool offline_is_map(const struct offline *t, const struct stat *st);

/* Are the files of two maps the same, byte for byte? What cannot be read is not. */
bool offline_same(const struct source *a, const struct source *b);

/* What is to be said of -errno: why a file cannot be read, or what the system says. */
const char *offline_reason(const struct offline *t, int r);
/* A line on stderr: "mapfs: FILE: ...". */
void offline_say(const struct offline *t, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* The same for a path of the tree: "mapfs: FILE: PATH: reason". Returns r. */
int offline_fail(const struct offline *t, const char *path, int r);

/* The exit code for the result of opening or reading a map: 0 or -errno. */
enum outcome offline_outcome(int r);
/* The exit code for the result of a command that writes a map. A full disk is
 * OUTCOME_SAVE_FAILED. */
enum outcome offline_write_outcome(int r);
