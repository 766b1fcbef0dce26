/* SPDX-License-Identifier: Zlib */
/*
 * changes: what differs from the map as it was mounted or last saved, by the paths of now; for the
 * status, and for the report of a save that succeeded. What was undone is none.
 */
#ifndef VFS_SAVE_CHANGES_H
#define VFS_SAVE_CHANGES_H

#include "vfs/tree/node.h"
#include "vfs/volume/report.h"

enum change_kind {
	CHANGE_CONTENT, /* another content */
	CHANGE_NEW,
	CHANGE_MOVED,   /* it stands at this path now */
	CHANGE_REMOVED, /* it stood at this path */
	CHANGE_REPLACED, /* ... where another stands now */
	CHANGE_KEPT,    /* ... and was moved to a scratch name: it stays in the map */
	CHANGE_EMPTIED, /* ... but the map always has one: it is empty now */
	CHANGE_NEEDED,  /* ... but what it is a part of cannot be without it: it stays, too */
};

struct object;

struct changes {
	struct change_line {
		enum change_kind kind;
		char *path;
		entry_id id;   /* CONTENT, NEW, MOVED: what stands there */
		entry_id in;   /* NEW, MOVED: the directory that it is in */
		bool needed;   /* REMOVED: the directory that stands there has always one */
		uint64_t size; /* CONTENT: nonzero: perhaps it says what it said */
	} * lines;
	size_t n, room;
	struct snapshot *before, *now; /* what is compared */
};

#define CHANGES_INIT                                                                               \
	{                                                                                          \
		0                                                                                  \
	}

/* On the owner's thread. Where memory is short some are missing. */
void changes_find(struct vfs *v, struct changes *ret);
/* Any thread, and it may inflate: takes out what was written and then written back. */
void changes_weigh(struct changes *c);
void changes_finish(struct changes *c);
/* After a save that wrote them (finalized: the map that was written): the lines of the report.
 * written: not only what stays as it is. */
void changes_report(const struct changes *c, const struct snapshot *finalized, bool written,
	struct report *report);
/* ... and from then on they are none. */
void changes_saved(struct vfs *v);

/* removed.c: the line of what was removed from a path, which may be a part of what is there still,
 * and is not without one. */
struct change_line changes_removed(struct vfs *v, const struct object *o, const char *path);

#endif
