/* SPDX-License-Identifier: Zlib */
/*
 * holders: which processes hold a mount, as far as /proc may be read. The mount is not asked.
 */
#pragma once

#include <stddef.h>
#include <sys/types.h>

/* Calls fn for each process but this one: its name, and what it does there ("works in it"). dev is
 * the mount's device, "0:57". Returns how many there were. */
size_t holders_find(const char *dev,
	void (*fn)(void *arg, pid_t pid, const char *name, const char *what), void *arg);
