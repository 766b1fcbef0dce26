/* SPDX-License-Identifier: Zlib */
/*
 * box: a directory with a map, and the tree mounted over it without FUSE.
 *
 * The calls below do what the kernel would for a program: look the path up, run the operation until
 * it is answered, forget. They return 0 (or a count) or -errno. Assertions are made by the tests.
 */
#pragma once

#include "../base/util.h"

#include <limits.h>
#include <stdatomic.h>

#include "mapfile.h"
#include "vfs/vfs.h"
#include "vfs/volume/options.h"

#define MAP_NAME  "m.map"
#define IMAGE     "images/0_img.png"
#define BAD_LINES "one\ntwo\n" /* no file of info but the settings takes two lines */

enum { BOX_SEEN = 64, BOX_INVALIDATED = 256 };

struct fd;
struct memory;

struct box {
	struct vfs_host host; /* first */
	struct room room;
	struct vfs_options options;
	const char *name; /* the map's: MAP_NAME, or what box_new made */
	struct pool *pool;
	struct vfs *v;
	int event; /* replies wake the owner through it */
	char notes[8192];
	uint64_t seen[BOX_SEEN]; /* looked up, to be forgotten */
	unsigned n_seen;
	struct fd *fds;
	uint64_t invalidated[BOX_INVALIDATED];
	unsigned n_invalidated;
	bool hold; /* invalidations do not end until box_let_go */
	struct job *held[16];
	unsigned n_held;
	struct memory *memory; /* remember.h; NULL: nothing is remembered */
};

/* An open file. */
struct fd {
	struct box *box;
	struct handle *handle;
	uint64_t ino;
	struct fd *next;
};

/* A call under way. */
struct pending {
	struct call call;
	struct box *box;
	atomic_bool done;
	int r;
};

/* A directory with the map m.map by author "alice"; nothing is mounted. */
void box_make(struct box *b);
void box_make_empty(struct box *b, const char *name); /* a directory without that map */
void box_remove(struct box *b);
/* A directory with this map, which is consumed, as m.map, mounted. */
int box_mount_map(struct box *b, struct bytes *map);
/* A directory with a new map of this name (as --new makes it), mounted. */
int box_new(struct box *b, const char *name, struct error *e);
int box_unmounted(void **state); /* cmocka's: a box that is not mounted */
int box_setup(void **state);     /* and a mounted one */
int box_teardown(void **state);

int box_mount(struct box *b, struct error *e); /* e may be NULL */
/* As after kill -9: nothing is written; the locks go. */
void box_kill(struct box *b);
void box_remount(struct box *b); /* kill, then a mount that must succeed */
/* The end of a mount. The report may be NULL. */
enum outcome box_end(struct box *b, struct report *ret);
enum outcome box_save(struct box *b, struct report *ret);
bool report_says(const struct report *r, const char *part);
/* Until nothing is under way. */
void box_settle(struct box *b);
void box_let_go(struct box *b);

void box_submit(struct box *b, struct pending *p, vfs_op op); /* arguments are in p->call */
int box_wait(struct pending *p);

int box_stat(struct box *b, const char *path, struct stat *ret);
int box_open(struct box *b, const char *path, unsigned flags, struct fd **ret);
int box_create(struct box *b, const char *path, struct fd **ret); /* for writing */
int fd_write(struct fd *f, uint64_t off, const void *data, size_t n);
int fd_page(struct fd *f, uint64_t off, const char *text); /* as the kernel writes mapped pages */
int fd_text(struct fd *f, uint64_t off, const char *text);
int fd_read(struct fd *f, uint64_t off, void *dst, size_t n); /* bytes read */
int fd_flush(struct fd *f);
int fd_fsync(struct fd *f);
int fd_truncate(struct fd *f, uint64_t size);
int fd_release(struct fd *f); /* f is gone */
void fd_forget(struct fd *f); /* f, whose handle was released, is gone */
int fd_close(struct fd *f);   /* flush and release; what flush says */
int box_truncate(struct box *b, const char *path, uint64_t size);
int box_unlink(struct box *b, const char *path);
int box_mkdir(struct box *b, const char *path);
int box_rmdir(struct box *b, const char *path);
int box_rename(struct box *b, const char *from, const char *to);
/* A text of at most size - 1 bytes. */
int box_getxattr(struct box *b, const char *path, const char *name, char *ret, size_t size);
int box_removexattr(struct box *b, const char *path, const char *name);
int box_set_mtime(struct box *b, const char *path, time_t t);
int box_sync_root(struct box *b);
bool box_lists(struct box *b, const char *dir, const char *name);

/* open(O_WRONLY|O_CREAT|O_TRUNC), write, close. */
int box_put(struct box *b, const char *path, const char *text);
int box_put_bytes(struct box *b, const char *path, const void *data, size_t n);
/* What open, read, close show. */
struct bytes *box_get(struct box *b, const char *path);
bool box_shows(struct box *b, const char *path, const char *text);
bool box_is_draft(struct box *b, const char *path);

/* The map file and what lies beside it. */
struct bytes *box_map(const struct box *b); /* NULL: there is none */
bool box_map_says(const struct box *b, unsigned field, const char *text);
bool file_says(int dirfd, const char *name, const char *text);
/* Names in the directory that contain part; the first one is copied to ret (may be NULL). */
unsigned box_beside(const struct box *b, const char *part, char ret[NAME_MAX + 1]);
