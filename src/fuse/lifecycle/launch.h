/* SPDX-License-Identifier: Zlib */
/*
 * launch: the process that mounts. It starts the worker, mounts when the map is loaded, and then
 * exits or becomes the supervisor. It never reads a byte of a map.
 */
#pragma once

#include <stdbool.h>

#include "vfs/volume/options.h"
#include "vfs/volume/outcome.h"

/* A mount as requested on the command line. Filled by the cli, read by launcher and worker. The
 * strings belong to the cli, and live until launch returns. */
struct mount_request {
	const char *display_name; /* FILE as typed, for messages */
	const char *path;         /* FILE: absolute, symbolic links resolved */
	bool is_folder;           /* FILE is a folder of maps */
	bool create;              /* --new: FILE does not exist yet; its directory does */
	const char *format;       /* --format, for --new; NULL: by the ending of FILE */
	const char *mountpoint;   /* absolute, not resolved; not used by the worker */
	bool make_mountpoint; /* none was named: if it is missing, make it, and remove it later */
	bool foreground;      /* -f: stay, and write to stderr */
	bool debug;           /* -d: libfuse's trace of requests; foreground is set, too */
	bool allow_other;
	bool allow_root;                /* with allow_other: files get no permissions for others */
	const char *const *security;    /* "context=..." and the like; NULL-ended, may be NULL */
	bool noexec;                    /* files in the mount cannot be executed */
	struct vfs_options vfs_options; /* -o; members that differ from map to map are unset */
};

/*
 * Mount as requested, and print messages. Returns the exit code when the mount is usable, and
 * another process serves it, or when it has failed. In the foreground, and after a signal, returns
 * when the mount has ended. Closes all descriptors above 2, and changes to the directory "/".
 */
enum outcome launch(const struct mount_request *rq);
