/* SPDX-License-Identifier: Zlib */
/*
 * store: the bytes that a format derives from closed files, kept while a snapshot uses them (struct
 * store in formats/source.h).
 *
 * The journal holds what these bytes follow from, so they need not outlive the process. Bytes that
 * are in a file stay there. Of the others the first stay in memory, and the rest goes to unlinked
 * files beside the map; a file is freed when nothing uses its bytes any more. Any thread.
 */
#pragma once

#include <pthread.h>

#include "formats/source.h"

struct volume_store {
	struct store store; /* must be first */
	pthread_mutex_t lock;
	uint64_t memory_used; /* bytes that were left in memory; never decreases */
	struct file *file;    /* the file being appended to, or NULL */
	uint64_t file_end;    /* end of the complete data in it */
};

/* dirfd: the directory for the unlinked files; borrowed until store_finish. */
void store_init(struct volume_store *s, int dirfd);
void store_finish(struct volume_store *s);
