/* SPDX-License-Identifier: Zlib */
/*
 * sandbox: give up every right that reading and rewriting one directory's files does not need.
 *
 * No new privileges. As root (effective uid 0) only CHOWN, FOWNER and DAC_OVERRIDE are kept in the
 * bounding, permitted and effective sets, anybody else keeps none; the inheritable and ambient sets
 * are emptied. Landlock leaves the directory alone (reading; with writable also writing, making,
 * renaming and removing regular files and directories in it). Where the kernel's Landlock can, it
 * also forbids TCP, abstract sockets of processes outside, and signals to them. Descriptors that are
 * open stay usable. What the kernel lacks is told to note (may be NULL), and is no failure.
 *
 * Rights are the thread's: call it before other threads are made.
 */
#ifndef BASE_SANDBOX_H
#define BASE_SANDBOX_H

#include <stdbool.h>

#include "base/error.h"

int sandbox_enter(int dirfd, bool writable, void (*note)(void *arg, const char *line), void *arg,
	struct error *e);

#endif
