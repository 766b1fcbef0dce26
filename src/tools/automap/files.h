/* SPDX-License-Identifier: Zlib */
/* files: a map as files, for tools/automap/automap.h: those of a tree without a mount, or of a
 * directory.
 */
#pragma once

#include "tools/automap/automap.h"
#include "vfs/offline/offline.h"

struct automap_files files_of_tree(struct offline *t);
/* dirfd: a descriptor of the directory, which stays the caller's. */
struct automap_files files_of_directory(const int *dirfd);
