/* SPDX-License-Identifier: Zlib */
/* work: estimate the work of a command that reads a whole map (tools/common/work.h). */
#pragma once

#include <stdint.h>

#include "formats/format.h"

/* Approximate number of bytes in all files of a map, JSON weighted higher. Decodes nothing. */
uint64_t tw_work(const struct snapshot *s);
