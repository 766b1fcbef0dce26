/* SPDX-License-Identifier: Zlib */
/*
 * vfs: the mounted tree, knowing nothing of FUSE.
 *
 * One thread, the owner, calls everything here. An operation is a struct call: the front fills in
 * the arguments, names the operation (vfs_lookup ...) and gets reply() exactly once, at once or
 * later, on the owner's thread or (plain reads) on a worker's. Operations that must wait for a node
 * or for a save are kept and run again from their beginning; vfs_submit copies what they borrowed.
 */
#ifndef VFS_VFS_H
#define VFS_VFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "base/error.h"
#include "base/pool.h"
#include "vfs/volume/report.h"

struct vfs;
struct handle;
struct call;
struct takeover;

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
	bool kept;                 /* name, to_name and data are copies */
	bool sized;                /* sizes have been asked for once */
	bool loaded;               /* rename: the stage of the moved file was made for it */
	bool judged;               /* ... and its content would be accepted */
	struct takeover *takeover; /* rename over a lens (ops/takeover.c) */
	uint64_t split;            /* the object that is being split off (tree/place.c) */
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
	 * holds it (create, unlink, rename) must not wait for it: then is NULL, and nobody waits.
	 */
	void (*forget_name)(
		struct vfs_host *h, uint64_t parent, const char *name, struct job *then);
	void (*note)(struct vfs_host *h, const char *line); /* any thread */
	/* What a save is doing, and how far it is, in bytes; total 0: that is not known. From a
	 * worker thread; from the owner's, with "", now and then while vfs_end waits. */
	void (*progress)(struct vfs_host *h, const char *what, uint64_t done, uint64_t total);
};

struct vfs_options {
	bool read_only;
	bool have_uid, have_gid;
	uid_t uid;
	gid_t gid;
	mode_t file_mask, dir_mask; /* permission bits that are taken away */
	size_t cache;               /* bytes of decoded blobs that are kept */
	const char *const *options; /* those of the format */
};

struct volume;

/* Takes the volume, also on failure. */
int vfs_create(struct volume *volume, struct pool *pool, struct vfs_host *host, struct vfs **ret,
	struct error *e);
/* For a volume of volume_create: writes the empty map, so that the file is one from the begin. */
int vfs_create_map(struct vfs *v, struct error *e);
void vfs_destroy(struct vfs *v); /* after vfs_end and with the pool drained */

/* Runs the call now, or keeps it until it can run. */
void vfs_submit(struct vfs *v, struct call *c);

/* The operations. Arguments and results in brackets. */
void vfs_lookup(struct vfs *v, struct call *c);      /* ino name -> attr; counts one lookup */
void vfs_getattr(struct vfs *v, struct call *c);     /* ino -> attr */
void vfs_setattr(struct vfs *v, struct call *c);     /* ino set mask [handle] -> attr */
void vfs_open(struct vfs *v, struct call *c);        /* ino flags -> opened keep_cache */
void vfs_create_file(struct vfs *v, struct call *c); /* ino name flags set.mode -> attr opened */
void vfs_mkdir(struct vfs *v, struct call *c);       /* ino name set.mode -> attr */
void vfs_unlink(struct vfs *v, struct call *c);      /* ino name */
void vfs_rmdir(struct vfs *v, struct call *c);       /* ino name */
void vfs_rename(struct vfs *v, struct call *c);      /* ino name to_ino to_name flags */
void vfs_read(struct vfs *v, struct call *c);        /* handle off size -> out */
void vfs_write(struct vfs *v, struct call *c);       /* handle off data size */
void vfs_flush(struct vfs *v, struct call *c);       /* handle */
void vfs_release(struct vfs *v, struct call *c);     /* handle (gone after) */
/* handle. Through one that does not write, what another program has begun to write is no change
 * yet.
 */
void vfs_fsync(struct vfs *v, struct call *c);
void vfs_readdir(struct vfs *v, struct call *c);     /* ino off emit plus */
void vfs_fsyncdir(struct vfs *v, struct call *c);    /* ino; of the root: save */
void vfs_getxattr(struct vfs *v, struct call *c);    /* ino name -> out */
void vfs_removexattr(struct vfs *v, struct call *c); /* ino name */
void vfs_statfs(struct vfs *v, struct call *c);      /* -> statvfs */

/* n lookups of ino are forgotten by the kernel. */
void vfs_forget(struct vfs *v, uint64_t ino, uint64_t n);

/* Paths (relative to the mount) of files that are open for writing: their mapped pages may be
 * dirty. Calls fn for each. */
void vfs_writers(struct vfs *v, void (*fn)(void *arg, const char *path), void *arg);

/* A save; done() gets its report on the owner's thread (the report is done's to finish). */
typedef void (*vfs_saved)(void *arg, struct report *report);
void vfs_save(struct vfs *v, vfs_saved done, void *arg);
/* ... before an unmount that can still be refused: OUTCOME_SAVE_FAILED also where what would vanish
 * with the mount cannot be copied out. */
void vfs_save_to_end(struct vfs *v, vfs_saved done, void *arg);

/* From now on the end of the mount throws away what is not saved, and with it the journal; done()
 * gets a report of what that is. vfs_keep takes it back. */
void vfs_discard(struct vfs *v, vfs_saved done, void *arg);
void vfs_keep(struct vfs *v);

/*
 * The mount is gone: apply what was closed, save, copy out what would vanish (NAME.mapfs-left), and
 * report. Runs the pool until all is done, so it returns with the result.
 */
void vfs_end(struct vfs *v, struct report *report);

/* Milliseconds until vfs_tick wants to be called (the journal's sync), or -1. */
int vfs_timeout(struct vfs *v);
void vfs_tick(struct vfs *v);

#endif
