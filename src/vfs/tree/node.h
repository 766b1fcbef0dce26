/* SPDX-License-Identifier: Zlib */
/*
 * node: what is kept of a mounted file or directory while somebody needs it: the kernel (lookups),
 * an open handle, a child, bytes being written, a name that the format did not give, or attributes
 * that a program set. All other entries are computed from the format whenever they are asked for.
 *
 * Where a file's bytes come from, in this order:
 *   stage    what is being written, a draft, or scratch that was written
 *   frozen   a version of the model that this file was cut off from (a lens file moved to a scratch
 *            name, or replaced while it was open)
 *   live     the lens `id` on the volume's newest version
 *   none     an empty file
 */
#ifndef VFS_TREE_NODE_H
#define VFS_TREE_NODE_H

#include "formats/format.h"
#include "vfs/vfs.h"
#include "vfs/volume/volume.h"

enum stage_state {
	STAGE_CLEAN,     /* the verdict on what stands in it is known */
	STAGE_TRUNCATED, /* it was cut, and nothing was written since */
	STAGE_LOGGED,    /* ... and it was closed: the journal has it, nobody has judged it */
	STAGE_WRITTEN,
	STAGE_UNKEPT, /* judged, but the journal could not take it: an fsync tries again */
};

struct stage {
	struct spool *spool;
	enum stage_state state;
	bool begun;       /* by write(2) since the last put, so that a close is to come */
	bool ahead;       /* the journal had what was LOGGED, and no verdict since */
	int verdict;      /* of the last put: 0, or -EINVAL: a draft */
	struct error why; /* of a refusal */
};

struct node {
	struct node *hash_next;
	uint64_t ino;
	struct volume *vol;
	struct node
		*parent; /* holds one of its `children`; NULL for the root and what is unlinked */
	char *name;

	bool dir;
	bool has_id; /* a lens (live or frozen) stands behind it */
	bool fixed;
	/*
	 * Who made the directory does not see what is always in one (entry.fixed) until it makes or
	 * lists it; all others do. For mkdir(2) asks by a lookup whether a name is free, and
	 * whoever copies a directory into one that it has just made (cp -r) takes a name that is
	 * not for a failure. 0: nobody.
	 */
	pid_t maker;
	entry_id id;
	struct snapshot *frozen;
	struct stage *stage;
	bool fresh;    /* a new object or part that has no accepted content yet */
	bool unlogged; /* that it stands here is in no journal: its first put is written even if it
			* says what the object is already */
	/* Closed, but it cannot be judged before other files are there. With a draft: it was tried
	 * for good at a save, and will be at the next one. Set by node_pending. */
	bool pending;
	bool has_origin; /* scratch that was the file of the object `origin` */
	entry_id origin;

	uint64_t lookups;
	unsigned opens, children;
	unsigned handles, writers; /* open files, and those of them that may write */
	unsigned stale;            /* invalidations of the kernel's cache that are under way */
	bool named;                /* an overlay name points here */
	bool cached;               /* the kernel may hold pages that are still right */

	unsigned set; /* enum attr_mask: which of these were set */
	mode_t mode;
	uid_t uid;
	gid_t gid;
	struct timespec atime, mtime, ctime;
	bool timed; /* mtime is what a program set, and nothing was written since */

	bool busy; /* a put or a load is under way: calls that change it wait */
	struct call *waiting, **waiting_end;
};

struct handle {
	struct node *node;
	bool writing, append;
};

/* A name that differs from what the format says: it points to a node, or hides an entry. */
struct dentry {
	struct dentry *next;
	uint64_t parent;
	uint64_t cookie;   /* its place in readdir */
	struct node *node; /* NULL: there is nothing here (any more) */
	bool standing;     /* ... but a directory that is back when it is made again, or saved */
	char name[];
};

enum { OBJECT_BUCKETS = 256 };

struct object;
struct left;

struct vfs {
	struct volume *vol;
	struct pool *pool;
	struct vfs_host *host;
	struct node **nodes;
	size_t n_nodes, n_buckets; /* a power of two */
	size_t n_pending;          /* of the nodes */
	struct dentry **dentries;
	size_t n_dentries, n_dentry_buckets;
	struct {
		uint64_t dir; /* of which a size was asked for last */
		uint64_t cookie;
		unsigned jobs;
	} ahead; /* sizes that are found before they are asked for (ops/look.c) */
	uint64_t next_dynamic, next_cookie;
	struct object *objects[OBJECT_BUCKETS]; /* tree/object.h */
	size_t n_left;                          /* of them no file stands for */
	uint64_t next_seq;
	bool named;         /* the format knows what objects are called now (tree/object.h) */
	bool situated;      /* ... and for the last time (save/pending.c) */
	bool restructured;  /* an object was made, moved or removed since the last save */
	bool replaying;     /* what is done is in the journal already */
	bool syncing;       /* a journal sync is under way */
	int64_t sync_at_ms; /* when the journal is to be synced; 0: nothing to sync */
	bool ending;
	struct proof *proof; /* that the map can be changed, while it is looked for; tree/wait.c */
	bool discard;        /* the end saves nothing (vfs_discard) */
	struct left *left;   /* what was copied out already; save/left.h */
};

enum { INO_DYNAMIC_SHIFT = 63 };

