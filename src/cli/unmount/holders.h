/* SPDX-License-Identifier: Zlib */
/* holders: find processes that use a mount, as far as /proc is readable, without accessing it. */
#pragma once

#include "base/disk/names.h"

/* Add a description of each process that uses the mount, except this one: "vi (process 77) has FILE
 * open". dev is the mount's device, "0:57". */
void holders_find(const char *dev, struct names *ret);
