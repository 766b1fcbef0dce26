/* SPDX-License-Identifier: Zlib */
/*
 * inode: state of a mounted file or directory that the kernel or a handle refers to, that is being
 * written, or whose attributes a program set. Its overlay entry (vfs/overlay/overlay.h) has the
 * path and the content. Files without an inode are computed from the format on each request.
 *
 * A file shows the first of these that exists: its write buffer (also scratch files have one); the
 * content of its overlay entry; its origin, read from overlay_shown; nothing (an empty file).
 * Owner's thread only.
 */
#pragma once

#include "base/hash.h"
#include "vfs/overlay/overlay.h"
#include "vfs/tree/call.h"
#include "vfs/tree/refusals.h"
#include "vfs/volume/volume.h"

enum write_buffer_state {
	BUFFER_CLEAN,     /* unchanged since it was loaded, or closed and validated */
	BUFFER_TRUNCATED, /* the file was truncated, and not written since */
	BUFFER_LOGGED,    /* truncated and closed: in the overlay, but not validated */
	BUFFER_WRITTEN,   /* written, and not closed since */
};

struct write_buffer {
	struct spool *spool;
	enum write_buffer_state state;
	bool expects_close; /* written by write(2) since it was last validated */
	bool is_warned;     /* the user was notified why it is scratch */
	int close_error; /* -errno of the last close, if it could keep the bytes only here; or 0 */
};

struct inode {
	struct hash_link link; /* in vfs.inodes, by ino; first */
	uint64_t ino;
	struct vfs *vfs;
	struct oentry *oentry; /* never NULL; its parent is NULL once it was unlinked */
	struct write_buffer *write_buffer;
	/* Thread that created the directory and has not listed it yet, or 0. Permanent directories
	 * (file_attr.is_permanent) are hidden from this thread until it creates one: mkdir(2) looks
	 * the name up first, even if another program's lookup is cached, and cp -r would fail on a
	 * name that exists. */
	pid_t creator;
	bool is_listing_stale; /* names in the directory changed since it was last listed */

	uint64_t lookups;               /* the kernel's lookup count */
	unsigned references;            /* handles, and calls and jobs in progress */
	unsigned handles, writers;      /* open files, and those of them that may write */
	unsigned pending_invalidations; /* invalidations of the kernel's cache in progress */
	unsigned pending_forgets;       /* invalidations of its name in progress */
	bool is_name_stale; /* its name was invalidated, and it was not looked up since */
	bool is_cached;     /* the kernel's cached pages are valid */

	struct stat attr;   /* those in attr_mask; st_ctim is valid if any is */
	unsigned attr_mask; /* attributes that were set (enum attr_mask) */

	bool is_busy; /* being validated or loaded: calls that change it wait */
	struct calls waiting;
};

struct handle {
	struct inode *inode;
	bool is_writer, is_append;
};

/* A mounted map. State of the map itself is in the volume. */
struct vfs {
	struct volume *vol;
	struct pool *pool;
	struct vfs_host *host;
	struct overlay *overlay;
	struct inode *root;
	struct job *form_change_job; /* for the pool, once the other form's name is invalidated;
					overlay.on_form_change takes it (NULL) */
	struct hash inodes;          /* of struct inode, by ino */
	struct {
		bool stale;               /* the overlay changed since its view was built */
		struct calls waiting;     /* for a new view */
		bool is_beside_save;      /* a view is being built during a save */
		struct job *delayed_save; /* end of that save, waiting for the view; or NULL */
	} view;                           /* tree/view.h */
	struct {
		uint64_t dir;       /* directory of the last file whose size was requested */
		uint64_t cookie;    /* position in the format's listing of dir */
		pid_t first_caller; /* thread that requested the first size there */
		pid_t lister;       /* thread that last requested two sizes in one directory */
		unsigned jobs;      /* in progress */
	} size_ahead;               /* sizes that are computed before a request (ops/lookup.c) */
	uint64_t next_dynamic;      /* see INO_DYNAMIC_SHIFT */
	struct refusals refusals;
	bool is_ending; /* vfs_end was called */
	bool discards;  /* vfs_end saves nothing (vfs_discard) */
};

enum { INO_DYNAMIC_SHIFT = 63 }; /* the bit set in the numbers of new and moved entries */

struct inode *inode_find(struct vfs *v, uint64_t ino); /* NULL if there is none */
/* Iterate over all inodes, in no order. Start with NULL; NULL at the end. n must still exist. */
struct inode *inode_next(const struct vfs *v, const struct inode *n);
void inodes_finish(struct vfs *v);       /* before overlay_destroy; frees all, used or not */
struct inode *inode_root(struct vfs *v); /* created if needed; NULL if memory is exhausted */
bool inode_is_root(const struct inode *n);
/* Does name differ from the one that is listed? The letter case can. */
bool inode_is_alias(const struct inode *n, const char *name);
/* The parent, created if needed. NULL if n is the root or unlinked, or memory is exhausted. */
struct inode *inode_parent(struct inode *n);
/* The inode of an overlay entry, created if needed. Returns NULL if memory is exhausted. */
struct inode *inode_of(struct vfs *v, struct oentry *u);
/* Find the inode of dir/name, created if needed. Does not count as a lookup by the kernel; the
 * caller uses it or calls inode_free_unused. -ENOENT. */
int inode_lookup(struct vfs *v, struct inode *dir, const char *name, struct inode **ret);
/* Free the inode, and its overlay entry if unused, if nothing refers to it. While it has a path, a
 * write buffer or set attributes keep it, too. */
void inode_free_unused(struct vfs *v, struct inode *n);
/* The inode number of an entry of the base that is not moved. */
uint64_t entry_ino(const struct volume *vol, entry_id id);
/* Is it no part of the map: unlinked, or without a meaning where it is? */
bool inode_is_scratch(const struct inode *n);
/* Get the entry that it shows, and the snapshot (borrowed) of that entry. Returns false if it shows
 * content of its own, or nothing. */
bool inode_shows(const struct inode *n, const struct snapshot **ret, entry_id *ret_id);
/* Attributes of what it shows, before those that a program set. */
int inode_entry(const struct inode *n, struct file_attr *ret, struct error *e);
/* Is it a generated file (file_attr.is_generated)? */
bool inode_is_generated(const struct inode *n);
/* Find or create the inode for a number of entry_ino by searching the whole map, and count one
 * lookup. -ESTALE if there is no such entry. */
int inode_recall(struct vfs *v, uint64_t ino, struct inode **ret);
/* Start to invalidate the kernel's cache of the files of a reopened map that have no inode. */
void inodes_invalidate_unknown(struct vfs *v);
/* Find the inode at a path, "" for the root; as inode_lookup. */
int inode_walk(struct vfs *v, const char *path, struct inode **ret);
/* Path of the inode, malloc'ed; "" for the root. NULL if unlinked, or if memory is exhausted. */
char *inode_path(const struct inode *n);
