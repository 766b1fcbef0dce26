/* SPDX-License-Identifier: Zlib */
/*
 * holders: which processes use a mount, as far as /proc may be read. The mount is not asked.
 */
#pragma once

#include "base/disk/names.h"

/* Add each process but this one, and what it does there: "vi (process 77) has FILE open". dev is
 * the mount's device, "0:57". */
void holders_find(const char *dev, struct names *ret);