/* tree/node.c: the table */
struct node *node_find(struct vfs *v, uint64_t ino);
struct node *node_root(struct vfs *v, struct volume *vol);
/* The node of an entry at parent/name, made if need be. NULL: no memory. */
struct node *node_of_entry(
	struct vfs *v, struct node *parent, const char *name, const struct entry *en);
/* A new node of its own number, with a name (node_place comes next). */
struct node *node_new(struct vfs *v, struct volume *vol, bool dir);
/* Where it stands from now on; parent NULL: nowhere. */
int node_place(struct node *n, struct node *parent, const char *name);
/* Frees it if nobody needs it any more; and then perhaps its parent. */
void node_settle(struct vfs *v, struct node *n);
/* The path below the mount's root, malloc'ed; NULL: no memory, or unlinked. */
char *node_path(const struct node *n);
/* The same, as a mount of the map that the journal applies to will show it: a save may have dealt
 * the numbers of objects anew. */
char *node_log_path(const struct node *n);
/* ... and as a mount of this settled map will. */
char *node_path_in(const struct node *n, const struct snapshot *settled);
/*
 * What the last save does not show, or not at this place, has no name yet in the map that the
 * journal applies to. Its
 * number says a position; written with more zeros than any listing has ("" where there is no
 * number), it cannot be taken for the path of another object there.
 */
const char *node_log_zeros(const struct format *f, const char *name);
/* Gives a shown name the ending that the object's form has now. */
void node_log_ending(const char *name, char shown[NAME_MAX + 1]);
uint64_t entry_ino(const struct volume *vol, entry_id id);
void node_pending(struct vfs *v, struct node *n, bool pending);

/* tree/dentry.c: the overlay */
struct dentry *dentry_find(struct vfs *v, uint64_t parent, const char *name);
/* Points the name at node (NULL: hides it); replaces what stood there. */
int dentry_set(struct vfs *v, struct node *parent, const char *name, struct node *node);
void dentry_remove(struct vfs *v, uint64_t parent, const char *name);
/* The directories that are always there, and were removed, are back. */
void names_restore(struct vfs *v);
/* What stands at parent/name: 0 and either *ret_node (kept by nothing yet) or -ENOENT. */
int names_resolve(
	struct vfs *v, struct node *parent, const char *name, struct node **ret, struct error *e);
/* The node at a path like those of node_path. */
int names_walk(struct vfs *v, const char *path, struct node **ret, struct error *e);

/* tree/attr.c */
/* What stat says. -EAGAIN: the size is not known yet (ask size_wait). */
int node_attr(struct vfs *v, struct node *n, struct attr *ret);
void node_touch(struct node *n, unsigned mask); /* ATTR_MTIME and ctime become now */
/* For a save, where the format keeps times: those that programs set, in the order of their setting;
 * appended. */
int node_stamps(const struct vfs *v, struct placement **p, size_t *n);
bool node_stamped(const struct vfs *v); /* Are there any that the model does not have? */
bool node_scratch(const struct node *n);
int node_entry(const struct node *n, struct entry *ret, struct error *e);

/* tree/wait.c: calls that wait */
void node_wait(struct node *n, struct call *c);
void node_ready(struct vfs *v, struct node *n); /* no longer busy; runs what waited */
/*
 * Has the kernel forget data and attributes of these, then calls then->done (then may be NULL).
 * Until that a node is `stale`: who opens it or looks it up waits, and sees one content whole.
 */
void node_invalidate(struct vfs *v, struct node *const *nodes, size_t n, struct job *then);
void call_keep(struct call *c);
void call_done(struct call *c, int r);
/* Have the sizes of these entries found on a worker, then run c again. */
void size_wait(struct vfs *v, struct volume *vol, struct snapshot *s, const entry_id *ids, size_t n,
	struct call *c);

/* ops/file.c */
struct handle *handle_new(struct node *n, unsigned flags);
void journal_sync_then(struct vfs *v, struct volume *vol, struct call *c);

/* tree/stage.c */
/* A stage with the file's content (or empty). 1: c waits for the content and will run again. */
int stage_begin(struct vfs *v, struct node *n, bool empty, struct call *c);
int stage_new(struct node *n);
/* Gives the node a stage that holds content (a replayed draft). */
int stage_fill(struct node *n, const struct extent *content, struct error *e);
void stage_drop(struct node *n);

/* ops/commit.c */
/* Judges and applies what stands in the node's stage; then done(arg, verdict). The node is busy. */
typedef void (*put_done)(struct vfs *v, struct node *n, void *arg, int r);
void put_start(struct vfs *v, struct node *n, put_done done, void *arg);
/* ... for a call for which the kernel holds a directory (forget_name in vfs.h). */
void put_start_locked(struct vfs *v, struct node *n, put_done done, void *arg);

/* ops/closed.c: what was closed and is not judged yet (STAGE_LOGGED) is; then fn(arg). */
void closed_apply(struct vfs *v, void (*fn)(void *arg), void *arg);

/* save/pending.c: judges what could not be judged yet, then fn(arg). What still cannot becomes a
 * draft.
 */
void pending_settle(struct vfs *v, void (*fn)(void *arg), void *arg);
/* ... of n's directory alone, after n was accepted: what waits for it. The rest goes on waiting. */
void pending_follow(struct vfs *v, const struct node *n, void (*fn)(void *arg), void *arg);

/* replay.c */
int vfs_replay(struct vfs *v, struct error *e);

#endif
