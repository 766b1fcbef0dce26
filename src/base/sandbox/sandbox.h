/* SPDX-License-Identifier: Zlib */
/*
 * sandbox: drop all privileges that are not needed to read and rewrite given files.
 *
 *   no_new_privs   is set.
 *   capabilities   are dropped. Root keeps CHOWN, FOWNER and DAC_OVERRIDE with SANDBOX_KEEP_OWNERS.
 *   Landlock       allows access only to the files and directory trees in the rules: reading, or
 *                  with SANDBOX_WRITABLE also writing, and creating, renaming and removing files
 *                  and directories. If the kernel supports it, Landlock also forbids TCP, and
 *                  abstract sockets of outside processes and signals to them.
 *   seccomp        filters system calls (base/sandbox/filter.h).
 *
 * Open descriptors stay usable. Privileges belong to threads: enter before others are created.
 */
#pragma once

#include <stddef.h>

#include "base/error.h"

enum {
	SANDBOX_WRITABLE = 1,
	SANDBOX_KEEP_OWNERS = 2,       /* keep the capabilities for files of other owners */
	SANDBOX_REMOVE_EMPTY_DIRS = 4, /* allow nothing but removing empty directories below fd */
};

struct sandbox_rule {
	int fd;         /* a directory or a regular file; may be opened with O_PATH */
	unsigned flags; /* 0, SANDBOX_WRITABLE or SANDBOX_REMOVE_EMPTY_DIRS */
};

/* Enter the sandbox. flags: SANDBOX_KEEP_OWNERS or 0. Calls note (not NULL) with a line for each
 * feature that the kernel lacks. After a failure some of the privileges may be dropped. */
int sandbox_enter(const struct sandbox_rule *rules, size_t n, unsigned flags,
	void (*note)(void *arg, const char *line), void *arg, struct error *e);
