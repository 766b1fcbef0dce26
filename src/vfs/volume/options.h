/* SPDX-License-Identifier: Zlib */
/* How a map is to be shown. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "formats/source.h"

struct nearby;
struct images;

/* Reports what tools know of a map that is about to be saved. `before` is the map as it was opened
 * or last saved. Runs on a worker thread of a mount, or on the command's own. */
typedef void (*vfs_advise)(
	const struct snapshot *before, const struct snapshot *map, format_say say, void *arg);

struct vfs_options {
	bool read_only;
	bool keep_modes; /* ... and shown with the permissions that it would have otherwise */
	/* For who writes and saves at once, all or nothing: there is no journal beside the map, and
	 * a save that would leave a draft fails. */
	bool at_once;
	/* Of a map that volume_create makes: it has another name until volume_name gives it its
	 * own.
	 */
	bool nameless;
	bool have_uid, have_gid;
	uid_t uid;
	gid_t gid;
	mode_t file_mask, dir_mask; /* permission bits that are taken away */
	size_t cache;               /* bytes of decoded blobs that are kept */
	const char *const *options; /* those of the format */
	vfs_advise advise;          /* may be NULL */

	/* Of a map that is one of many */
	bool unlocked;           /* it is locked at its first change, or where a journal waits */
	struct nearby *nearby;   /* what lies in its directory, whose descriptor stays the caller's
				  * then; or NULL */
	struct budget *budget;   /* shared, with a limit of its own; NULL: one of `cache` bytes */
	struct file *names_file; /* borrowed; NULL: it is opened if there is one */
	struct images *images;   /* the same */
};
