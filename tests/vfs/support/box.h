/* SPDX-License-Identifier: Zlib */
/*
 * box: a directory with a map, and the tree mounted over it without FUSE.
 *
 * These calls do what the kernel does for a program: look up the path, run the operation until it
 * is answered, forget. They return 0 (or a count) or -errno. The tests make the assertions.
 */
#pragma once

#include "../../base/support/util.h"

#include <limits.h>
#include <stdatomic.h>

#include "mapfile.h"
#include "vfs/vfs.h"
#include "vfs/volume/options.h"

#define MAP_NAME  "m.map"
#define IMAGE     "images/0_img.png"
#define BAD_LINES "one\ntwo\n" /* of the files in info/, only the settings accept two lines */

enum { BOX_SEEN = 64, BOX_INVALIDATED = 256 };

struct fd;
struct memory;

struct box {
	struct vfs_host host; /* first */
	struct room room;
	struct vfs_options options;
	const char *name; /* the map's file name: MAP_NAME, or the one given to box_new */
	struct pool *pool;
	struct vfs *v;
	int event; /* replies wake the owner through it */
	char notes[8192];
	uint64_t seen[BOX_SEEN]; /* inodes looked up, to be forgotten */
	unsigned n_seen;
	struct fd *fds;
	uint64_t invalidated[BOX_INVALIDATED];
	unsigned n_invalidated;
	bool hold; /* invalidations wait for box_release_invalidations */
	struct job *held[16];
	unsigned n_held;
	struct memory *memory; /* see remember.h; NULL: nothing is remembered */
};

/* An open file. */
struct fd {
	struct box *box;
	struct handle *handle;
	uint64_t ino;
	struct fd *next;
};

/* A running call. */
struct pending {
	struct call call;
	struct box *box;
	atomic_bool done;
	int r;
};

/* Make a directory with the map m.map by author "alice"; not mounted. */
void box_make(struct box *b);
void box_make_empty(struct box *b, const char *name); /* a directory without that map */
void box_remove(struct box *b);
/* Mount m.map in a new directory, with the content `map`, which is consumed. */
int box_mount_map(struct box *b, struct bytes *map);
/* Mount a new map of this name, as made by --new, in a new directory. */
int box_new(struct box *b, const char *name, struct error *e);
int box_unmounted(void **state); /* setup for cmocka: a box that is not mounted */
int box_setup(void **state);     /* setup: a mounted box */
int box_teardown(void **state);

int box_mount(struct box *b, struct error *e); /* e may be NULL */
/* Drop the mount like kill -9: nothing is written, and the locks are released. */
void box_kill(struct box *b);
void box_remount(struct box *b); /* kill, then a mount that must succeed */
/* End the mount. The report may be NULL. */
enum outcome box_end(struct box *b, struct report *ret);
enum outcome box_save(struct box *b, struct report *ret);
bool report_contains(const struct report *r, const char *part);
/* Wait until no job is running. */
void box_settle(struct box *b);
void box_release_invalidations(struct box *b);

void box_submit(struct box *b, struct pending *p, vfs_op op); /* the arguments are in p->call */
int box_wait(struct pending *p);

int box_stat(struct box *b, const char *path, struct stat *ret);
int box_open(struct box *b, const char *path, unsigned flags, struct fd **ret);
int box_create(struct box *b, const char *path, struct fd **ret); /* for writing */
int fd_write(struct fd *f, uint64_t off, const void *data, size_t n);
/* like the kernel's write of a mapped page */
int fd_page(struct fd *f, uint64_t off, const char *text);
int fd_text(struct fd *f, uint64_t off, const char *text);
int fd_read(struct fd *f, uint64_t off, void *dst, size_t n); /* returns the number of bytes read */
int fd_flush(struct fd *f);
int fd_fsync(struct fd *f);
int fd_truncate(struct fd *f, uint64_t size);
int fd_release(struct fd *f); /* frees f */
void fd_forget(struct fd *f); /* frees f, whose handle was released */
int fd_close(struct fd *f);   /* flush and release; returns the result of flush */
int box_truncate(struct box *b, const char *path, uint64_t size);
int box_unlink(struct box *b, const char *path);
int box_mkdir(struct box *b, const char *path);
int box_rmdir(struct box *b, const char *path);
int box_rename(struct box *b, const char *from, const char *to);
/* Get a text of at most size - 1 bytes. */
int box_getxattr(struct box *b, const char *path, const char *name, char *ret, size_t size);
int box_removexattr(struct box *b, const char *path, const char *name);
int box_set_mtime(struct box *b, const char *path, time_t t);
int box_sync_root(struct box *b);
bool box_lists(struct box *b, const char *dir, const char *name);

/* open(O_WRONLY|O_CREAT|O_TRUNC), write, close. */
int box_put(struct box *b, const char *path, const char *text);
int box_put_bytes(struct box *b, const char *path, const void *data, size_t n);
/* The content as open, read and close return it. */
struct bytes *box_get(struct box *b, const char *path);
bool box_shows(struct box *b, const char *path, const char *text);
bool box_is_draft(struct box *b, const char *path);

/* The map file and the files beside it. */
struct bytes *box_map(const struct box *b); /* NULL if there is none */
bool box_map_info_is(const struct box *b, unsigned field, const char *text);
bool file_content_is(int dirfd, const char *name, const char *text);
/*
 * Count the names in the directory that contain `part`; the first one is copied to ret (may be
 * NULL).
 */
unsigned box_count_names(const struct box *b, const char *part, char ret[NAME_MAX + 1]);
