/* SPDX-License-Identifier: Zlib */
/* scarce: memory that fails at the N-th allocation; the linker has the project's calls of malloc
 * and its like come here (meson.build). */
#pragma once

#include <stdbool.h>

/* The n-th allocation from now (0 is the next) fails, once; negative: none. */
void scarce_set(int n);
bool scarce_hit(void); /* since the last one was set to fail */
