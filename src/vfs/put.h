/* SPDX-License-Identifier: Zlib */
/* A put of the content of one node's stage to a lens: its own (put_start), or that of a file which
 * it is renamed over. */
#ifndef VFS_PUT_H
#define VFS_PUT_H

#include "vfs/node.h"

struct put_request {
	struct node *node; /* whose stage is read; busy until done */
	entry_id id;       /* the lens */
	const char *path;  /* its path, and that for the journal; copied */
	const char *log_path;
	bool draft;     /* a refused content stays, and goes to the journal, as a draft */
	bool was_draft; /* the journal may hold a draft of the path */
	bool always;       /* the journal is to have it even if it changes nothing */
	bool again;     /* a pending content, which the journal holds already */
	bool last;      /* what cannot be judged yet is refused */
	put_done done;
	void *arg;
};

void put_request(struct vfs *v, const struct put_request *rq);

/* n's content is in the model: it is no new object any more, and its other form is gone. */
void put_accepted(struct vfs *v, struct node *n);

/* The journal holds something that is not on disk yet (vfs.c). */
void vfs_unsynced(struct vfs *v);

#endif
