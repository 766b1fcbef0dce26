/* SPDX-License-Identifier: Zlib */
#ifndef CLI_UMOUNT_H
#define CLI_UMOUNT_H

#include <stdbool.h>

/* Save, report, unmount and wait for the end. Returns the exit code. */
int umount_run(const char *mountpoint, bool force, bool verbose);

#endif
