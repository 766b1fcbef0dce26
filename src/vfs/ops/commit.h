/* SPDX-License-Identifier: Zlib */
/* A commit of the content of one node's stage to a lens: its own (commit_close), or that of a file
 * which it is renamed over. */
#ifndef VFS_OPS_COMMIT_H
#define VFS_OPS_COMMIT_H

#include "vfs/tree/node.h"

/* Judges and applies what stands in the node's stage; then done(arg, verdict). The node is busy. */
typedef void (*commit_done)(struct vfs *v, struct node *n, void *arg, int r);

struct commit_request {
	struct node *node; /* whose stage is read; busy until done */
	entry_id id;       /* the lens */
	const char *path;  /* its path, and that for the journal; copied */
	const char *log_path;
	const char *from; /* the journal is to have the object moved from there first; or NULL */
	bool may_wait;    /* the kernel holds no directory for the call that waits for done */
	bool dry;         /* judged only: nothing comes of it but the verdict */
	bool draft;       /* a refused content stays, and goes to the journal, as a draft */
	bool was_draft;   /* the journal may hold a draft of the path */
	bool always;      /* the journal is to have it even if it changes nothing */
	bool again;       /* a pending content, which the journal holds already */
	bool logged;      /* the journal holds the content, not judged yet */
	bool last;        /* what cannot be judged yet is refused */
	commit_done done;
	void *arg;
};

void commit_request(struct vfs *v, const struct commit_request *rq);
/* The same for n's own lens. */
void commit_own(struct vfs *v, struct node *n, bool may_wait, commit_done done, void *arg);

/* n's draft goes; and n too, if nothing else was ever there. */
void commit_dismiss(struct vfs *v, struct node *n);

/* A name that is gone and that the kernel is to forget; dir 0: there is none. */
struct forgotten {
	uint64_t dir;
	char name[NAME_MAX + 1];
};

/* n's content is in the model: it is no new object any more, and its other form is gone (*ret). */
void commit_accepted(struct vfs *v, struct node *n, struct forgotten *ret);
void commit_forget_name(struct vfs *v, const struct forgotten *f, struct job *then);

#endif
