/* SPDX-License-Identifier: Zlib */
/*
 * utab: the entry of a mount in /run/mount/utab, which mount(8) keeps. Without an entry `umount
 * /path` by root asks statfs(2) for the type, gets "fuse", and never looks for umount.fuse.mapfs.
 *
 * The entries are written by libmount, which takes a fraction of the time of running mount(8). If
 * libmount is not installed, no program reads utab, and these functions do nothing. utab_add and
 * utab_remove may wait for other processes that write entries.
 */
#pragma once

/* Load libmount, once. The other functions do it too, but it takes time: call this while another
 * process works. */
void utab_load(void);

/* Best effort: a mount works without its entry. source: the path of the map or folder. */
void utab_add(const char *source, const char *point);
void utab_remove(const char *point);
