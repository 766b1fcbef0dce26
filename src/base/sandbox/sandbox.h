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
 * Open descriptors stay usable. Privileges belong to threads: call it before others are created.
 */
#pragma once

#include <stddef.h>

#include "base/error.h"

enum {
	SANDBOX_WRITABLE = 1,
	SANDBOX_KEEP_OWNERS =
		2, /* keep the capabilities that keeping other owners of files needs */
	SANDBOX_REMOVE_EMPTY_DIRS =
		4, /* for a directory: only allow removing empty directories in it */
};

struct sandbox_rule {
	int fd;         /* a directory or a regular file; may be opened with O_PATH */
	unsigned flags; /* SANDBOX_WRITABLE, SANDBOX_REMOVE_EMPTY_DIRS or 0 */
};

/* Enter the sandbox. flags: SANDBOX_KEEP_OWNERS or 0. Missing kernel features are reported to note.
 */
int sandbox_enter(const struct sandbox_rule *rules, size_t n, unsigned flags,
	void (*note)(void *arg, const char *line), void *arg, struct error *e);
