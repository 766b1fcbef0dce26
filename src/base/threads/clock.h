/* SPDX-License-Identifier: Zlib */
/* clock: a monotonic clock, in milliseconds since an unspecified point in the past. */
#pragma once

#include <stdint.h>
#include <time.h>

static inline int64_t clock_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}
