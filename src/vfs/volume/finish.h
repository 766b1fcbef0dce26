/* SPDX-License-Identifier: Zlib */
/* finish: complete an interrupted save of a map that has two files (base/durable/pair.h). */
#pragma once

#include "vfs/volume/volume.h"

/* Is a save interrupted, so that its marker exists? */
bool finish_is_pending(const struct volume *vol);
/* Set the error for a caller that must not complete the save. Returns -EINVAL. */
int finish_report_pending(struct error *e);
/* Complete the save if its marker is trusted, and open the map again. Runs in the sandbox. Returns
 * 0 also if there is no marker or an untrusted one, which is left alone and reported to note(). */
int finish_pair(
	struct volume *vol, void (*note)(void *arg, const char *line), void *arg, struct error *e);
/* Complete an earlier save of this mount. Called before the next save. */
int finish_own_pair(const struct volume *vol, struct error *e);
