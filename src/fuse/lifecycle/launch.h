/* SPDX-License-Identifier: Zlib */
/*
 * launch: the process that mounts, and then waits for the end; it never reads a byte of a map.
 */
#pragma once

#include <stdbool.h>

#include "vfs/volume/options.h"
#include "vfs/volume/outcome.h"

/* What to mount, where and how, as the command line said it. Filled by the cli, read by launcher
 * and worker; the strings are the cli's and live as long as the process. */
struct mount_request {
	const char *shown;      /* FILE as it was typed: for messages only */
	const char *path;       /* FILE: absolute, symbolic links resolved */
	bool folder;            /* FILE is a folder of maps */
	bool create;            /* --new: FILE does not exist yet; path's directory does */
	const char *format;     /* --format, for --new; NULL: by FILE's ending */
	const char *mountpoint; /* absolute, but not looked at yet; the worker does not need it */
	bool make_mountpoint;   /* none was named: it is to be made, and removed at the end */
	bool foreground;        /* -f: stay, and write to stderr */
	bool debug;             /* -d: libfuse's trace of requests; implies foreground */
	bool allow_other;
	bool allow_root; /* with allow_other: only root and the owner of what is shown */
	const char *const *security; /* options for the kernel's security module, NULL-ended */
	bool noexec;                 /* what is mounted cannot be executed */
	struct vfs_options how;      /* -o; what is of a map that is one of many stays unset */
};

/*
 * Mount as asked. Without rq->foreground: returns when the mount is usable, which a process of its
 * own then serves, or when it has failed. In the foreground: returns when the mount has ended.
 * Messages have been printed. Returns the exit code.
 */
enum outcome launch(const struct mount_request *rq);
