/* SPDX-License-Identifier: Zlib */
/* external: changes that other programs made to a mounted map. */
#pragma once

#include "vfs/volume/volume.h"

enum external_change {
	EXTERNAL_NONE,     /* unchanged, touched, or replaced by a file of equal content */
	EXTERNAL_REPLACED, /* another file has the map's name, or the open file has grown */
	EXTERNAL_REMOVED,  /* no file has the map's name */
	EXTERNAL_LINK,     /* a symbolic link has the name of the map, or of its companion */
	EXTERNAL_IN_PLACE, /* the open file was overwritten: bytes not yet read are lost */
};

/* Find out what other programs did to the map since it was opened or last saved. Reads its files if
 * their times have changed, or on a share. */
enum external_change external_check(const struct volume *vol);
/* A clause for reports: "another program changed the map meanwhile". NULL for EXTERNAL_NONE. */
const char *external_reason(enum external_change change);
/* Is the name in the map's directory a symbolic link? */
bool external_is_link(const struct volume *vol, const char *name);
bool external_is_in_place(const struct volume *vol); /* is it EXTERNAL_IN_PLACE? */
/* Did the mode, owner, links or extended attributes of a large file change? That could hide a
 * change of content, so blocks copied from the file must pass their own checksums. */
bool external_is_doubtful(const struct volume *vol);
