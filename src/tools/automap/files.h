/* SPDX-License-Identifier: Zlib */
/* files: implementations of struct automap_files. */
#pragma once

#include "tools/automap/automap.h"
#include "vfs/offline/offline.h"

/* The files of a map without a mount. */
struct automap_files automap_files_of_offline(struct offline *t);
/* The files of a directory. The caller keeps *dirfd, and leaves it open while they are in use. */
struct automap_files automap_files_of_directory(const int *dirfd);
