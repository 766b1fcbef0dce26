/* SPDX-License-Identifier: Zlib */
/*
 * journal: what was closed and is not in the map yet.
 *
 * A log (base/durable/reclog.h) beside the map, named NAME.mapfs-journal-ID after the identity of
 * the content that it applies to; made with the first record. Its records are operations on paths;
 * what they put is the only copy of changed bytes, which the tree reads back from here.
 *
 *   HEADER  NAME NUL ID NUL PREVIOUS NUL KIND NUL OPTIONS
 *           the first, and once more where a mount went on after damage
 *           PREVIOUS: the ID before the save that left this journal, or "";
 *           KIND "new": the paths are those of an empty map (--new);
 *           OPTIONS: of -o, each with a NUL, by which names and contents mean what they do
 *   NAMES   TEXT                         what names the mount shows (format's list), where those
 *           of the map are others; the first record after the header
 *   PUT     PATH NUL CONTENT             PATH was closed with CONTENT, and that was applied
 *   DRAFT   PATH NUL REASON NUL CONTENT  ... and that was refused, or was cut and not judged yet
 *   DROP    PATH                         the draft was dropped
 *   MKDIR   PATH                         a directory of the map was made
 *   REMOVE  PATH                         a file or directory of the map was removed
 *   RENAME  PATH NUL TO                  ... or renamed
 *   SAVED   ID                           all that stands before is in the map of this ID
 *
 * Which journal counts at a mount: the one whose ID is the map's. One that ends in SAVED with the
 * map's ID, or whose PREVIOUS is the map's ID while that one's own journal is there, is a save's
 * leftover that holds nothing of its own, and is removed. All others are kept and told.
 *
 * What cannot be read of a journal, is missing in it, or cannot be done again, is not lost with it:
 * when its time is over, such a journal is set aside as NAME.mapfs-journal-ID.kept. A file that is
 * none at all is NAME.mapfs-journal-ID.bad. Each name is followed by .1, .2 ... where it is taken.
 * A conflict's files are named after the map that it is of.
 *
 * Another program may remove, rename or replace the file of an open journal (`git clean -fdx`).
 * Each append and each sync looks for that and copies the journal to a new file, under the same
 * name; a file that has this name by then is set aside as .kept.
 *
 * What is not to be trusted (base/disk/trust.h) is told and left alone, whatever its name; where
 * that is the name of the journal that counts, the journal is NAME.mapfs-journal-ID-2, -3 ...
 *
 * Appends are safe on any thread.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>

#include "base/disk/nearby.h"
#include "base/durable/reclog.h"
#include "formats/format.h"
#include "vfs/files/sidecar.h"

enum journal_type {
	JOURNAL_HEADER = 1,
	JOURNAL_PUT = 2,
	JOURNAL_DRAFT = 3,
	JOURNAL_DROP = 4,
	/* 5 was data alone */
	JOURNAL_SAVED = 6,
	JOURNAL_MKDIR = 7,
	JOURNAL_REMOVE = 8,
	JOURNAL_RENAME = 9,
	JOURNAL_NAMES = 10,
};

struct journal {
	int dirfd; /* borrowed */
	struct trust trust;
	unsigned number; /* of its name: 1 is NAME.mapfs-journal-ID, n is ...-ID-n */
	char *map;
	char identity[IDENTITY_SIZE];
	char previous[IDENTITY_SIZE];
	pthread_mutex_t lock; /* over log */
	struct reclog *log;   /* NULL until the first record */
	atomic_bool unsynced;
	bool unnamed;          /* its file has no name: nothing is to outlive the process */
	bool fresh;            /* KIND is "new" */
	bool kept;             /* it is never removed but set aside */
	bool resume;           /* the next record needs a HEADER before it */
	struct bytes *names;   /* that the next record needs before it, or NULL */
	struct bytes *options; /* of its HEADER; borrowed, or NULL */
};

