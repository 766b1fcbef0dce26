/* SPDX-License-Identifier: Zlib */
/*
 * journal: the log of changes that are not in the map yet.
 *
 * The journal is a record log (base/durable/reclog.h) beside the map. Its file is named
 * NAME.mapfs-journal-ID after the identity of the map's content, and is created with the first
 * record. Its records are operations on paths. The contents in them are the only copy of changed
 * bytes; the overlay reads them from here.
 *
 *   HEADER  NAME NUL ID NUL PREVIOUS NUL KIND NUL OPTIONS
 *           the first record; repeated where a mount continued after damage
 *           PREVIOUS: the ID before the save that created this journal, or ""
 *           KIND: "new" if the paths are those of an empty map (--new), otherwise ""
 *           OPTIONS: those of -o that decide what names and contents mean, each with a NUL
 *   NAMES   TEXT                         the name table (format_tree.names), if the mount shows
 *                                        other names than the map's own; after the header
 *   PUT     PATH NUL CONTENT             PATH was closed with CONTENT, which was accepted
 *   DRAFT   PATH NUL REASON NUL CONTENT  PATH was closed with CONTENT, which was refused, or was
 *                                        truncated and is not validated yet
 *   DROP    PATH                         the content was dropped (overlay_revert)
 *   MKDIR   PATH                         a directory of the map was created
 *   REMOVE  PATH                         a file or directory of the map was removed
 *   RENAME  PATH NUL TO                  a file or directory of the map was renamed
 *   SAVED   ID                           all records before this one are in the map of this ID
 *
 * A mount uses the journal whose ID is the map's. It removes a journal that a save left behind: one
 * that ends in SAVED with the map's ID, or one of NAMES and DRAFTs whose PREVIOUS is the map's ID
 * if the map's own journal also exists. It keeps and notes all others.
 *
 * A journal with unreadable or missing records, or with operations that cannot be replayed, is not
 * removed after a save, but renamed to NAME.mapfs-journal-ID.kept. A file that is not a record log
 * is renamed to NAME.mapfs-journal-ID.bad. If such a name exists, .1, .2 and so on is appended.
 * The files of a map that was saved after a conflict are named after the original map.
 *
 * Other programs may remove, rename or replace the file of an open journal (`git clean -fdx`). Each
 * append and each sync checks for that, and copies the journal to a new file of the same name. A
 * file that took the name is set aside as .kept.
 *
 * Untrusted files (base/disk/trust.h) are noted and left alone, whatever their name. If one has the
 * name that the journal needs, the journal is NAME.mapfs-journal-ID-2, -3 and so on.
 *
 * journal_append, _saved, _sync, _unsynced, _exists, _keep, _set_names, _remove, _switch and
 * _replace are safe on any thread, at the same time. The others take no lock.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>

#include "base/disk/sidecar_cache.h"
#include "base/durable/reclog.h"
#include "formats/format.h"
#include "vfs/files/sidecar.h"

enum journal_type {
	JOURNAL_HEADER = 1,
	JOURNAL_PUT = 2,
	JOURNAL_DRAFT = 3,
	JOURNAL_DROP = 4,
	/* 5 was a record of data alone */
	JOURNAL_SAVED = 6,
	JOURNAL_MKDIR = 7,
	JOURNAL_REMOVE = 8,
	JOURNAL_RENAME = 9,
	JOURNAL_NAMES = 10,
};

struct journal {
	int dirfd; /* borrowed */
	struct trust trust;
	unsigned number; /* in the file name: 1 for NAME.mapfs-journal-ID, n for ...-ID-n */
	char *map;       /* the map's name (sidecar_family) */
	char identity[IDENTITY_SIZE];
	char previous[IDENTITY_SIZE];
	pthread_mutex_t lock; /* held while the log is used or replaced */
	struct reclog *log;   /* NULL until the first record */
	atomic_bool unsynced;
	bool unnamed;          /* the file has no name and does not outlive the process */
	bool fresh;            /* KIND is "new": the base is the empty map */
	bool kept;             /* set the file aside instead of removing it */
	bool resume;           /* append a HEADER before the next record */
	struct bytes *names;   /* append as NAMES before the next record; or NULL */
	struct bytes *options; /* OPTIONS of the HEADER; borrowed, or NULL */
};

/* Initialize the journal of a map. No file is created. Copies *trust (its dirfd is borrowed until
 * journal_finish) and the strings. Afterwards the caller may set fresh, unnamed and options. */
int journal_init(struct journal *j, const struct trust *trust, const char *map,
	const char *identity, const char *previous, struct error *e);
