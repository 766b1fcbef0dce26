/* SPDX-License-Identifier: Zlib */
/* commit: the content of one node's stage is put to a lens. */
#ifndef VFS_OPS_COMMIT_H
#define VFS_OPS_COMMIT_H

#include "vfs/tree/node.h"

/* Judges and applies what stands in the node's stage; then done(arg, verdict). The node is busy. */
typedef void (*commit_done)(struct vfs *v, struct node *n, void *arg, int r);

enum commit_kind {
	COMMIT_DRY,      /* judged only: nothing comes of it but the verdict */
	COMMIT_TAKEOVER, /* it is renamed over another file, or is as if it never was */
	/* The node's own. What is refused stays, and goes to the journal, as a draft; what waits
	 * for other files comes again, and the last time is refused if it still would wait. */
	COMMIT_CLOSED,
	COMMIT_AGAIN,
	COMMIT_LAST,
};

/* What the journal may hold at the path already. */
enum commit_logged {
	LOGGED_OTHER,
	LOGGED_DRAFT,   /* a draft, of the same content if it comes AGAIN */
	LOGGED_CONTENT, /* the content, as one to be accepted */
};

/* Where the content goes; malloc'ed. */
struct commit_names {
	char *path, *log_path; /* the second is the journal's */
	char *from;   /* the journal is to have the object moved from there first; or NULL */
	bool revives; /* ... where it was removed, and is to stand again by its content */
};

/* The names of now; 0 or -errno, and then ret holds nothing. */
typedef int (*commit_find)(struct vfs *v, struct node *n, void *arg, struct commit_names *ret);

struct commit_request {
	enum commit_kind kind;
	enum commit_logged logged;
	struct node *node;         /* whose stage is read; busy until done */
	entry_id id;               /* the lens */
	struct commit_names names; /* taken over */
	commit_find find; /* finds them again where something moved meanwhile; not of COMMIT_DRY */
	bool always;      /* the journal is to have it even if it changes nothing */
	bool may_wait;    /* the kernel holds no directory for the call that waits for done */
	commit_done done;
	void *arg;
};

void commit_request(struct vfs *v, const struct commit_request *rq);
/* The same for n's own lens. */
void commit_own(struct vfs *v, struct node *n, bool may_wait, commit_done done, void *arg);

/* The names of n where it stands; a commit_find. */
int commit_own_names(struct vfs *v, struct node *n, void *arg, struct commit_names *ret);
void commit_names_finish(struct commit_names *names);

#endif
