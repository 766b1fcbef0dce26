/* SPDX-License-Identifier: Zlib */
/*
 * work: bounds on the work of a command for one map, so that a small hostile file cannot keep it
 * busy forever. The work is estimated before it begins. --no-limit lifts the bounds.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "formats/format.h"

/* Bound for toolset.work, the bytes of all files that the map shows. The largest known map reaches
 * a fifth of it. */
#define WORK_BYTES_MAX (UINT64_C(1) << 33)
/* Bound for the tiles that automap reads in all layers of a map. A byte of rules counts as 16. */
#define WORK_TILES_MAX (UINT64_C(1) << 33)
enum { WORK_FAULTS_MAX = 100 /* lines that a command prints about one file */ };

/* -E2BIG if the estimate for a map exceeds WORK_BYTES_MAX. Always 0 with no_limit. */
int work_expect(const struct snapshot *map, bool no_limit, struct error *e);
