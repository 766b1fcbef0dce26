/* SPDX-License-Identifier: Zlib */
/* finish: a save of a map's two files that was cut short. */
#pragma once

#include "vfs/volume/volume.h"

/* Is there such a one? */
bool finish_waits(const struct volume *vol);
/* For who must not do it. */
int finish_refuse(struct error *e);
/* Does the rest of it, for a map of two files with a marker (base/durable/pair.h) that is to be
 * trusted, and opens the map again. In the sandbox. What is left alone is told to note(). */
int finish_pair(
	struct volume *vol, void (*note)(void *arg, const char *line), void *arg, struct error *e);
/* The same for a save of this mount's own, before the next one. */
int finish_own_pair(const struct volume *vol, struct error *e);
