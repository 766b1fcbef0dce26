/* SPDX-License-Identifier: Zlib */
/* open: load a map on a worker thread, and create its vfs. */
#pragma once

#include "vfs/folder/opened.h"

/* For a map whose m->opened is NULL or OPENED_SOON: open it unless that has begun, and after the
 * return call again(f, c), when the map is open or shows error.txt. After a temporary error
 * (EMFILE) answer c instead, at any time. `again` must be the same for all calls. */
void open_wait(struct folder *f, struct map *m, struct call *c,
	void (*again)(struct folder *f, struct call *c));
/* For mkdir: create an open map from a loaded new volume, which it takes over except on failure.
 * -ESTALE: the level has another directory than vol. */
int open_made(struct folder *f, struct level *in, const char *name, struct volume *vol,
	struct opened **ret, struct error *e);
