/* SPDX-License-Identifier: Zlib */
/* call: one operation on the mounted tree, from its arguments to its answer. */
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

/* Of the mount. In a folder the root of a map has the first of the map's numbers (entry_ino). */
enum { VFS_ROOT_INO = 1 };

struct attr {
	uint64_t ino;
	mode_t mode;
	uid_t uid;
	gid_t gid;
	nlink_t nlink;
	uint64_t size;
	struct timespec atime, mtime, ctime;
	bool alias; /* it was found by the same name in another case of letters: nobody is told when
		     * that goes, so it is not to be remembered */
	bool brief; /* it follows what is on disk: remembered for a moment only */
};

enum attr_mask {
	ATTR_MODE = 1 << 0,
	ATTR_UID = 1 << 1,
	ATTR_GID = 1 << 2,
	ATTR_SIZE = 1 << 3,
	ATTR_ATIME = 1 << 4,
	ATTR_MTIME = 1 << 5,
};

typedef void (*vfs_op)(struct vfs *v, struct call *c);

/* Adds one entry to a readdir reply; false: there is no room for it, the reply is full. nlink 0: it
 * has no attributes but ino and type, and does not count as looked up. */
typedef bool (*vfs_emit)(struct call *c, const char *name, const struct attr *a, uint64_t next);

struct call {
	vfs_op op;
	void (*reply)(struct call *c, int r); /* frees c */

	/* arguments */
	pid_t caller; /* the thread that asks; 0: not known */
	uint64_t ino, to_ino;
	const char *name, *to_name; /* borrowed until vfs_submit returns */
	unsigned flags;             /* open(2)'s, or renameat2(2)'s */
	struct handle *handle;
	uint64_t off;
	size_t size;
	const void *data; /* borrowed likewise */
	bool mapped;      /* write: pages of a mapping, which come whenever the kernel likes */
	struct attr set;
	unsigned mask; /* enum attr_mask */
	vfs_emit emit;
	bool plus; /* readdir: attributes wanted, and an entry emitted counts as looked up */

	/* results */
	struct attr attr;
	struct handle *opened;
	bool keep_cache; /* open: the kernel's pages of the file are still right */
	uint8_t *out;    /* read, getxattr; malloc'ed, the front frees it */
	size_t out_size;
	struct statvfs statvfs;

	/* vfs's own */
	struct call *next;
	unsigned *pin; /* counted down when it is answered; of the vfs's user */
	bool kept;     /* name, to_name and data are copies */
	bool lost;     /* ... and there was no memory for one */
	struct {
		struct snapshot *in; /* the version in which sizes were asked for, or NULL */
		uint64_t id;         /* of one entry: which */
		int r;               /* ... what came of it */
		uint64_t size;
	} sized;
};

/* What the vfs needs of its front. */
struct vfs_host {
	/*
	 * Make the kernel forget data and attributes of these inodes; then return `then` to the
	 * pool (pool_return). Must not wait on the owner's thread.
	 */
	void (*invalidate)(struct vfs_host *h, const uint64_t *inos, size_t n, struct job *then);
	/*
	 * ... and this name. The kernel waits for the directory's lock then, so a request that
	 * holds it (create, unlink, rename) must not wait for it. then may be NULL.
	 */
	void (*forget_name)(
		struct vfs_host *h, uint64_t parent, const char *name, struct job *then);
	void (*note)(struct vfs_host *h, const char *line); /* any thread */
	/* What a save is doing, and how far it is, in bytes; total 0: that is not known. From a
	 * worker thread; from the owner's while vfs_end copies out what is left, and with "" now
	 * and then while it waits. */
	void (*progress)(struct vfs_host *h, const char *what, uint64_t done, uint64_t total);
};

/* Copies what the call borrowed: it is answered later. */
void call_keep(struct call *c);
void call_done(struct call *c, int r);
/* ... with what the buffer holds as `out`, or its error; it is finished. */
void call_answer(struct call *c, struct buffer *b);
/* Runs it once more, from its beginning. */
void call_again(struct vfs *v, struct call *c);

/* Calls that wait, in their order. */
struct calls {
	struct call *first, *last;
};

void calls_add(struct calls *w, struct call *c); /* c is kept */
/* The next one, which waits no more; NULL: there is none. */
struct call *calls_take(struct calls *w);
/* All of them; who must go on waiting queues up anew. */
void calls_run(struct calls *w, struct vfs *v);
