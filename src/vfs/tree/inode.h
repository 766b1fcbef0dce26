/* SPDX-License-Identifier: Zlib */
/*
 * node: what is kept of a mounted file or directory while somebody needs it: the kernel (lookups),
 * an open handle, bytes being written, or attributes that a program set. Where it stands, and what
 * it is, its upper says (vfs/overlay/overlay.h). All other entries are computed from the format
 * whenever they are asked for.
 *
 * Where a file's bytes come from, in this order: its stage (what is being written, and scratch);
 * the upper's own (what was closed); the entry of the base that it came from, as the map shows it
 * that follows from all that was closed; nothing, as in an empty file.
 */
#pragma once

#include "base/hash.h"
#include "vfs/overlay/overlay.h"
#include "vfs/tree/call.h"
#include "vfs/tree/refusals.h"
#include "vfs/volume/volume.h"

enum write_buffer_state {
	BUFFER_CLEAN,     /* what stands in it was closed, and the verdict on it is known */
	BUFFER_TRUNCATED, /* it was cut, and nothing was written since */
	BUFFER_LOGGED,    /* ... and it was closed: the tree has it, nobody has judged it */
	BUFFER_WRITTEN,
};

struct write_buffer {
	struct spool *spool;
	enum write_buffer_state state;
	bool expects_close; /* by write(2) since the last commit, so that a close is to come */
	bool is_warned;     /* somebody heard why it is scratch */
	int close_error; /* -errno of the last close, which could keep these bytes nowhere but here
			  */
};

struct inode {
	struct hash_link link; /* by ino; first */
	uint64_t ino;
	struct vfs *vfs;
	struct oentry *oentry; /* whose node it is; stands nowhere once it was unlinked */
	struct write_buffer *write_buffer;
	/*
	 * Who made the directory does not see what is always in one (file_attr.is_permanent) until
	 * it makes or lists it; all others do. For mkdir(2) asks by a lookup whether a name is
	 * free, also where the kernel has that name since somebody else looked, and whoever copies
	 * a directory into one that it has just made (cp -r) takes a name that is not for a
	 * failure. 0: nobody.
	 */
	pid_t creator;
	bool is_listing_stale; /* names in the directory came or went since it was listed last */

	uint64_t lookups;
	unsigned opens;
	unsigned handles, writers; /* open files, and those of them that may write */
	unsigned stale;            /* invalidations of the kernel's cache that are under way */
	unsigned forgetting;       /* names of it that the kernel is about to forget */
	bool is_name_stale;        /* ... or has forgotten, and nobody has looked it up since */
	bool is_cached;            /* the kernel may hold pages that are still right */

	struct attr attr;   /* attributes of its own: the change's time, and ... */
	unsigned attr_mask; /* ... (enum attr_mask) those that were set */

	bool is_busy; /* a commit or a load is under way: calls that change it wait */
	struct calls waiting;
};

struct handle {
	struct inode *inode;
	bool is_writer, is_append;
};

/* What the mount is made of. State of a map is its volume's. */
struct vfs {
	struct volume *vol;
	struct pool *pool;
	struct vfs_host *host;
	struct overlay *overlay;
	struct inode *root;
	struct job *form_change_job; /* waits until the name of the other form that leaves is
					forgotten */
	struct hash inodes;          /* tree/inode.c */
	struct {
		bool stale;           /* the tree's view is not what follows from what was closed */
		struct calls waiting; /* while it is made anew */
		bool beside;          /* a view is being made beside a save */
		struct job *delayed;  /* ... that ended meanwhile; or NULL */
	} view;                       /* tree/view.h */
	struct {
		uint64_t dir; /* of which a size was asked for last */
		uint64_t cookie;
		pid_t asks;   /* who asked for the first of that */
		pid_t lister; /* who asked for two of one, last */
		unsigned jobs;
	} size_ahead; /* sizes that are found before they are asked for (ops/look.c) */
	uint64_t next_dynamic;
	struct refusals refusals;
	bool is_ending;
	bool discards; /* the end saves nothing (vfs_discard) */
};

enum { INO_DYNAMIC_SHIFT = 63 };

struct inode *inode_find(struct vfs *v, uint64_t ino);
/* All of them, from NULL, in no order; NULL: the end. */
struct inode *inode_next(const struct vfs *v, const struct inode *n);
void inodes_finish(struct vfs *v);
struct inode *inode_root(struct vfs *v); /* makes it */
bool inode_is_root(const struct inode *n);
/* Is that another name than the one by which the node was found first? */
bool inode_is_alias(const struct inode *n, const char *name);
/* The directory that it stands in, made if need be; NULL: none (any more), or no memory. */
struct inode *inode_parent(struct inode *n);
/* The node of an upper, made if need be. NULL: no memory. */
struct inode *inode_of(struct vfs *v, struct oentry *u);
/* What stands at dir/name; kept by nothing yet. -ENOENT. */
int inode_lookup(struct vfs *v, struct inode *dir, const char *name, struct inode **ret);
/* Frees it if nobody needs it any more. */
void inode_free_unused(struct vfs *v, struct inode *n);
uint64_t entry_ino(const struct volume *vol, entry_id id);
/* Is it none of the map's: it stands nowhere, or its name means nothing there? */
bool inode_is_scratch(const struct inode *n);
/* The entry that it shows, and the version that says what that is (borrowed); false: it shows bytes
 * of its own, or nothing. */
bool inode_shows(const struct inode *n, const struct snapshot **ret, entry_id *ret_id);
int inode_entry(const struct inode *n, struct file_attr *ret, struct error *e);
/* Does it show what follows from the rest of the map (file_attr.is_generated)? */
bool inode_is_generated(const struct inode *n);
/* The node of a number that entry_ino gave, found by looking through the map; the kernel counts as
 * having looked it up. -ESTALE: there is no such entry. */
int inode_recall(struct vfs *v, uint64_t ino, struct inode **ret);
/* Of a map that is `reopened`: has the kernel forget what it may hold of all files of which there
 * is no node. */
void inodes_invalidate_unknown(struct vfs *v);
/* The node at a path. */
int inode_walk(struct vfs *v, const char *path, struct inode **ret);
/* malloc'ed; NULL: no memory, or it stands nowhere. */
char *inode_path(const struct inode *n);
