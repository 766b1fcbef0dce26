/* SPDX-License-Identifier: Zlib */
/* Internal to finalize: where files and directories go, and what that adds to which record. The
 * steps, in order: tl_finalize_begin, _removed, _dirs, _table, _say (if say is set), _finish. */
#pragma once

#include "formats/torchlight/model/map.h"
#include "formats/torchlight/wire/removed.h"

#define NO_DIR UINT32_MAX

/* TL_STAYS: at its path, in any case of letters. TL_PLACED: new, moved or renamed. */
enum tl_outcome { TL_STAYS, TL_GONE, TL_PLACED };

/* The new state of a file or a directory. */
struct tl_state {
	enum tl_outcome outcome;
	uint32_t dir;     /* the new parent, if placed */
	const char *name; /* the new name, borrowed; NULL: as in the mounted tree */
	uint64_t time;    /* of a file: FILETIME that a program set, else 0 */
	bool has_left;    /* a file is not in its old record: removed, moved, new, or dir is gone */
	bool is_moved;    /* a directory of the mount, or a parent of it, has another path */
	bool is_gone;     /* a directory is removed, itself or with a parent; or was never placed */
};

/* An entry to add: a file, a removed file or a directory. The strings belong to the table. */
struct tl_new_entry {
	const char *path, *name; /* the path, and the name of a directory, end in '/' */
	uint32_t dir; /* for tl_finalize_dirs: parent, nearest directory that exists, or NO_DIR */
	uint32_t handle; /* MANIFEST_NO_FILE for a removed file or a directory */
	uint8_t type;    /* as in struct manifest_entry (wire/manifest.h) */
};

struct finalizer {
	const struct tl_map *m; /* the version to finalize; for tl_finalize_say, the result */
	struct tl_shared *sh;   /* set by the caller, as are m, old, say and arg; the rest is 0 */
	const struct manifest *old; /* that of the mount */
	struct tl_table *table;
	uint32_t n_files, n_dirs;      /* tl_n_files and tl_n_dirs of m */
	struct tl_state *files, *dirs; /* by handle; by index of the directory */
	struct tl_new_entry *new_entries;
	size_t n_new_entries, room_new_entries;
	/* The list of removed files; `is_provided` if the new archive has the file itself. */
	struct removed_set removed;
	struct mod_header *kit; /* the header that MOD.DAT gives, owned; NULL without MOD.DAT */
	bool info_removed, kit_removed; /* a program removed .mod/info.json, or MOD.DAT */
	/* Listed removed files that the archive has itself, to be reported: not the new files at
	 * paths that the list had at the mount. */
	size_t n_provided;
	format_say say; /* not NULL if tl_say or tl_finalize_say is called */
	void *arg;
	int error; /* 0 or -ENOMEM; sticky */
};

/* place.c. Begin: fill in files, dirs and table->shown; add the entries of new and moved files and
 * directories; -ENOMEM. Finish: also after a failure; frees st->table, unless it is NULL. */
int tl_finalize_begin(struct finalizer *st, const struct placement *p, size_t n);
void tl_finalize_finish(struct finalizer *st);
void tl_add_entry(struct finalizer *st, struct tl_new_entry entry); /* -ENOMEM: in st->error */

/* removed.c: add the entries of removed files, and fill in st->removed, which points into the list
 * of st->m. *ret: a new list, without the files that the archive has itself; not NULL. -ENOMEM. */
int tl_finalize_removed(struct finalizer *st, struct bytes **ret);

/* path.c: give a string to the table, which frees it. Both take ownership, also on failure. They
 * return "" and set st->error if memory is exhausted, also if take is NULL or the buffer failed. */
const char *tl_own_string(struct finalizer *st, char *take);
const char *tl_own_buffer(struct finalizer *st, struct buffer *take);
/* Append a name as it is stored: unescaped, and in upper case (ASCII) unless `keep`. */
void tl_put_stored(struct buffer *out, const char *name, bool keep);
/* The path of a directory in the new archive: as it is stored, or as the mount shows it. It ends in
 * '/', is "" for the root, and belongs to the table. */
const char *tl_new_path(struct finalizer *st, uint32_t dir, bool shown);

/* keep.c: does an entry of the old manifest stay in its record? */
bool tl_finalize_keeps(const struct finalizer *st, const struct manifest_entry *x);
/* Find the directory of the mount at a path below dir. If the path does not exist, return the last
 * directory of it that does. NO_DIR if a directory on the path was moved or removed. */
uint32_t tl_finalize_find_dir(const struct finalizer *st, uint32_t dir, struct str path);
/* Add entries of directories that no other path in the new manifest names. -ENOMEM. */
int tl_finalize_dirs(struct finalizer *st);

/* table.c: build the new manifest, and the list of directories in st->table. -ENOMEM. */
int tl_finalize_table(struct finalizer *st);

/* names.c: report a line (none without memory); report taught names, which no dictionary has. */
void tl_say(const struct finalizer *st, enum format_line_kind kind, const char *fmt, ...)
	PRINTF_LIKE(3, 4);
void tl_finalize_say_names(const struct finalizer *st);
/* One line for many things of a kind: "1 ONE (FIRST)" or "3 MANY (FIRST)"; no line for 0 things.
 * one, many: "file is damaged", "files are damaged". The caller zeroes the struct. */
struct tl_tally {
	size_t n;
	char first[401]; /* cut if it is longer */
};
void tl_tally_add(struct tl_tally *t, const char *fmt, ...) PRINTF_LIKE(2, 3);
void tl_tally_say(const struct finalizer *st, enum format_line_kind kind, const struct tl_tally *t,
	const char *one, const char *many);

/* levels.c: warn about changed levels without a matching path map. */
void tl_finalize_warn_levels(const struct finalizer *st);

/* say.c: report everything that a user should know about the new archive. */
void tl_finalize_say(const struct finalizer *st);
