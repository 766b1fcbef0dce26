/* SPDX-License-Identifier: Zlib */
/* Internal to finalize: what moved where, and what that adds to which record. */
#pragma once

#include "formats/torchlight/model/map.h"
#include "formats/torchlight/wire/removed.h"

enum tl_what { TL_STAYS, TL_GONE, TL_PLACED };

struct tl_state {
	enum tl_what what;
	uint32_t dir;
	const char *name; /* of the path, the caller's; NULL: as in the mounted tree */
};

/* Something to be added: a file, a removed file (TL_NONE) or a directory (type 7). */
struct tl_home {
	const char *path, *name; /* the table's own */
	const char *shown;       /* of a file: what the mount calls it */
	uint32_t handle;
	uint32_t seq;
	uint8_t type;
};

struct tl_homes {
	struct tl_home *all;
	size_t n, room;
};

struct finalizing {
	const struct tl_map *m;
	struct tl_shared *sh;
	uint32_t n_files, n_dirs;
	struct tl_state *files, *dirs;
	uint64_t *times; /* by handle: those that programs set, else 0 */
	bool *drop;      /* by handle: not where it was */
	bool *changed;   /* by directory of the mount: it, or one above, is elsewhere */
	bool *gone;      /* by directory, made ones too: removed, with what was in it */
	struct tl_homes homes, subdirs;
	struct tl_table *old, *table;
	/* The list of removed files; after tl_finalize_removed, the one to be written. */
	struct removed_set removed;
	struct tl_header *kit; /* the header as MOD.DAT has it; NULL: there is none */
	bool info_removed, kit_removed;
	size_t n_provided; /* files that were to be hidden, and that the archive has */
	int error;
};

/* place.c: fills in everything but table, and homes but for removed files. */
int tl_finalize_begin(struct finalizing *st, const struct placement *p, size_t n);
void tl_finalize_finish(struct finalizing *st);
bool tl_finalize_has_home(const struct finalizing *st, struct str path);
int tl_homes_add(struct finalizing *st, struct tl_homes *l, struct tl_home home);
void tl_homes_sort(struct tl_homes *l);

/* removed.c: adds the removed files. *ret: the list of them, without what the archive has itself,
 * to be kept as long as st. */
int tl_finalize_removed(struct finalizing *st, struct bytes **ret);

/* path.c: NULL where there is no memory; what is returned is the table's own. */
/* The directory's path as it will be saved. */
const char *tl_finalized_path(struct finalizing *st, uint32_t dir);
/* ... as the mount shows it. */
const char *tl_shown_path(struct finalizing *st, uint32_t dir);
const char *tl_table_own(struct tl_table *t, char *take);
const char *tl_table_own_buffer(struct tl_table *t, struct buffer *take);
/* A path's name as it is stored: unescaped, ASCII letters upper case. */
void tl_put_stored(struct buffer *out, const char *name);

/* keep.c: is a row of the old table in the new one, where it was? */
bool tl_finalize_keeps(
	const struct finalizing *st, const struct tl_record *r, const struct tl_row *row);
/* The directory of the mount at path below dir, as far as there is one; TL_NONE: it is not there
 * any more. */
uint32_t tl_finalize_find_dir(const struct finalizing *st, uint32_t dir, struct str path);

/* empty.c: adds entries of directories that nothing else would name. */
int tl_finalize_empty(struct finalizing *st);

/* table.c: the new table. */
int tl_finalize_table(struct finalizing *st);

/* names.c: names in changed files that no table has. */
void tl_finalize_say_names(
	const struct finalizing *st, void (*say)(void *arg, const char *line), void *arg);

/* say.c: what a person should know of it. */
void tl_finalize_say(
	const struct finalizing *st, void (*say)(void *arg, const char *line), void *arg);
