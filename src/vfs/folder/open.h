/* SPDX-License-Identifier: Zlib */
/* open: a map's tables are read on a worker, and it becomes a vfs. */
#pragma once

#include "vfs/folder/opened.h"

/* c waits until the map is open or has failed; again(f, c) then. It is the same for all. */
void open_wait(struct folder *f, struct map *m, struct call *c,
	void (*again)(struct folder *f, struct call *c));
/* For mkdir: the map of this volume (taken over) is open. NULL: no memory. */
struct opened *open_made(
	struct folder *f, struct level *in, const char *name, struct volume *vol, struct error *e);
