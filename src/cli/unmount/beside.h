/* SPDX-License-Identifier: Zlib */
/*
 * beside: the journal of a map that nobody serves, for `mapfs -u` and `mapfs status`.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>

#include "vfs/offline/names.h"
#include "vfs/volume/outcome.h"

/* The name of the journal that fits the map at path; false: there is none. */
bool beside_journal(const char *path, char ret[NAME_MAX + 1]);

/* Adds the map at path, or all in the folder and below it, if it has a journal which fits. */
void beside_maps(const char *path, struct names *ret);

/* Prints what the journal that fits the map holds, and removes it. shown: the map as it was named,
 * with which the lines begin where it is one of several. Returns the exit code. */
enum outcome beside_discard(const char *path, const char *shown, bool several);
