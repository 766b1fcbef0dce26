/* SPDX-License-Identifier: Zlib */
/* status: query a mount for its unsaved changes. It takes a few seconds at most. */
#pragma once

#include <errno.h>

#include "vfs/save/status.h"

/* Unify errors of a dead mount: calls that its death interrupts fail with ECONNABORTED. */
static inline int status_error(int error)
{
	return error == ECONNABORTED ? ENOTCONN : error;
}

/* Append the differences between mount and map, as records (vfs/save/status.h). Returns 0;
 * -ENOTCONN for a dead mount; -EACCES: of another user; -ENODATA: of another version of mapfs;
 * -EBUSY: a long save delays the answer; -ETIMEDOUT: the mount does not answer. */
int status_query(const char *point, struct buffer *ret_records);
