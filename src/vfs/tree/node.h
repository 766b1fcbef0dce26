/* SPDX-License-Identifier: Zlib */
/*
 * node: what is kept of a mounted file or directory while somebody needs it: the kernel (lookups),
 * an open handle, a child, bytes being written, a name that the format did not give, or attributes
 * that a program set. All other entries are computed from the format whenever they are asked for.
 *
 * Where a file's bytes come from, in this order: its stage (what is being written, a draft, or
 * scratch that was written); what its lens says (enum lens); nothing, as in an empty file.
 */
#ifndef VFS_TREE_NODE_H
#define VFS_TREE_NODE_H

#include "base/hash.h"
#include "formats/format.h"
#include "vfs/tree/call.h"
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
	bool begun;       /* by write(2) since the last commit, so that a close is to come */
	bool ahead;       /* the journal had what was LOGGED, and no verdict since */
	int verdict;      /* of the last commit: 0, or -EINVAL: a draft */
	struct error why; /* of a refusal */
	/* What was closed last, where that is a draft or waits; empty: the spool has it. */
	struct extent closed;
};

/*
 * What stands behind a node. Scratch are the first two; the others show the entry `id` of the
 * volume's newest version.
 *
 *	NONE -> NEW, MADE   it was made, at a name that means something
 *	NONE, FROZEN -> NEW, LIVE   it was renamed to such a name, and its content is put there
 *	NEW, MADE -> LIVE   what was written to it was accepted
 *	NEW, MADE -> NONE   what was written to it was refused, and dropped
 *	LIVE -> NEW         another file stands for its object now (ops/split.c)
 *	NEW, MADE, LIVE -> FROZEN   it was moved to a scratch name, removed or replaced
 *	FROZEN -> LIVE      it was moved back
 *	FROZEN -> NONE      it is written to, and has a stage of its own
 */
enum lens {
	LENS_NONE,
	LENS_FROZEN, /* `id`, as it was in the version `frozen` */
	LENS_NEW,    /* a new object or part, which has no accepted content yet */
	/* An object or part that was there before, or its other form, and of which no journal says
	 * that it stands here again: its first commit is written even if it says what the object is
	 * already. */
	LENS_MADE,
	LENS_LIVE,
};

struct node {
	struct hash_link link;  /* by ino; first */
	struct hash_link shows; /* unless it is scratch: by id */
	uint64_t ino;
	struct volume *vol;
	struct node
		*parent; /* holds one of its `children`; NULL for the root and what is unlinked */
	char *name;

	bool dir;
	bool fixed; /* it is always there (entry.fixed) */
	/*
	 * Who made the directory does not see what is always in one (entry.fixed) until it makes or
	 * lists it; all others do. For mkdir(2) asks by a lookup whether a name is free, also where
	 * the kernel has that name since somebody else looked, and whoever copies a directory into
	 * one that it has just made (cp -r) takes a name that is not for a failure. 0: nobody.
	 */
	pid_t maker;
	bool changed;   /* names in the directory came or went since it was listed last */
	enum lens lens; /* set by node_show, node_freeze and node_cut */
	entry_id id;    /* unless NONE */
	struct snapshot *frozen;
	entry_id origin; /* of scratch that was the file of an object: that one; else ENTRY_ROOT */
	uint64_t left;   /* ... and when it was moved away (object.h) */
	struct stage *stage;
	/* Closed, but it cannot be judged before other files are there. With a draft: it was tried
	 * for good at a save, and will be at the next one. Set by node_pending. */
	bool pending;
	TAILQ_ENTRY(node) in_pending; /* of the volume's */

	uint64_t lookups;
	unsigned opens, children;
	unsigned handles, writers; /* open files, and those of them that may write */
	unsigned stale;            /* invalidations of the kernel's cache that are under way */
	unsigned forgetting;       /* names of it that the kernel is about to forget */
	bool misnamed;             /* ... or has forgotten, and nobody has looked it up since */
	unsigned names;            /* of the overlay that point here: one, or two while it moves */
	bool cached;               /* the kernel may hold pages that are still right */

	unsigned set; /* enum attr_mask: which of these were set */
	mode_t mode;
	uid_t uid;
	gid_t gid;
	struct timespec atime, mtime, ctime;
	bool told;  /* somebody heard why it is scratch */
	bool timed; /* mtime is what a program set, and nothing was written since */

	bool busy; /* a commit or a load is under way: calls that change it wait */
	struct call *waiting, **waiting_end;
};

struct handle {
	struct node *node;
	bool writing, append;
};

/* What the mount is made of. State of a map is its volume's. */
struct vfs {
	struct volume *vol;
	struct pool *pool;
	struct vfs_host *host;
	struct node *root;
	struct hash nodes, shown;       /* tree/node.c */
	struct hash dentries, overlays; /* tree/dentry.c */
	struct {
		uint64_t dir; /* of which a size was asked for last */
		uint64_t cookie;
		pid_t asks;   /* who asked for the first of that */
		pid_t lister; /* who asked for two of one, last */
		unsigned jobs;
	} ahead; /* sizes that are found before they are asked for (ops/look.c) */
	uint64_t next_dynamic, next_cookie;
	bool ending;
	bool discard; /* the end saves nothing (vfs_discard) */
};

enum { INO_DYNAMIC_SHIFT = 63 };

struct node *node_find(struct vfs *v, uint64_t ino);
/* All of them, from NULL, in no order; NULL: the end. */
struct node *node_next(const struct vfs *v, const struct node *n);
void nodes_finish(struct vfs *v);
struct node *node_root(struct vfs *v, struct volume *vol); /* makes it */
bool node_is_root(const struct node *n);
/* The node of an entry at parent/name, made if need be. NULL: no memory. */
struct node *node_of_entry(
	struct vfs *v, struct node *parent, const char *name, const struct entry *en);
/* A new node of its own number, with a name (node_place comes next). */
struct node *node_new(struct vfs *v, struct volume *vol, bool dir);
/* Where it stands from now on; parent NULL: nowhere. */
int node_place(struct node *n, struct node *parent, const char *name);
/* Frees it if nobody needs it any more; and then perhaps its parent. */
void node_free_unused(struct vfs *v, struct node *n);
uint64_t entry_ino(const struct volume *vol, entry_id id);
/* The nodes that show an entry, from NULL; NULL: no more. */
struct node *node_showing(
	const struct vfs *v, const struct volume *vol, entry_id id, const struct node *n);
/* What stands behind it from now on: NEW, MADE or LIVE; as it is in that version; nothing. */
void node_show(struct vfs *v, struct node *n, enum lens lens, entry_id id);
void node_freeze(struct vfs *v, struct node *n, const struct snapshot *s);
void node_cut(struct vfs *v, struct node *n);
static inline bool node_scratch(const struct node *n)
{
	return n->lens < LENS_NEW;
}
/* The version that says what it shows; borrowed. */
const struct snapshot *node_version(const struct node *n);
int node_entry(const struct node *n, struct entry *ret, struct error *e);
/* Does it show what follows from the rest of the map (entry.derived)? */
bool node_derived(const struct node *n);
/* The node of a number that entry_ino gave, found by looking through the map; the kernel counts as
 * having looked it up. -ESTALE: there is no such entry. */
int node_recall(struct vfs *v, uint64_t ino, struct node **ret);
/* Of a map that is `reopened`: has the kernel forget what it may hold of these entries (NULL: of
 * all) of which there is no node. */
void nodes_tell_unknown(struct vfs *v, const entry_id *ids, size_t n);
void node_pending(struct node *n, bool pending);

#endif
