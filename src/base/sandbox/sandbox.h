/* SPDX-License-Identifier: Zlib */
/*
 * sandbox: give up every right that reading and rewriting what was named does not need.
 *
 * No new privileges. No capability is left, or at most CHOWN, FOWNER and DAC_OVERRIDE: to root, and
 * with SANDBOX_RIGHTS. Landlock leaves alone what the rules name, a directory with all that is
 * below it, or a file (reading; with SANDBOX_WRITABLE also writing, and in a directory making,
 * renaming and removing regular files and directories). Where the kernel's Landlock can, it also
 * forbids TCP, abstract sockets of processes outside, and signals to them. Descriptors that are
 * open stay usable. The system calls are filtered (base/sandbox/filter.h). What the kernel lacks is
 * told to note, and is no failure.
 *
 * Rights are the thread's: call it before other threads are made.
 */
#pragma once

#include <stddef.h>

#include "base/error.h"

enum {
	SANDBOX_WRITABLE = 1,
	SANDBOX_RIGHTS = 2,  /* the files are not all our own: what it takes to keep their owners */
	SANDBOX_EMPTIED = 4, /* of a directory: empty ones in it are removed, and nothing else */
};

struct sandbox_rule {
	int fd;         /* of a directory or a regular file; with O_PATH too */
	unsigned flags; /* SANDBOX_WRITABLE, SANDBOX_EMPTIED or 0 */
};

/* flags: SANDBOX_RIGHTS or 0. */
int sandbox_enter(const struct sandbox_rule *rules, size_t n, unsigned flags,
	void (*note)(void *arg, const char *line), void *arg, struct error *e);
