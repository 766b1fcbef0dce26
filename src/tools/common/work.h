/* SPDX-License-Identifier: Zlib */
/*
 * work: bounds on what a command does for one map, so that a small hostile file cannot keep it busy
 * without end. The work is estimated before it begins. --no-limit lifts the bounds.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "formats/format.h"

/* The estimate of toolset.work: bytes of all files that the map shows. The largest known map has a
 * fifth of this bound. */
#define WORK_BYTES_MAX (UINT64_C(1) << 33)
/* Tiles that automap looks at in all layers of a map. A byte of rules counts as 16 of them. */
#define WORK_TILES_MAX (UINT64_C(1) << 33)
enum { WORK_FAULTS_MAX = 100 /* lines that a command prints about one file */ };

/* -E2BIG: the estimate for the map is above WORK_BYTES_MAX. With no_limit always 0. */
int work_expect(const struct snapshot *map, bool no_limit, struct error *e);
