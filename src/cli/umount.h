/* SPDX-License-Identifier: Zlib */
#ifndef CLI_UMOUNT_H
#define CLI_UMOUNT_H

#include "cli/orphan.h"

/* Save (or discard), report, unmount and wait for the end, of each of n names. Returns the exit
 * code. */
int umount_run(char *const *names, size_t n, const struct ending *how);

#endif
