/* SPDX-License-Identifier: Zlib */
/* capability: what is left of root's rights. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

#define CAPABILITY(number) (UINT64_C(1) << (number))

/*
 * Of root's capabilities the process keeps those of `keep`, of anybody else's none; also of what it
 * runs (the bounding set). *ret_bound (may be NULL): whether that could be done; without it nothing
 * is lost under no new privileges.
 */
int capability_keep(uint64_t keep, bool *ret_bound, struct error *e);
