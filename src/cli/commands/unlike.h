/* SPDX-License-Identifier: Zlib */
/*
 * unlike: objects of a map in whose place a directory on disk has one of another sort. A sort holds
 * for good (merging.h: sorts), so one cannot become the other: it has to go, and the other one to
 * be new. So that numbers mean what they say in the directory, all that are counted with it go,
 * too.
 */
#pragma once

#include "vfs/offline/change.h"

struct unlike {
	struct unlike_dir {
		char *path; /* of the map: what the objects stand in */
		size_t n;   /* of them */
		bool named; /* files elsewhere name them */
	} * at;
	size_t n, room;
};

/* What cannot be read on either side is nothing. -errno. */
int unlike_find(struct offline *t, int dirfd, struct unlike *ret);
bool unlike_any(const struct unlike *u, bool named);
/* Removes all objects of those directories: of those that files name, or of the others. */
int unlike_remove(struct offline *t, const struct unlike *u, bool named);
/* Are the objects of this directory of the map among them? */
bool unlike_has(const struct unlike *u, const char *path);
/* Where a file of the directory on disk goes: behind all that stood there, since what is made at
 * the place of an object is that object again. The caller's; NULL: no memory. u may be NULL. */
char *unlike_place(const struct unlike *u, const char *path);
void unlike_finish(struct unlike *u);
#define CLEANUP_UNLIKE __attribute__((cleanup(unlike_finish)))
