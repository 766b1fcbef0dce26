/* SPDX-License-Identifier: Zlib */
/* advise: what the tools report of a Teeworlds map that is about to be saved. */
#pragma once

#include "vfs/volume/options.h"

/*
 * A vfs_advise. Notes each new image, sound, envelope, group and layer that equals an object of the
 * same sort which the map had before: a part that was restored from a backup, say, although it was
 * still there under another number. A layer of a group that is noted is not noted. Decodes the data
 * of new objects, and of others with the same integers and data sizes.
 */
void tw_advise(
	const struct snapshot *before, const struct snapshot *map, format_say say, void *arg);
