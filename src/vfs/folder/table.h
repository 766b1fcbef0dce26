/* SPDX-License-Identifier: Zlib */
/* table: the directories of a folder and the maps in them, by name and by number. */
#pragma once

#include <sys/queue.h>

#include "base/hash.h"
#include "vfs/folder/folder.h"
#include "vfs/folder/reserve.h"
#include "vfs/tree/inode.h"

struct listing;
struct opened;

/* A directory that files in it are open by. */
struct shared_dir {
	int fd;
	struct nearby *nearby; /* what lies in it */
	dev_t dev;
	ino_t ino;
	unsigned users;
	struct level *of;
};

/* A directory of the folder. */
struct level {
	struct hash_link link; /* by parent and name; first */
	struct level *parent;  /* NULL: the folder itself */
	char *name;
	uint64_t ino;
	struct shared_dir *dir;  /* what it is now, while something in it is open; disk.h */
	struct listing *listing; /* while somebody lists it; list.c */
};

/* What tells one state of a file from another. */
struct stamp {
	dev_t dev;
	ino_t ino;
	off_t size;
	struct timespec mtime, ctime;
};

/* One state of a map's file. */
struct map {
	struct hash_link link; /* by level and name, until it is `replaced`; first */
	struct level *in;
	char *name;
	unsigned index; /* of its inode numbers */
	bool replaced;  /* its name is another's now */
	bool known;     /* it was closed while the kernel knew names of it */
	struct stamp stamp;
	uint64_t lookups;      /* of its directory, by the kernel */
	struct opened *opened; /* opened.h; NULL: it is not open */
};

struct opened_list {
	TAILQ_HEAD(, opened) all; /* by when they were used last */
	size_t n;
};

struct folder {
	int dirfd;
	const char *path;
	const struct vfs_options *options;
	struct pool *pool;
	struct vfs_host *host;
	struct hash levels, names; /* names: of maps */
	struct level **by_number;
	size_t n_levels;
	struct map **by_index; /* [0] is nobody's, so n_maps begins with 1 */
	size_t n_maps;
	size_t n_listings;
	/* Maps that are open: those that may perhaps be closed, and those that were found to be in
	 * use or changed. */
	struct opened_list recent, held;
	struct reserve reserve;
	bool discard; /* the end saves nothing */
};

struct level *level_get(
	struct folder *f, struct level *parent, const char *name); /* NULL: no memory */
struct level *level_of(const struct folder *f, uint64_t ino);      /* or NULL */
/* Relative to the folder, "" for itself; malloc'ed. name: of something in it, or NULL. */
char *level_path(const struct level *l, const char *name);

struct stamp stamp_of(const struct stat *st);
bool stamp_same(const struct stamp *a, const struct stamp *b);

/* The one that has the name, or NULL. */
struct map *map_find(const struct folder *f, const struct level *in, const char *name);
/* A new one; NULL: no memory, or no number is left. */
struct map *map_new(struct folder *f, struct level *in, const char *name, const struct stat *st);
/* Its name is free for another; what is open stays open while it is used. */
void map_replace(struct folder *f, struct map *m);
/* Frees it if nobody can ask for it any more. */
void map_settle(struct folder *f, struct map *m);
struct map *map_of(const struct folder *f, uint64_t ino); /* by any number of it, or NULL */
uint64_t map_root(const struct map *m);                   /* the number of its directory */

void table_finish(struct folder *f);
