/* SPDX-License-Identifier: Zlib */
/* outside: what other programs did to a map that is mounted. */
#pragma once

#include "vfs/volume/volume.h"

enum outside {
	OUTSIDE_SAME,     /* nothing, or nothing that counts: touched, copied back */
	OUTSIDE_OTHER,    /* another file has the map's name; what we opened is as it was */
	OUTSIDE_GONE,     /* no file has the map's name */
	OUTSIDE_LINK,     /* a symbolic link has it, wherever that leads */
	OUTSIDE_IN_PLACE, /* what we opened was written into: what was not read yet is gone */
};

enum outside outside_look(const struct volume *vol);
/* A clause for reports: "another program changed the map meanwhile". NULL for OUTSIDE_SAME. */
const char *outside_reason(enum outside outside);
/* Is the name in the map's directory a symbolic link? */
bool outside_is_link(const struct volume *vol, const char *name);
bool outside_in_place(const struct volume *vol);
/* The rights, names or attributes of a large file changed, which could hide that its content did:
 * what is copied of it has to pass its own checksums. */
bool outside_doubtful(const struct volume *vol);
