/* SPDX-License-Identifier: Zlib */
/* refusals: why renames were refused. A refused rename leaves no file that could show the reason,
 * and programs print only the errno. So `mapfs status` shows the last reason of each target path
 * until a file is renamed to that path, or closed there, accepted or refused. Nothing else uses the
 * list. Owner's thread only. */
#pragma once

#include <stddef.h>

enum { REFUSALS_MAX = 100 }; /* paths; the oldest is dropped first */

struct refusals {
	struct refusal {
		char *path, *reason;
	} at[REFUSALS_MAX];
	size_t n;
};

/* Set the reason for a path. If memory is exhausted, the path has none. */
void refusals_add(struct refusals *r, const char *path, const char *reason);
void refusals_remove(struct refusals *r, const char *path);
void refusals_finish(struct refusals *r);
