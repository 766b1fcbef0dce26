/* SPDX-License-Identifier: Zlib */
/* Open files. */
#pragma once

#include "vfs/tree/inode.h"

struct handle *handle_new(struct inode *n, unsigned flags);
/* Syncs the journal on a worker, then c is done; NULL: since it is time, and nobody waits. */
void journal_sync_then(struct vfs *v, struct call *c);
