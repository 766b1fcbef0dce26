/* SPDX-License-Identifier: Zlib */
/* options: how to show a map. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "formats/source.h"

struct sidecar_cache;
struct images;

/* Report what tools know about a map that is about to be saved. `before` is the base. Runs on a
 * worker of a mount, or on a command's only thread. */
typedef void (*vfs_advise)(
	const struct snapshot *before, const struct snapshot *map, format_say say, void *arg);

struct vfs_options {
	bool read_only;
	bool keep_modes; /* with read_only: show the permissions of a writable mount */
	/* For commands that write and save at once: the journal has no name. */
	bool at_once;
	/* For volume_create: the file has a temporary name until volume_name is called. */
	bool nameless;
	bool have_uid, have_gid;
	uid_t uid;
	gid_t gid;
	mode_t file_mask, dir_mask; /* permission bits to clear */
	size_t cache;               /* bytes of decoded blobs to keep */
	const char *const *options; /* the format's own, NULL-ended; outlive the volume */
	vfs_advise advise;          /* may be NULL */

	/* For a map in a folder. sidecars and budget outlive the volume; it references the rest. */
	bool unlocked; /* lock it only at its first change, or if a journal exists */
	struct sidecar_cache
		*sidecars;       /* names in its directory; if set, dirfd is borrowed; or NULL */
	struct budget *budget;   /* shared by several maps; NULL: create one of `cache` bytes */
	struct file *names_file; /* volume_names_file; NULL: open it if options name it */
	struct images *images;   /* volume_images; NULL: open them if options need them */
};
