/* SPDX-License-Identifier: Zlib */
/* open: load a map on a worker, and create its vfs. */
#pragma once

#include "vfs/folder/opened.h"

/* Open the map unless that has begun, and call again(f, c) when it is open or shows error.txt; or
 * answer c after a temporary error. `again` must be the same for all calls. */
void open_wait(struct folder *f, struct map *m, struct call *c,
	void (*again)(struct folder *f, struct call *c));
/* For mkdir: create an open map from a loaded volume (taken over). Returns NULL on failure. */
struct opened *open_made(
	struct folder *f, struct level *in, const char *name, struct volume *vol, struct error *e);