void journal_finish(struct journal *j); /* close it; the file stays */
/* Remove the file, or set it aside if the journal is `kept`. Closes the log, also on failure; a
 * later append opens the file or creates one. ret_kept (NAME_MAX + 1 bytes, or NULL) receives the
 * name of a file that was kept, otherwise "". */
int journal_remove(struct journal *j, char *ret_kept, struct error *e);

/* Continue j after a save as the journal of another identity, and perhaps of another map name.
 * Removes the old file as journal_remove does, and ignores a failure; with `keep` it stays under
 * its name. Moves the log of `next`, if it has one, and the name table to j; the caller still
 * finishes `next`. ret_kept as in journal_remove, but not NULL. */
void journal_switch(struct journal *j, struct journal *next, bool keep, char *ret_kept);
/* Continue j with the records of `next`, which is unnamed and has the identity of j. They replace
 * the file of j in one step (reclog_replace), or remove it if there are none. A `kept` file is
 * set aside before. After a failure the records stay. `next` and ret_kept as in journal_switch. */
int journal_replace(struct journal *j, struct journal *next, char *ret_kept, struct error *e);
/* Rename the file: append the ending, and .N if needed. ret has room for NAME_MAX + 1 bytes. */
int journal_set_aside(const struct journal *j, const char *ending, char *ret, struct error *e);
/* Set the file aside instead of removing it: some operations could not be replayed. */
void journal_keep(struct journal *j);

/* Set the name table of the paths; takes the reference. Call it before the first record. */
void journal_set_names(struct journal *j, struct bytes *names);
/* Read the name table of an open journal; the caller owns it. *ret is unchanged if it has none. */
int journal_names(struct journal *j, struct bytes **ret, struct error *e);
/* Read the OPTIONS of an open journal. *ret is unchanged if there is no journal. */
int journal_options(struct journal *j, struct bytes **ret, struct error *e);

/* Open the journal that fits the map, if there is one (journal_exists); 0 also without one. Removes
 * leftovers of saves, and reports other journals to note(), during the call. -EBUSY: locked. */
int journal_open(struct journal *j, struct sidecar_cache *sidecars,
	void (*note)(void *arg, const char *line), void *arg, struct error *e);

/* The name of its file, which may not exist; ret has room for NAME_MAX + 1 bytes. */
void journal_file(const struct journal *j, char *ret);
/* Does a file of that name exist? It may be untrusted. One system call. */
bool journal_is_present(const struct journal *j);

/* An operation. All pointers are borrowed. */
struct journal_op {
	enum journal_type type;
	const char *path;
	const char *reason;           /* DRAFT */
	const char *to;               /* RENAME */
	const struct extent *content; /* PUT, DRAFT */
};

/* Append one operation. ret (may be NULL) receives a reference to its content in the journal. */
int journal_append(
	struct journal *j, const struct journal_op *op, struct extent *ret, struct error *e);
int journal_saved(struct journal *j, const char *identity, struct error *e); /* append SAVED */
int journal_sync(struct journal *j, struct error *e); /* 0 also without a file */
/* Has it records that are not synced? Never waits. */
bool journal_unsynced(struct journal *j);
/* Is a log open, so that the journal has records? Waits for a running append or sync. */
bool journal_exists(struct journal *j);

/* Counts of the records that a walk skipped. */
struct journal_gaps {
	unsigned damaged; /* places that cannot be read */
	unsigned skipped; /* operations of an unknown type, or after damage that may change what
			   * their names mean */
};

/* Call fn for each operation on a path, in order, until it returns a negative value, which is also
 * returned. The operation is valid during the call. Gaps set `kept` and may set `resume`. The log
 * must be open. */
int journal_walk(struct journal *j, int (*fn)(void *arg, const struct journal_op *op), void *arg,
	struct journal_gaps *ret_gaps, struct error *e);

/* A journal beside a map, for `mapfs recover`. */
struct journal_info {
	const char *file;
	bool fits;                /* it applies to the current content of the map */
	bool torn;                /* it ends in an incomplete record */
	bool busy;                /* a mount is using it */
	bool is_set_aside;        /* it was set aside */
	bool is_untrusted;        /* it is untrusted (base/disk/trust.h): a mount leaves it alone */
	unsigned changes, drafts; /* numbers of paths (tally.h) */
	unsigned damaged;         /* places that cannot be read; 1 if the file is not a log */
};

/* Call fn for each journal of a map, which may be missing, including those set aside. */
int journal_list(int dirfd, const char *map, void (*fn)(void *arg, const struct journal_info *i),
	void *arg, struct error *e);
/* Lock a journal while the returned descriptor is open. -EWOULDBLOCK: a mount uses it. The journal
 * is not opened for appending, because that would cut off a torn end. */
int journal_lock(int dirfd, const char *file);
