/* SPDX-License-Identifier: Zlib */
#pragma once

#include "cli/unmount/orphan.h"

/* Save (or discard), report, unmount and wait for the end, of each of n names. Returns the exit
 * code. */
int umount_run(char *const *names, size_t n, const struct ending *how);
