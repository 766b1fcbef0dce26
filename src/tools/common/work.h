/* SPDX-License-Identifier: Zlib */
/*
 * work: bounds on what a command does for one map, so that a small hostile file cannot keep it busy
 * without end. The work is estimated before it begins. --no-limit goes on for an honest map that is
 * larger than any known one.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "formats/format.h"

/* Bytes of the files that a map shows, as toolset.work weighs them: the largest known map has a
 * fifth of that. And tiles that automap looks at. */
#define WORK_BYTES_MAX (UINT64_C(1) << 33)
#define WORK_TILES_MAX (UINT64_C(1) << 33)
enum { WORK_FAULTS_MAX = 100 /* lines about one file */ };

/* -E2BIG: the map is more work than WORK_BYTES_MAX. */
int work_expect(const struct snapshot *map, bool no_limit, struct error *e);
