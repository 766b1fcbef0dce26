/* SPDX-License-Identifier: Zlib */
/* metadata: give a new file the owner and permissions of the file that it will replace. */
#pragma once

#include <stdint.h>

#include "base/error.h"

/*
 * Copy owner, group, mode, POSIX ACL and extended attributes of `from` to `to`, which the caller
 * has just created. Owner and group stay the caller's if it may not change them. If the group is
 * not kept, the new group gets only the permissions that both the old group and others had.
 * Attributes that the file system does not support are left out, and so are those other than user.*
 * and ACLs that cannot be read or may not be set. Other failures are errors. S_ISUID, S_ISGID and
 * attributes that vouch for the old content (security.ima, security.evm, security.capability) are
 * not copied. An ACL that `to` inherited from its directory is removed if `from` has none.
 */
int metadata_copy(int from, int to, struct error *e);

/* Compute a checksum of all readable extended attributes (of none if they are not supported). */
int metadata_checksum(int fd, uint32_t *ret);

/*
 * List what metadata_copy will not keep after privileges were dropped: set-user-ID, set-group-ID,
 * trusted.* and security.*, except the labels that the system sets on new files (SELinux, Smack,
 * AppArmor). *ret is "a, b", which the caller frees, or NULL if everything will be kept.
 */
int metadata_list_not_kept(int fd, char **ret, struct error *e);
