/* SPDX-License-Identifier: Zlib */
/* parallel: run work that only needs the processor, on at most one thread for each processor. */
#pragma once

#include <stddef.h>

#include "base/error.h"

enum { PARALLEL_MAX = 4 }; /* threads, with the caller's: each may hold a large blob */

typedef int parallel_fn(void *arg, size_t i, struct error *e);

/*
 * Call fn once for each i below n, in order of i, on this thread and on others that end before it
 * returns. If no thread can be created, this one makes all calls. After a failure no further call
 * is started. Returns the error of the lowest i that failed.
 */
int parallel_each(size_t n, parallel_fn *fn, void *arg, struct error *e);
/* Like parallel_each, but on up to 64 threads, regardless of memory: for calls that each process a
 * whole map. */
int parallel_all(size_t n, parallel_fn *fn, void *arg, struct error *e);
