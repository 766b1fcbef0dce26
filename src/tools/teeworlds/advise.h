/* SPDX-License-Identifier: Zlib */
/* advise: report on a Teeworlds map that is about to be saved. */
#pragma once

#include "vfs/volume/options.h"

/*
 * Report a note for each new image, sound, envelope, group and layer that equals an older object of
 * the same sort in the same map. The usual cause is a part that was copied back from a backup while
 * the map still had it under another number. If a group is reported, its layers are not reported as
 * well. Only objects with the same integers and data sizes are decoded. If one cannot be decoded,
 * or memory is exhausted, it equals nothing. A vfs_advise: `before` is the base, not NULL.
 */
void tw_advise(
	const struct snapshot *before, const struct snapshot *map, format_say say, void *arg);
