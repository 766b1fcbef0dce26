/* SPDX-License-Identifier: Zlib */
/* capability: drop the capabilities of root. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

#define CAPABILITY(number) (UINT64_C(1) << (number))

/*
 * Drop all capabilities of this thread except, if it runs as root, those in `keep`; also from the
 * bounding set, which limits programs that it executes. *ret_bound (may be NULL): could the
 * bounding set be changed? If not, no_new_privs is enough to prevent new capabilities.
 */
int capability_keep(uint64_t keep, bool *ret_bound, struct error *e);
