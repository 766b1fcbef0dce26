/* SPDX-License-Identifier: Zlib */
/* Open files. */
#pragma once

#include "vfs/tree/inode.h"

struct handle *handle_new(struct inode *n, unsigned flags);
/* Sync the journal on a worker, then answer c. c is NULL for a periodic sync. */
void journal_sync_then(struct vfs *v, struct call *c);
