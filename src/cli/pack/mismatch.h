/* SPDX-License-Identifier: Zlib */
/* mismatch: objects of a map for which a directory on disk has an object of another kind at the
 * same path. The kind of an object cannot change (merge_schema.kinds), so the object has to be
 * removed and the other one created. All objects of its collection, the directory that it is in,
 * are removed with it, so that their positions are those of the directory on disk. */
#pragma once

#include "vfs/offline/change.h"

struct mismatch {
	struct mismatch_dir {
		char *path;         /* of the collection, in the map */
		size_t n;           /* number of its objects */
		bool is_referenced; /* other files can refer to its objects */
	} * dirs;
	size_t n, room;
};

/* Find mismatches between a map and a directory. Skips unreadable files. Initializes *ret, and the
 * caller finishes it in any case. */
int mismatch_find(struct offline *t, int dirfd, struct mismatch *ret);
/* Is there a mismatch with this is_referenced? */
bool mismatch_any(const struct mismatch *u, bool is_referenced);
/* Remove all objects of the collections with this is_referenced. */
int mismatch_remove(struct offline *t, const struct mismatch *u, bool is_referenced);
/* Is this directory of the map a collection in u? u may be NULL. */
bool mismatch_has(const struct mismatch *u, const char *path);
/* The path in the map for a file of the directory. In a collection of u the position is increased
 * by the number of removed objects, because a file at the position of a removed object would become
 * that object again. The caller frees it. Returns NULL if memory is exhausted. u may be NULL. */
char *mismatch_place(const struct mismatch *u, const char *path);
void mismatch_finish(struct mismatch *u);
#define CLEANUP_MISMATCH __attribute__((cleanup(mismatch_finish)))
