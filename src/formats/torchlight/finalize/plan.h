/* SPDX-License-Identifier: Zlib */
/* Internal to finalize: what moved where, and what that adds to which record. */
#pragma once

#include "formats/torchlight/model/map.h"
#include "formats/torchlight/wire/removed.h"

#define NO_DIR UINT32_MAX

enum tl_what { TL_STAYS, TL_GONE, TL_PLACED };

/* Of a file or a directory. */
struct tl_state {
	enum tl_what what;
	uint32_t dir;
	const char *name; /* of the path, the caller's; NULL: as in the mounted tree */
	uint64_t time;    /* of a file: that a program set, else 0 */
	bool away;        /* a file is not where it was */
	bool moved;       /* a directory of the mount, or one above, is elsewhere */
	bool gone;        /* a directory is removed, with what was in it */
};

/* Something to be added: a file, a removed file or a directory. Strings are the table's own. */
struct tl_home {
	const char *path, *name; /* of a directory with '/' at its end */
	uint32_t dir;            /* of the mount, in which it stands; as far as there is one */
	uint32_t handle;
	uint8_t type;
};

struct finalizing {
	const struct tl_map *m;
	struct tl_shared *sh;
	const struct manifest *old;
	struct tl_table *table;
	uint32_t n_files, n_dirs;
	struct tl_state *files, *dirs;
	struct tl_home *homes;
	size_t n_homes, room_homes;
	/* Of the list of removed files; what the archive will have itself is provided. */
	struct removed_set removed;
	struct mod_header *kit; /* the header as MOD.DAT has it; NULL: there is none */
	bool info_removed, kit_removed;
	size_t n_provided; /* files that were to be hidden, and that the archive has */
	format_say say;
	void *arg;
	int error; /* of memory, sticky */
};

/* place.c: fills in everything but the table, and homes of files and directories. */
int tl_finalize_begin(struct finalizing *st, const struct placement *p, size_t n);
void tl_finalize_finish(struct finalizing *st);
void tl_home_add(struct finalizing *st, struct tl_home home);

/* removed.c: adds the removed files. *ret: the list of them, without what the archive has itself,
 * to be kept as long as st. */
int tl_finalize_removed(struct finalizing *st, struct bytes **ret);

/* path.c: strings that are the table's own; "" where there is no memory. */
const char *tl_own(struct finalizing *st, char *take);
const char *tl_own_buffer(struct finalizing *st, struct buffer *take);
/* A name as it is stored: unescaped, ASCII letters in upper case, but where it keeps its own. */
void tl_put_stored(struct buffer *out, const char *name, bool keep);
/* The directory's path as it will be saved, or as the mount shows it. */
const char *tl_new_path(struct finalizing *st, uint32_t dir, bool shown);

/* keep.c: is an entry of the old manifest in the new one, where it was? */
bool tl_finalize_keeps(const struct finalizing *st, const struct manifest_entry *x);
/* The directory of the mount at path below dir, as far as there is one; NO_DIR: it is not there any
 * more. */
uint32_t tl_finalize_find_dir(const struct finalizing *st, uint32_t dir, struct str path);
/* Adds entries of directories that nothing else would name. */
int tl_finalize_empty(struct finalizing *st);

/* table.c: the new table. */
int tl_finalize_table(struct finalizing *st);

/* names.c: lines for people; and names in changed files that no table has. */
void tl_say(const struct finalizing *st, enum format_said kind, const char *fmt, ...)
	PRINTF_LIKE(3, 4);
void tl_finalize_say_names(const struct finalizing *st);
/* One line for many things of a kind: their number, and the first. */
struct tl_tally {
	size_t n;
	char first[401];
};
void tl_tally_add(struct tl_tally *t, const char *fmt, ...) PRINTF_LIKE(2, 3);
void tl_tally_say(const struct finalizing *st, enum format_said kind, const struct tl_tally *t,
	const char *one, const char *many);

/* levels.c: warns of levels whose path maps are not theirs. */
void tl_finalize_warn_levels(const struct finalizing *st);

/* say.c: what a person should know of it. */
void tl_finalize_say(const struct finalizing *st);
