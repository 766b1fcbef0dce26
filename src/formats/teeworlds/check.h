/* SPDX-License-Identifier: Zlib */
/*
 * check: what a game insists on for the map as a whole (DDNet's engine/shared/datafile.cpp and
 * map.cpp, on loading), judged at a save.
 */
#ifndef FORMATS_TEEWORLDS_CHECK_H
#define FORMATS_TEEWORLDS_CHECK_H

#include "formats/teeworlds/model/map.h"

/* struct format's check: faults of s that before (NULL: nothing) has not. */
int tw_check(const struct snapshot *before, const struct snapshot *s,
	void (*why)(void *arg, const char *line), void *arg, struct error *e);

#endif
