/* SPDX-License-Identifier: Zlib */
/*
 * status: what a mount says of itself, within seconds whatever it does.
 */
#pragma once

#include <errno.h>
#include <stdbool.h>

#include "vfs/save/status.h"

/* What a call that a mount did not answer failed with: those that were under way when its processes
 * were killed hear something else than those that come later. */
static inline int status_error(int error)
{
	return error == ECONNABORTED ? ENOTCONN : error;
}

/* What it has that the map has not, as records. 0; -ENOTCONN: nobody serves the mount any more;
 * -ETIMEDOUT: it does not answer; or another -errno. */
int status_of(const char *point, struct buffer *ret_records);

/* Prints what would be left at an unmount, as a report does. Was there any? */
bool status_print_left(const char *point);
