/* SPDX-License-Identifier: Zlib */
/*
 * map: a Torchlight II archive in memory, as a chain of immutable versions.
 *
 * A file has a handle for good: the number of its entry in the manifest that was mounted, or one
 * after those where it was made since. So has a directory, in the tree that was mounted. A version
 * says which bytes each handle has: those that stand in the archive, or others (files). In
 * which directory and under which name a handle is saved is the mounted tree's to know: finalize
 * makes the table of what an archive is to hold (finalize/finalize.h).
 */
#pragma once

#include <pthread.h>

#include "formats/format.h"
#include "formats/torchlight/model/content.h"
#include "formats/torchlight/model/pages.h"
#include "formats/torchlight/text/compiled.h"
#include "formats/torchlight/wire/archive.h"
#include "formats/torchlight/wire/tree.h"

enum tl_kind { TL_DIR = 0, TL_FILE = 2, TL_CONTROL = 3 };
enum tl_control {
	TL_CONTROL_DIR,
	TL_CONTROL_INFO,
	TL_CONTROL_REMOVED,
	TL_CONTROL_KIT, /* MOD.DAT (model/kit.h) */
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

/* A file or directory that was made since the mount: where and as what. Its number among them is
 * that behind those of the mount; so not each handle is a file, and not each a directory. */
struct tl_made {
	atomic_uint refs;
	uint32_t dir;
	char name[];
};

/* What all versions share; ref-counted, lives as long as any of them. Immutable but for the last.
 */
struct tl_shared {
	atomic_uint refs;
	struct budget *budget; /* borrowed, as is store */
	struct store *store;
	enum textform form;
	bool plain; /* text=off: compiled files are shown and stored as they are */
	struct archive *archive;
	struct tree *tree;
	struct mod_header *fresh; /* what a MOD that is being made begins with; NULL: none is */
	struct file *names_file;  /* of -o names, or NULL */
	pthread_mutex_t names_lock;
	struct names *names; /* shipped, the archive's and names_file's; NULL until needed */
	pthread_mutex_t lock;
	struct tl_content **contents; /* by handle: those that were asked for */
};

/* Takes the archive, also on failure. */
int tl_shared_new(const struct format_context *ctx, struct archive *take, struct tl_shared **ret,
	struct error *e);
struct tl_shared *tl_shared_ref(struct tl_shared *sh);
void tl_shared_unref(struct tl_shared *sh);
DEFINE_CLEANUP(struct tl_shared, tl_shared_unref);

/* The bytes of a file of the archive, a new reference. -ENODATA: it is no file of it. -EIO: the
 * block is none. */
int tl_stored(struct tl_shared *sh, uint32_t handle, struct tl_content **ret, struct error *e);
/* The same without making one: NULL where nobody asked yet. */
struct tl_content *tl_stored_peek(struct tl_shared *sh, uint32_t handle);

/*
 * What an archive is to hold, in its order; times are those that programs set, or 0: the content's.
 */
struct tl_table {
	struct manifest *manifest;
	const char **shown; /* by handle, what the mount calls a file */
	const char **dirs;  /* paths, as the mount shows them: of which it calls otherwise */
	uint32_t n_dirs;
	char **owned;
	size_t n_owned, room_owned;
};

void tl_table_free(struct tl_table *t); /* accepts NULL */

struct tl_map {
	struct snapshot snapshot; /* first: a struct snapshot * is a struct tl_map * */
	struct tl_shared *shared;
	struct pages files;        /* struct tl_content: what differs from those, by handle */
	struct pages made;         /* struct tl_made: what was made since the mount */
	uint32_t n_made;           /* ... and how much */
	struct mod_header *header; /* NULL: a PAK; its removed list is not looked at */
	struct bytes *removed;     /* full paths, each with a line feed */
	struct bytes *kit;         /* what was written to MOD.DAT; NULL: nothing was */
	struct names *names;       /* with those learnt from texts; NULL: none were */
	struct tl_table *table;    /* of a version that finalize made; NULL: the manifest's */
	bool header_written;       /* by somebody, since it is being made */
	bool info_dropped;         /* a MOD's header was copied into a PAK */
};

static inline const struct tl_map *tl_map_of(const struct snapshot *s)
{
	return (const struct tl_map *)s;
}

static inline const struct manifest *tl_mounted(const struct tl_map *m)
{
	return m->shared->archive->manifest;
}

/* What a version is to hold: as finalize made it, or as it was mounted. */
static inline const struct manifest *tl_manifest(const struct tl_map *m)
{
	return m->table ? m->table->manifest : tl_mounted(m);
}

struct tl_map *tl_map_new(struct tl_shared *sh, const struct format *f); /* takes the reference */
struct tl_map *tl_map_copy(
	const struct tl_map *m); /* to write to, without table; NULL: no memory */

/* The other bytes of a handle, borrowed, or NULL. */
struct tl_content *tl_map_file(const struct tl_map *m, uint32_t handle);

/* The bytes of a handle: a new reference. -ENODATA: it has none (yet). -EIO. */
int tl_map_content(
	const struct tl_map *m, uint32_t handle, struct tl_content **ret, struct error *e);
/* ... if somebody asked for them before, else NULL. */
struct tl_content *tl_map_peek(const struct tl_map *m, uint32_t handle);
/* Has it any? And their size and time, without looking at them. */
bool tl_map_facts(const struct tl_map *m, uint32_t handle, uint64_t *size, uint64_t *filetime);

/* The time of an entry of tl_manifest. */
uint64_t tl_time_of(const struct tl_map *m, const struct manifest_entry *x);

/* Handles of files there are by now at most, and of directories. */
static inline uint32_t tl_n_files(const struct tl_map *m)
{
	return tl_mounted(m)->n_entries + m->n_made;
}

static inline uint32_t tl_n_dirs(const struct tl_map *m)
{
	return m->shared->tree->n_dirs + m->n_made;
}

/* Another file or directory; its handle. */
int tl_map_make(struct tl_map *m, uint32_t dir, const char *name, bool is_dir, uint32_t *ret);
/* The directory above, and the name, which is the version's. false: it is the root, or none. */
bool tl_dir_above(const struct tl_map *m, uint32_t dir, uint32_t *ret_above, const char **ret);
/* Appends the path of a directory as it was at first, with a '/' at its end. */
void tl_dir_path(const struct tl_map *m, uint32_t dir, struct buffer *out);
/* The name of a file as it was at first: stored, not shown, NUL-ended, and that of the version; and
 * the kind of that, none where files are shown and stored as they are. */
struct str tl_file_name(const struct tl_map *m, uint32_t handle);
enum compiled_kind tl_file_kind(const struct tl_map *m, uint32_t handle);
/* The kind of a name without its last ending, which is *ret; none where that is all. */
enum compiled_kind tl_kind_beside(const char *name, const char **ret);
/* Appends the whole path, NUL-ended. */
int tl_file_path(const struct tl_map *m, uint32_t handle, struct buffer *out);
