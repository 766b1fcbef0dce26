/* SPDX-License-Identifier: Zlib */
/* parallel: work that takes the processor alone, by as many threads as there are processors. */
#pragma once

#include <stddef.h>

#include "base/error.h"

enum { PARALLEL_MAX = 4 }; /* threads: each may hold a large blob */

typedef int parallel_fn(void *arg, size_t i, struct error *e);

/*
 * Calls fn once for each i below n, lower ones begun first, on this thread and on others that end
 * with the call; where none can be made, this one does all. After a failure no further ones are
 * begun; the lowest i that failed is what is returned.
 */
int parallel_each(size_t n, parallel_fn *fn, void *arg, struct error *e);
/* The same by as many threads as there are processors (up to 64), whatever each of them holds: for
 * work that is whole maps. */
int parallel_all(size_t n, parallel_fn *fn, void *arg, struct error *e);
