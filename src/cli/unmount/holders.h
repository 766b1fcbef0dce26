/* SPDX-License-Identifier: Zlib */
/*
 * holders: which processes hold a mount, as far as /proc may be read. The mount is not asked.
 */
#pragma once

#include "vfs/offline/names.h"

/* Adds each process but this one, and what it does there: "bash (process 77) works in it". dev is
 * the mount's device, "0:57". */
void holders_find(const char *dev, struct names *ret);
