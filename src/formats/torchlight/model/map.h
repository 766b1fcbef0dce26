/* SPDX-License-Identifier: Zlib */
/*
 * map: a Torchlight II archive in memory, as a chain of immutable versions (struct snapshot).
 *
 * A file has a handle that never changes: the index of its entry in the manifest at the mount, or a
 * number above those for a file that was added later. A directory likewise has an index in the tree
 * of the mount, or a number above. A version maps each handle to its bytes: those in the archive,
 * or new ones (tl_map.files). The overlay decides in which directory and under which name a handle
 * is saved; finalize builds the table of the saved archive from that (finalize/finalize.h).
 */
#pragma once

#include <pthread.h>

#include "formats/format.h"
#include "formats/torchlight/model/content.h"
#include "formats/torchlight/model/pages.h"
#include "formats/torchlight/text/compiled.h"
#include "formats/torchlight/wire/archive.h"
#include "formats/torchlight/wire/tree.h"

/* The parts of an entry_id: a kind, and the index of a directory, the handle of a file, or one of
 * enum tl_control, the entries that mapfs adds. Bit 0, the form of an image, is always 0. */
enum tl_kind { TL_DIR = 0, TL_FILE = 2, TL_CONTROL = 3 };
enum tl_control {
	TL_CONTROL_DIR,     /* .mod */
	TL_CONTROL_INFO,    /* .mod/info.json */
	TL_CONTROL_REMOVED, /* .mod/removed.txt */
	TL_CONTROL_KIT,     /* MOD.DAT (model/kit.h) */
	TL_N_CONTROLS
};

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

static inline bool tl_is_dir(entry_id id)
{
	return tl_kind_of(id) == TL_DIR || id == tl_id(TL_CONTROL, TL_CONTROL_DIR);
}

/* A file or directory that was added since the mount. Number i among them is handle n + i, where n
 * is the number of files or directories of the mount. Files and directories share one numbering, so
 * not every handle is a file, and not every index is a directory. */
struct tl_added {
	atomic_uint refs;
	uint32_t dir; /* index of its directory */
	char name[];
};

/* The data that all versions share; ref-counted. Immutable after open, except for names (under
 * names_lock) and contents (under lock). */
struct tl_shared {
	atomic_uint refs;
	struct budget *budget; /* borrowed, like store; the other pointers are owned */
	struct store *store;
	enum textform form;
	bool plain; /* text=off: compiled files are shown and stored as bytes */
	struct archive *archive;
	struct tree *tree;
	struct mod_header *fresh; /* the initial header, if this is a new MOD; else NULL */
	struct file *names_file;  /* from -o names, or NULL */
	pthread_mutex_t names_lock;
	struct names *names; /* the dictionary of the mount; NULL until it is needed */
	pthread_mutex_t lock;
	struct tl_content **contents; /* by handle; NULL until it is needed */
};

/* Takes ownership of the archive, also on failure. The caller sets tree and fresh. */
int tl_shared_new(const struct format_context *ctx, struct archive *take, struct tl_shared **ret,
	struct error *e);
struct tl_shared *tl_shared_ref(struct tl_shared *sh);
void tl_shared_unref(struct tl_shared *sh);
DEFINE_CLEANUP(struct tl_shared, tl_shared_unref);

/* Content of an archive's file; a new reference. -ENODATA: no such file. -EIO: invalid block. */
int tl_stored(struct tl_shared *sh, uint32_t handle, struct tl_content **ret, struct error *e);
/* The content, a new reference, if tl_stored succeeded for this file before; else NULL. */
struct tl_content *tl_stored_peek(struct tl_shared *sh, uint32_t handle);

/* The table of an archive to be saved. The time of an entry is 0 unless a program set it; its
 * offset, size and CRC are 0, because encode finds them. */
struct tl_table {
	struct manifest *manifest;
	const char **shown; /* names of files in the mount, by handle; NULL: not in the archive */
	const char **dirs; /* paths in the mount of directories that may have another stored name */
	uint32_t n_dirs;
	char **owned; /* the strings of shown and dirs that are not in the tree */
	size_t n_owned, room_owned;
};

void tl_table_free(struct tl_table *t);

