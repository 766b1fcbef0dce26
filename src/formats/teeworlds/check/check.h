/* SPDX-License-Identifier: Zlib */
/*
 * check: what is wrong with a map, by what the newest game does with it on loading (DDNet's
 * engine/shared/datafile.cpp and map.cpp, game/editor/mapitems/map_io.cpp,
 * game/client/components/mapimages.cpp).
 */
#pragma once

#include "formats/teeworlds/model/map.h"

/* struct format's check. */
int tw_check(const struct snapshot *before, const struct snapshot *s, bool all,
	void (*why)(void *arg, const struct format_fault *f), void *arg, struct error *e);
