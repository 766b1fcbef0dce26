/* SPDX-License-Identifier: Zlib */
/* table: the levels of a folder and the maps in them, by name and by inode number. */
#pragma once

#include <sys/queue.h>

#include "base/hash.h"
#include "vfs/folder/folder.h"
#include "vfs/folder/reserve.h"
#include "vfs/tree/inode.h"

struct listing;
struct opened;

/* A descriptor that the open maps of a directory share. */
struct shared_dir {
	int fd;
	struct sidecar_cache *sidecars; /* names in it */
	dev_t dev;
	ino_t ino;
	unsigned users;
	struct level *level; /* for which it was opened */
};

/* A real directory: the folder itself, or a folder below it. Lives as long as the folder. */
struct level {
	struct hash_link link; /* in folder.levels, by parent and name; must be first */
	struct level *parent;  /* NULL: the folder itself */
	char *name;
	uint64_t ino;
	struct shared_dir *dir;  /* the current one, while maps in it are open (disk.h); or NULL */
	struct listing *listing; /* the last listing, for a few seconds (list.c); or NULL */
};

/* Tells one state of a file from another. */
struct stamp {
	dev_t dev;
	ino_t ino;
	off_t size;
	struct timespec mtime, ctime;
};

/* One state of a map's file. If another program changes the file, a new map takes its place, unless
 * it has unsaved changes (map_look). */
struct map {
	struct hash_link link; /* in folder.names, until `replaced`; must be first */
	struct level *in;
	char *name;
	unsigned index;        /* number of its range of inodes, from 1 */
	bool replaced;         /* another map, or none, has its name now */
	bool known;            /* it was closed while the kernel knew names in it */
	struct stamp stamp;    /* of the file when it was found, or last closed */
	uint64_t lookups;      /* the kernel's lookup count of its directory */
	struct opened *opened; /* NULL unless it is open, being opened, or failed to open */
};

struct opened_list {
	TAILQ_HEAD(, opened) all; /* least recently used first */
	size_t n;
};

struct folder {
	int dirfd;
	const char *path;
	const struct vfs_options *options;
	struct pool *pool;
	struct vfs_host *host;
	struct hash levels, names; /* of levels, and of maps */
	struct level **by_number;  /* by inode number, minus VFS_ROOT_INO */
	size_t n_levels;
	struct map **by_index; /* [0] is unused, so n_maps starts at 1 */
	size_t n_maps;
	size_t n_listings;
	/* The open maps. opened_trim moves maps in use to `held`; opened_touch moves them back. */
	struct opened_list recent, held;
	struct reserve reserve;
	bool discards; /* folder_end drops unsaved changes */
};

/* Return the level of this name, created if it is new. The folder itself has a NULL parent and the
 * name "". NULL if memory is exhausted. */
struct level *level_get(struct folder *f, struct level *parent, const char *name);
/* The level with this inode number, or NULL. */
struct level *level_of(const struct folder *f, uint64_t ino);
/* The path of a level, or of a name in it unless that is NULL, relative to the folder, whose own is
 * "". The caller frees it. Returns NULL if memory is exhausted. */
char *level_path(const struct level *l, const char *name);

struct stamp stamp_of(const struct stat *st);
bool stamp_same(const struct stamp *a, const struct stamp *b);

/* The map that has this name, or NULL. */
struct map *map_find(const struct folder *f, const struct level *in, const char *name);
/* Add a map, with a new index, for a name without one. NULL if memory or indexes are exhausted. */
struct map *map_new(struct folder *f, struct level *in, const char *name, const struct stat *st);
/* Remove the map from the names, and free it if unused. Open files in it stay usable. */
void map_replace(struct folder *f, struct map *m);
/* Free the map if it was replaced, is not open, and the kernel does not know its directory. */
void map_settle(struct folder *f, struct map *m);
/* The map that has this inode number, also a dynamic one, in its range; or NULL. */
struct map *map_of(const struct folder *f, uint64_t ino);
/* The inode number of the map's directory. */
uint64_t map_root(const struct map *m);

void table_finish(struct folder *f); /* free all maps and levels, once no map is opened */
