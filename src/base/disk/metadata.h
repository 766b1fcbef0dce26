/* SPDX-License-Identifier: Zlib */
/*
 * metadata: give a new file the rights of the one it will replace.
 *
 * Owner, group, mode, POSIX ACL and extended attributes of `from` go to `to`, a file that the
 * caller has just made. The owner and the group stay the caller's where the rights do not go
 * further; a group that is not kept has no more rights than both the old group and the others had.
 * Attributes that the filesystem or the caller's rights do not allow are left out, but never user.*
 * or an ACL for want of space or by a failing disk. Hashes and rights that vouch for the old
 * content (security.ima, .evm, .capability) are not kept, nor are S_ISUID and S_ISGID.
 */
#pragma once

#include <stdint.h>

#include "base/error.h"

int metadata_copy(int from, int to, struct error *e);

/* A checksum of the extended attributes that can be seen: it tells whether one changed. */
int metadata_sum(int fd, uint32_t *ret);

/*
 * What metadata_copy will not keep: set-user-ID, set-group-ID, and the names of those attributes
 * that are seen with the rights of this moment and cannot be set once they were given up:
 * trusted.*, and security.* but for the labels that new files get by themselves. "a, b" in *ret,
 * the caller's to free; NULL where there is none.
 */
int metadata_not_kept(int fd, char **ret, struct error *e);
