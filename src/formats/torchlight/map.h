/* SPDX-License-Identifier: Zlib */
/*
 * map: a Torchlight II archive in memory, as a chain of immutable versions.
 *
 * A file has a handle for good: the number of its entry in the manifest that was mounted, or one
 * after those where it was made since. So has a directory, in the tree that was mounted. A version
 * says which bytes each handle has: those that stand in the archive (base), or others (files). In
 * which directory and under which name a handle is saved is the mounted tree's to know: settle
 * (settle.h) makes the table of what an archive is to hold.
 *
 * A compiled file and its text are two entries with one handle.
 */
#ifndef FORMATS_TORCHLIGHT_MAP_H
#define FORMATS_TORCHLIGHT_MAP_H

#include <pthread.h>

#include "formats/format.h"
#include "formats/torchlight/archive.h"
#include "formats/torchlight/compiled.h"
#include "formats/torchlight/content.h"
#include "formats/torchlight/tree.h"

/* The text of a file is numbered, and listed, before the file: who removes a directory's entries in
 * either order removes the view first. */
enum tl_kind { TL_DIR = 0, TL_TEXT = 1, TL_FILE = 2, TL_CONTROL = 3 };
enum tl_control { TL_CONTROL_DIR, TL_CONTROL_INFO, TL_CONTROL_REMOVED, TL_N_CONTROLS };
enum { TL_NONE = UINT32_MAX };

static inline entry_id tl_id(enum tl_kind kind, uint32_t index)
{
	return ((entry_id)kind << 32 | index) << 1;
}

static inline enum tl_kind tl_kind_of(entry_id id)
{
	return (enum tl_kind)(id >> 33);
}

static inline uint32_t tl_index(entry_id id)
{
	return (uint32_t)(id >> 1);
}

/* What was made since the mount: where and as what. name is the file's, never its text's. */
struct tl_made {
	uint32_t dir;
	char *name;
	bool text;     /* by its text's name */
	bool moved;    /* its two names may part: no other is joined to it */
	uint32_t next; /* older, of the same bucket, or TL_NONE */
};

struct tl_made_list {
	struct tl_made *all;
	uint32_t n, room;
	uint32_t *buckets; /* by directory and name in any case; as many as room */
};

/* When a file's own name was last asked for to be removed, and when its text was last written; of
 * an order that tells which of the two came last. */
struct tl_order {
	uint32_t asked, written;
};

/* What all versions share; ref-counted, lives as long as any of them. */
struct tl_shared {
	atomic_uint refs;
	struct budget *budget; /* borrowed, as is store */
	struct store *store;
	enum textform form;
	bool fresh; /* made by create() */
	bool split; /* files and subdirectories of a directory stand in records of their own */
	struct manifest *manifest;
	struct tree *tree;
	struct file *names_file; /* of -o names, or NULL */
	pthread_mutex_t lock;    /* over the rest */
	struct names *names; /* shipped, the archive's and those of names_file; NULL until needed */
	struct tl_made_list files, dirs;
	struct tl_order *order; /* by handle; NULL until needed */
	uint32_t n_order, clock;
};

struct tl_shared *tl_shared_ref(struct tl_shared *sh);
void tl_shared_unref(struct tl_shared *sh);
DEFINE_CLEANUP(struct tl_shared, tl_shared_unref);

/* A pointer table in pages, so that a version shares what it did not change. */
enum { TL_PAGE = 256 };

struct tl_page {
	atomic_uint refs;
	struct tl_content *at[TL_PAGE];
};

struct tl_header {
	atomic_uint refs;
	struct mod_header *h; /* its removed list is not looked at */
};

struct tl_row {
	struct str name;
	uint32_t handle; /* TL_NONE: a directory, or a removed file */
	uint8_t type;
	uint64_t filetime; /* that a program set, or 0: the content's */
};

struct tl_record {
	struct str path;
	uint32_t dir; /* in the mounted tree, or TL_NONE */
	uint32_t first, n;
};

/* What an archive holds, in its order. Strings are the manifest's or the table's own. */
struct tl_table {
	atomic_uint refs;
	struct tl_record *records;
	struct tl_row *rows;
	uint32_t n_records, n_rows;
	char **owned;
	size_t n_owned;
};

void tl_table_unref(struct tl_table *t);
DEFINE_CLEANUP(struct tl_table, tl_table_unref);

struct tl_map {
	struct snapshot snapshot; /* first: a struct snapshot * is a struct tl_map * */
	struct tl_shared *shared;
	struct tl_base *base;
	struct tl_page **pages; /* what differs from base */
	uint32_t n_pages;
	struct tl_header *header; /* NULL: a PAK */
	struct bytes *removed;    /* full paths, each with a line feed */
	struct names *names;      /* with those learnt from texts; NULL: none were */
	struct tl_table *table;   /* of a settled version; NULL: the manifest's */
	bool info_dropped;        /* a MOD's header was copied into a PAK */
};

static inline const struct tl_map *tl_map_of(const struct snapshot *s)
{
	return (const struct tl_map *)s;
}

struct tl_map *tl_map_new(struct tl_shared *sh, const struct format *f); /* takes the reference */
struct tl_map *tl_map_copy(const struct tl_map *m); /* to write to; NULL: no memory */
void tl_map_free(struct snapshot *s);

/* The other bytes of a handle, borrowed, or NULL; and setting them (takes the reference). */
struct tl_content *tl_map_file(const struct tl_map *m, uint32_t handle);
int tl_map_set(struct tl_map *m, uint32_t handle, struct tl_content *take);

/* The bytes of a handle: a new reference. -ENODATA: it has none (yet). -EIO. */
int tl_map_content(
	const struct tl_map *m, uint32_t handle, struct tl_content **ret, struct error *e);
/* Has it any? And their size and time, without looking at them. */
bool tl_map_facts(const struct tl_map *m, uint32_t handle, uint64_t *size, uint64_t *filetime);

struct tl_header *tl_header_new(struct mod_header *take);
struct mod_header *tl_header_copy(const struct mod_header *h); /* NULL: no memory */
void tl_header_unref(struct tl_header *h);
DEFINE_CLEANUP(struct tl_header, tl_header_unref);

/* Handles there are by now, and directories; what they are called where they were at first. */
uint32_t tl_n_files(struct tl_shared *sh);
uint32_t tl_n_dirs(struct tl_shared *sh);
/* Appends the file's stored name (not its path). false: no such handle. */
bool tl_file_name(struct tl_shared *sh, uint32_t handle, struct buffer *out);
/* The directory's path, with "/" at its end; "" for the root. */
void tl_dir_path(struct tl_shared *sh, uint32_t dir, struct buffer *out);
/* Directory and name of a handle as one path, NUL-ended. */
int tl_file_path(struct tl_shared *sh, uint32_t handle, struct buffer *out);

/* The dictionary of a version: borrowed from it, or from what it shares. */
int tl_map_names(const struct tl_map *m, struct names **ret, struct error *e);

/* The text of a compiled file as it is shown. -EIO where there is none. */
int tl_text_load(const struct tl_map *m, uint32_t handle, struct bytes **ret,
	struct error *ret_readonly, struct error *e);
/* Is its size known? */
bool tl_text_known(const struct tl_map *m, uint32_t handle, uint64_t *ret_size, bool *ret_readonly);

#endif