struct tl_map {
	struct snapshot snapshot; /* must be first */
	struct tl_shared *shared; /* owned, like the pointers below */
	struct pages files; /* struct tl_content by handle: contents that differ from the archive */
	struct pages added; /* struct tl_added: files and directories added since the mount */
	uint32_t n_added;   /* number of objects in `added` */
	struct mod_header *header; /* NULL for a PAK; use `removed`, not its list */
	struct bytes *removed;     /* removed files: full paths, each with a line feed; not NULL */
	struct bytes *kit;         /* content of MOD.DAT; NULL if it was never written */
	struct names *names;       /* a dictionary with taught names; NULL: that of the mount */
	struct tl_table *table;    /* of a finalized version; else NULL */
	bool header_written;       /* info.json was written, so MOD.DAT does not replace `header` */
	bool info_dropped;         /* a MOD's info.json was written to a PAK */
};

static inline const struct tl_map *tl_map_of(const struct snapshot *s)
{
	return (const struct tl_map *)s;
}

static inline const struct manifest *tl_mounted(const struct tl_map *m)
{
	return m->shared->archive->manifest;
}

/* The manifest of a version: the one that finalize built, or that of the mount. */
static inline const struct manifest *tl_manifest(const struct tl_map *m)
{
	return m->table ? m->table->manifest : tl_mounted(m);
}

/* Make a version, of which the caller sets at least `removed`, or copy one without its table. The
 * caller may change it. NULL if memory is exhausted. Takes over sh, also on failure. */
struct tl_map *tl_map_new(struct tl_shared *sh, const struct format *f);
struct tl_map *tl_map_copy(const struct tl_map *m);

/* The new content of a handle, borrowed; NULL if it has the bytes of the archive, or none. */
struct tl_content *tl_map_file(const struct tl_map *m, uint32_t handle);

/* Content of a handle; a new reference. -ENODATA: the handle has no content (yet). -EIO. */
int tl_map_content(
	const struct tl_map *m, uint32_t handle, struct tl_content **ret, struct error *e);
/* The content, a new reference; NULL if there is none, or tl_stored did not make it yet. */
struct tl_content *tl_map_peek(const struct tl_map *m, uint32_t handle);
/* Get the size of a file's bytes (not text) and its time (0: none), without reading its block.
 * false: the handle has no content. */
bool tl_map_facts(const struct tl_map *m, uint32_t handle, uint64_t *size, uint64_t *filetime);

/* The time of an entry of tl_manifest, as a FILETIME; 0: none. */
uint64_t tl_time_of(const struct tl_map *m, const struct manifest_entry *x);

/* Upper bounds of the handles of files, and of the indices of directories. */
static inline uint32_t tl_n_files(const struct tl_map *m)
{
	return tl_mounted(m)->n_entries + m->n_added;
}

static inline uint32_t tl_n_dirs(const struct tl_map *m)
{
	return m->shared->tree->n_dirs + m->n_added;
}

/* Add a file or directory to m. *ret: its handle. -ENOMEM. */
int tl_map_add(struct tl_map *m, uint32_t dir, const char *name, bool is_dir, uint32_t *ret);
/* The parent and the name of a directory, as at the mount or when it was added. The name is
 * borrowed from m. dir: no added file. false: it is the root, or not below tl_n_dirs. */
bool tl_dir_parent(const struct tl_map *m, uint32_t dir, uint32_t *ret_parent, const char **ret);
/* Append the path of a directory by shown names, as at the mount or when it was added, with '/' at
 * its end; nothing for the root. */
void tl_dir_path(const struct tl_map *m, uint32_t dir, struct buffer *out);
/* The name of a file (or added directory), as stored at the mount or given when it was added; from
 * m, NUL-ended, "" from tl_n_files on. And the kind of that name; COMPILED_NONE with text=off. */
struct str tl_file_name(const struct tl_map *m, uint32_t handle);
enum compiled_kind tl_file_kind(const struct tl_map *m, uint32_t handle);
/* The kind of a name without its last ending. *ret: that ending, in name, with its dot. A name
 * without an ending gives COMPILED_NONE and NULL. */
enum compiled_kind tl_kind_of_stem(const char *name, const char **ret);
/* Append the path of a file, as stored at the mount or as it was added, with a NUL. -ENOMEM. */
int tl_file_path(const struct tl_map *m, uint32_t handle, struct buffer *out);
