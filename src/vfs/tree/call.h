/* SPDX-License-Identifier: Zlib */
/* call: one operation on the mounted tree, with its arguments and results. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "base/error.h"
#include "base/threads/pool.h"

struct vfs;
struct handle;
struct call;
struct snapshot;
struct buffer;

/* Inode of the mount's root. In a folder, each map has a range of inodes (entry_ino). */
enum { VFS_ROOT_INO = 1 };

enum attr_mask {
	ATTR_MODE = 1 << 0,
	ATTR_UID = 1 << 1,
	ATTR_GID = 1 << 2,
	ATTR_SIZE = 1 << 3,
	ATTR_ATIME = 1 << 4,
	ATTR_MTIME = 1 << 5,
};

typedef void (*vfs_op)(struct vfs *v, struct call *c); /* on the owner's thread */

/* Add one entry to a readdir reply; `next` is the call.off that continues behind it. False if the
 * reply is full. With nlink 0 the entry has only ino and type, and does not count as looked up. */
typedef bool (*vfs_emit)(struct call *c, const char *name, const struct stat *a, uint64_t next);

struct call {
	vfs_op op;
	void (*reply)(struct call *c, int r); /* frees c; for vfs_read also on a worker thread */

	/* arguments */
	pid_t caller;               /* thread that made the request; 0 if unknown */
	uint64_t ino, to_ino;       /* of the file, or of the directories of the names */
	const char *name, *to_name; /* borrowed until vfs_submit returns */
	unsigned flags;             /* of open(2) or renameat2(2) */
	struct handle *handle;
	uint64_t off;
	size_t size;
	const void *data; /* borrowed until vfs_submit returns */
	bool mapped;      /* vfs_write: pages of a mapping, which the kernel writes at any time */
	struct stat set;  /* new attributes */
	unsigned mask;    /* which of them to set (enum attr_mask) */
	vfs_emit emit;
	bool with_attributes; /* vfs_readdir: entries have attributes, and count as looked up */

	/* results */
	struct stat attr; /* st_blocks and st_blksize are not set */
	/* These two describe `attr`, or the entry that is emitted: */
	bool is_alias; /* found by its name in another case of letters. The kernel must not cache
			* that name, because it is not notified when the file disappears. */
	bool is_brief; /* follows files on disk, so the kernel may cache it only for a moment */
	struct handle *opened; /* vfs_open, vfs_create_file; freed by vfs_release */
	bool keep_cache;       /* vfs_open: the kernel's cached pages are still valid */
	uint8_t *out; /* vfs_read, vfs_getxattr; malloc'ed, freed by reply(); also if r < 0 */
	size_t out_size;
	struct statvfs statvfs;

	/* private to the vfs */
	struct call *next;
	unsigned *pending_calls; /* of the submitter; call_done decrements it; or NULL */
	bool owns_arguments;     /* name, to_name and data are copies */
	bool copy_failed;        /* call_keep had no memory for one, and made `op` fail */
	struct {
		struct snapshot *snapshot; /* in which a worker thread found sizes; or NULL */
		uint64_t id;               /* the first of these entries */
		int r;                     /* result for a single entry */
		uint64_t size;
	} size_result;
};

/* Callbacks from the vfs to the session or folder that hosts it. */
struct vfs_host {
	/* Invalidate the kernel's cached data and attributes of these inodes; then return `then`
	 * (not NULL) to the pool (pool_submit_done). Copies inos. Must not block. */
	void (*invalidate)(struct vfs_host *h, const uint64_t *inos, size_t n, struct job *then);
	/* Invalidate a name (copied) in the kernel's cache; then return `then` (may be NULL) to the
	 * pool. The kernel takes the directory's lock for this, so a request that holds the lock
	 * (create, unlink, rename) must not wait for it. */
	void (*forget_name)(
		struct vfs_host *h, uint64_t parent, const char *name, struct job *then);
	void (*note)(struct vfs_host *h, const char *line); /* on any thread */
	/* Report what a save is doing and its progress in bytes; total is 0 if unknown. Called on a
	 * worker's thread; on the owner's while files are copied out (save/rescue.h) and, with "",
	 * now and then while vfs_create_map, vfs_end or folder_end waits. */
	void (*progress)(struct vfs_host *h, const char *what, uint64_t done, uint64_t total);
};

/* Copy the borrowed arguments, because the call is answered later. May set copy_failed. */
void call_keep(struct call *c);
void call_done(struct call *c, int r); /* free the copies, and call reply() */
/* Answer the call with the buffer's data as `out`, or its error. Finishes the buffer. */
void call_answer(struct call *c, struct buffer *b);
/* Run the call again, from its beginning. */
void call_again(struct vfs *v, struct call *c);

/* A queue of waiting calls. */
struct calls {
	struct call *first, *last;
};

void calls_add(struct calls *w, struct call *c); /* includes call_keep */
/* Remove the first call. Returns NULL if the queue is empty. */
struct call *calls_take(struct calls *w);
/* Run all calls. A call that must still wait adds itself again. */
void calls_run(struct calls *w, struct vfs *v);
