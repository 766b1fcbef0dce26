/* SPDX-License-Identifier: Zlib */
/*
 * status: what a mount says of itself, within seconds whatever it does.
 */
#pragma once

#include <errno.h>

#include "vfs/save/status.h"

/* What a call that a mount did not answer failed with: those that were under way when its processes
 * were killed hear something else than those that come later. */
static inline int status_error(int error)
{
	return error == ECONNABORTED ? ENOTCONN : error;
}

/* The differences between mount and map, as records. 0; -ENOTCONN: no process serves the mount;
 * -EBUSY: a save takes so long that the mount cannot say; -ETIMEDOUT: the mount does not answer; or
 * another -errno. */
int status_of(const char *point, struct buffer *ret_records);
