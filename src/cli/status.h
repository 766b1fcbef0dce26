/* SPDX-License-Identifier: Zlib */
/*
 * status: what a mount says of itself (user.mapfs.status), within seconds whatever it does.
 */
#ifndef CLI_STATUS_H
#define CLI_STATUS_H

#include <stdbool.h>

/* Calls fn (may be NULL) for each line, which it may change. 0; -ENOTCONN: nobody serves the mount
 * any more; -ETIMEDOUT: it does not answer; or another -errno. */
int status_of(const char *point, void (*fn)(void *arg, char *line), void *arg);

/* Prints what would be left at an unmount, as a report does. Was there any? */
bool status_print_left(const char *point);

#endif
