/* SPDX-License-Identifier: Zlib */
/*
 * refusals: why a rename was refused. A refused rename leaves no file that could say why, and
 * programs print only the errno. So the last reason of each path is kept for `mapfs status`, until
 * a content of that path is accepted, or refused at its close, or the mount ends. Nothing else
 * depends on it. Owner's thread.
 */
#pragma once

#include <stddef.h>

enum { REFUSALS_MAX = 100 }; /* paths; the oldest one goes first */

struct refusals {
	struct refusal {
		char *path, *reason;
	} at[REFUSALS_MAX];
	size_t n;
};

/* Keep the reason for a path, in place of an older one. Without memory it is not kept. */
void refusals_add(struct refusals *r, const char *path, const char *reason);
void refusals_remove(struct refusals *r, const char *path);
void refusals_finish(struct refusals *r);
