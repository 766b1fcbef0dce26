/* SPDX-License-Identifier: Zlib */
/*
 * status: what the mount holds that the map does not.
 *
 * It is kept as records of three texts, each ended by a NUL: a word, a path, and why (empty where
 * there is nothing to say). Words are "changed", "new", "moved", "removed" and "kept" (moved to a
 * scratch name); "draft" (refused, or its close failed), "waiting" (for other files) and "left"
 * (at an unmount) say why.
 */
#pragma once

#include "base/buffer.h"
#include "vfs/tree/inode.h"

struct status_entry {
	const char *word, *path, *why;
};

/* On the owner's thread; found() is called there too, later, and finishes the records. -ENOMEM: it
 * will not be. */
int status_find(struct vfs *v, void (*found)(void *arg, struct buffer *records), void *arg);

/* Add the renames that were refused, by the path that each would have replaced (tree/refusals.h).
 * They are for people: a save says nothing about them. */
void status_add_refusals(const struct vfs *v, struct buffer *records);

void status_add(struct buffer *records, const struct status_entry *e);
/* The next record from *at on (0 at the begin), which then is the one behind it. false: the end, or
 * what is no record. */
bool status_next(const struct buffer *records, size_t *at, struct status_entry *ret);

/* A line of a text for people: "draft info/author: more than one line". A newline in the path is
 * shown as "?". */
void status_line(struct buffer *text, const struct status_entry *e);

/*
 * Attributes of the root, each as long as one may be (STATUS_MAX):
 *     user.mapfs.status     lines; where not all fit the last is "more N"
 *     user.mapfs.status.N   records from the Nth on, as many as fit; none at the end
 */
#define STATUS_ATTRIBUTE "user.mapfs.status"
enum { STATUS_MAX = 64 << 10 };

bool status_is_attribute(const char *name);
/* What the attribute has. */
void status_show(const char *name, const struct buffer *records, struct buffer *ret);
