/* SPDX-License-Identifier: Zlib */
/*
 * note: what mount(8) remembers of a mount (/run/mount/utab). Without one root's `umount /path`
 * asks statfs(2) for the type, gets "fuse", and never looks for umount.fuse.mapfs.
 *
 * Written by mount(8)'s own library, which takes a fraction of what the program does. Where it is
 * not installed nobody looks for notes. Both may wait for others who write theirs.
 */
#pragma once

/* Load the library, if that was not done: ahead of need. */
void note_prepare(void);

/* Best effort: a mount without its note is a mount all the same. */
void note_add(const char *source, const char *point);
void note_remove(const char *point);
