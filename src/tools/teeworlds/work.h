/* SPDX-License-Identifier: Zlib */
/* work: how much a command does that reads all of a map (tools/common/work.h). */
#pragma once

#include <stdint.h>

#include "formats/format.h"

/* About how many bytes the files of a map have, JSON weighed more. Decodes nothing. */
uint64_t tw_work(const struct snapshot *s);
