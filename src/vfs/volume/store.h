/* SPDX-License-Identifier: Zlib */
/*
 * store: where the bytes stand that a format makes of what was closed, for as long as a map of them
 * lives (struct store in formats/source.h).
 *
 * They follow from what the journal holds, so nothing of them is to outlive the process: the first
 * are in memory, the others in unlinked files beside the map, each of which goes with the last that
 * is in it. Any thread.
 */
#pragma once

#include <pthread.h>

#include "formats/source.h"

struct volume_store {
	struct store store; /* first */
	pthread_mutex_t lock;
	uint64_t held;     /* bytes that were left in memory */
	struct file *file; /* that is written now; or NULL */
	uint64_t end;      /* of what is sound in it */
};

/* dirfd: where unlinked files may be made; borrowed. */
void store_init(struct volume_store *s, int dirfd);
void store_finish(struct volume_store *s);
