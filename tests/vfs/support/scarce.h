/* SPDX-License-Identifier: Zlib */
/*
 * scarce: the N-th allocation fails. The linker redirects the project's calls of malloc and related
 * functions (meson.build).
 */
#pragma once

#include <stdbool.h>

/* The n-th allocation from now (0 is the next) fails once; negative: none. */
void scarce_set(int n);
bool scarce_hit(void); /* did the allocation fail since scarce_set? */