/* Prepares; makes no file. */
int journal_init(struct journal *j, const struct trust *trust, const char *map,
	const char *identity, const char *previous, struct error *e);
void journal_finish(struct journal *j); /* closes; the file stays */
/* The file goes, if there is one, and the journal is as after init. *ret_kept (NAME_MAX + 1 bytes,
 * may be NULL): what it is called now, where it is kept; or "". */
int journal_remove(struct journal *j, char *ret_kept, struct error *e);

/*
 * j goes on as the journal of another identity (and perhaps of another map name): the file of
 * before goes as with journal_remove (unless keep), and next's log, if it has one, is taken over.
 * Safe while others append to j.
 */
void journal_turn(struct journal *j, struct journal *next, bool keep, char *ret_kept);
/* The file is called .ending or .ending.N from now on (see above); ret has room for NAME_MAX + 1.
 */
int journal_set_aside(const struct journal *j, const char *ending, char *ret, struct error *e);
/* It holds operations that could not be done again. */
void journal_keep(struct journal *j);

/* What is appended is in these paths (taken over). Before the first record. */
void journal_set_names(struct journal *j, struct bytes *names);
/* What an open journal says of that; *ret = NULL: nothing, or there is none. */
int journal_names(struct journal *j, struct bytes **ret, struct error *e);
/* ... and with which options its paths and contents were written. */
int journal_options(struct journal *j, struct bytes **ret, struct error *e);

/* Opens the file that fits, if there is one (journal_exists), and removes leftovers of saves; tells
 * note() of others that are kept. nearby: of the journal's directory. */
int journal_open(struct journal *j, struct nearby *nearby,
	void (*note)(void *arg, const char *line), void *arg, struct error *e);

/* What its file is called, or would be; ret has room for NAME_MAX + 1. */
void journal_file(const struct journal *j, char *ret);
/* Is there one that journal_open would look at first? Any thread, and cheap. */
bool journal_waits(const struct journal *j);

/* An operation. The strings, and what they are of, are whoever's made it. */
struct journal_op {
	enum journal_type type;
	const char *path;
	const char *reason;           /* DRAFT */
	const char *to;               /* RENAME */
	const struct extent *content; /* PUT, DRAFT */
};

/* ret (may be NULL): where the content now stands. */
int journal_append(
	struct journal *j, const struct journal_op *op, struct extent *ret, struct error *e);
int journal_saved(struct journal *j, const char *identity, struct error *e);
int journal_sync(struct journal *j, struct error *e);
bool journal_unsynced(struct journal *j);
bool journal_exists(struct journal *j);

/* Of what a walk did not show. */
struct journal_gaps {
	unsigned damaged; /* places that cannot be read */
	unsigned skipped; /* operations of a kind that is not known, or whose meaning hangs on what
			   * was damaged before them */
};

/* Calls fn for each operation on a path in order, which lives as long as the call; a negative
 * return of fn ends the walk. */
int journal_walk(struct journal *j, int (*fn)(void *arg, const struct journal_op *op), void *arg,
	struct journal_gaps *ret_gaps, struct error *e);

/* For `mapfs recover`: the journals beside a map. */
struct journal_info {
	const char *file;
	bool fits;    /* it applies to the map as it is now */
	bool torn;    /* it ends in a record that was not finished */
	bool busy;    /* a mount is using it */
	bool aside;   /* it was set aside */
	bool foreign; /* it is not to be trusted (base/disk/trust.h): a mount leaves it alone */
	unsigned changes, drafts; /* paths (tally.h) */
	unsigned damaged;         /* places that cannot be read */
};

int journal_list(int dirfd, const char *map, void (*fn)(void *arg, const struct journal_info *i),
	void *arg, struct error *e);
/* Lock a journal that no mount uses, for as long as the descriptor is open; -EWOULDBLOCK: a mount
 * uses it. It is not opened to append, which would cut off a torn end. */
int journal_lock(int dirfd, const char *file);
