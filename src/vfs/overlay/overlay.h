/* SPDX-License-Identifier: Zlib */
/*
 * overlay: a tree of names over a base, as overlay file systems have it.
 *
 * Nothing is kept of an entry of the base that nobody touched. What differs has an `upper`: a file
 * with bytes of its own, what was made, what stands elsewhere than in the base (whose entry it came
 * from is `from`), a whiteout where the base has something and nothing stands; and the directories
 * that these are in. That is all: how the tree came to be is not in it.
 *
 * Errors are those that a program hears from a mount. One thread at a time.
 */
#ifndef VFS_OVERLAY_OVERLAY_H
#define VFS_OVERLAY_OVERLAY_H

#include <sys/queue.h>

#include "base/hash.h"
#include "formats/build.h"

struct upper {
	struct hash_link link; /* by directory and name; first */
	struct upper *up;      /* NULL: the root */
	TAILQ_HEAD(uppers, upper) below;
	TAILQ_ENTRY(upper) beside;
	char *name;
	uint64_t number; /* no other one has, or had, in this overlay */
	bool dir, whiteout;
	entry_id from; /* in the base; ENTRY_NONE: it was made */
	entry_id id; /* of a directory in `shape`, ENTRY_NONE: it means nothing; of a file `from` */
	bool written;     /* it has bytes of its own */
	struct extent in; /* ... these */
	bool timed;
	struct timespec mtime; /* that somebody set */
};

struct overlay {
	struct snapshot *base;
	struct snapshot *shape; /* the base, with the directories that were made: what names in
				 * those mean */
	struct hash names;
	struct upper *root;
	uint64_t numbers; /* that were dealt */
};

/* Takes a reference to base. */
int overlay_create(const struct snapshot *base, struct overlay **ret);
void overlay_destroy(struct overlay *o);
DEFINE_CLEANUP(struct overlay, overlay_destroy);

/* One that stands in the tree; good until the next change. */
struct spot {
	struct upper *upper; /* NULL: it is as in the base */
	entry_id id;         /* as upper.id */
	bool dir;
};

struct spot overlay_root(const struct overlay *o);
int overlay_lookup(
	const struct overlay *o, const struct spot *dir, const char *name, struct spot *ret);
/* Of a path below the root; "" is the root. Slashes at its ends and "." in it mean nothing, and
 * ".." is no name. */
int overlay_find(const struct overlay *o, const char *path, struct spot *ret);
/* The names in a directory, what the base has first; fn returns 0, or what ends it. */
int overlay_list(const struct overlay *o, const struct spot *dir,
	int (*fn)(void *arg, const char *name, const struct spot *s), void *arg);
/* As stat has it; the size of what was not written may be unknown (entry.sized). */
int overlay_stat(const struct overlay *o, const struct spot *s, struct entry *ret, struct error *e);
/* Its bytes; off and n within its size. On any thread, as long as nothing is changed. */
int overlay_read(const struct overlay *o, const struct spot *s, uint64_t off, void *dst, size_t n,
	struct error *e);

/* The bytes of a file, which is made where it is not there (the reference in x is taken, also on
 * failure); the file's own time (NULL: none is set). */
int overlay_put(struct overlay *o, const char *path, struct extent x, const struct timespec *mtime);
int overlay_mkdir(struct overlay *o, const char *path);
int overlay_remove(struct overlay *o, const char *path, bool dir);
int overlay_rename(struct overlay *o, const char *from, const char *to);
/* The bytes that it has of its own go: it is what the base has, or not there. */
int overlay_revert(struct overlay *o, const char *path);

/* All that differs, for build: malloc'ed; what it points to is the overlay's. Entry i is of
 * uppers[i], if that is asked for. */
int overlay_tree(const struct overlay *o, struct tree_entry **ret, struct upper ***ret_uppers,
	size_t *ret_n);
/* malloc'ed, relative to the root; NULL: no memory. */
char *upper_path(const struct upper *u);

/* upper.c: for the other files of this room. */
struct upper *upper_find(const struct overlay *o, const struct upper *dir, const char *name);
/* Under that name from now on; -ENOMEM. */
int upper_place(struct overlay *o, struct upper *u, struct upper *dir, const char *name);
struct upper *upper_new(struct overlay *o, bool dir, entry_id from);
void upper_free(struct overlay *o, struct upper *u); /* with what is below */
/* The one of dir/name, which stands there as s; made where it has none. NULL: no memory. */
struct upper *upper_raise(
	struct overlay *o, struct upper *dir, const char *name, const struct spot *s);
/* What the base has there. -ENOENT. */
int upper_base(
	const struct overlay *o, const struct upper *dir, const char *name, struct entry *ret);

#endif
