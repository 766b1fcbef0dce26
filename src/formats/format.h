/* SPDX-License-Identifier: Zlib */
/*
 * format: what the mounted tree needs to know of a kind of map file.
 *
 * A mounted file is a model in memory; every file of the mount is a lens on it. The model is a chain
 * of snapshots: immutable, ref-counted versions. Worker threads hold the one they were given; the
 * owner's thread holds the newest and replaces it (apply).
 *
 * The laws, which the tests run on every file of every map at hand:
 *   Size      st.size, or size() where st.sized is false, is the length of what get gives.
 *   GetPut    parse of what get gave is no change at all (*ret == NULL).
 *   PutGet    after parse and apply of b, get gives b in canonical form, and parsing that is no change.
 *   Locality  apply changes no other item or blob than the ones the lens shows and what it declares
 *             as derived.
 *
 * Threads: open, stat, lookup, list, apply and the structural calls run on the owner's thread and
 * must be cheap (no large inflate); size, get, parse, check, encode, verify and rebase run on worker
 * threads, several at a time, and see only snapshots.
 *
 * Errors: 0 or -errno, the reason in e. -EINVAL from parse is a refusal of what the user wrote (the
 * text names line, field, value and bound); -EIO is a part of the map that cannot be shown.
 */
#ifndef FORMATS_FORMAT_H
#define FORMATS_FORMAT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "base/budget.h"
#include "base/error.h"
#include "base/file.h"
#include "base/replace.h"
#include "base/spool.h"

/*
 * An entry of the mount, by a number that the format computes from the path's place at the time of
 * the mount: it holds still while the map is mounted, and nothing is kept for it. 0 is the root
 * directory. Entries made later (add) have numbers of their own from the same space.
 */
typedef uint64_t entry_id;
enum { ENTRY_ID_BITS = 44, ENTRY_ROOT = 0 };

struct entry {
	entry_id id;
	bool dir;
	bool writable;  /* a file that parse serves */
	bool sized;     /* size is known; else ask size() on a worker, which remembers it */
	bool has_mtime; /* the format knows a time of its own (archives); else the map's */
	bool fixed;     /* a directory that cannot be removed (rmdir is EPERM) */
	uint64_t size;
	struct timespec mtime;
};

struct format;

struct snapshot {
	atomic_uint refs;
	const struct format *format;
};

/* Where parse keeps the bytes of new blobs: the journal of the volume (in tests, memory). */
struct store {
	/* Append data, return where it now stands. Any thread. */
	int (*keep)(struct store *s, const struct extent *data, struct extent *ret,
		struct error *e);
	int spool_dirfd; /* for spool_create */
};

/* What a format is opened with; all borrowed but files, and alive as long as any snapshot. */
struct format_context {
	struct budget *budget;
	struct store *store;
	/* "key=value" and "key" of -o, NULL-ended; a format reads those it knows. */
	const char *const *options;
	/* The file that -o names=FILE names, opened before the sandbox, or NULL; borrowed. */
	struct file *names_file;
	/* For the report and the log: what was assumed, repaired, ignored. May be NULL. */
	void (*note)(void *arg, const char *line);
	void *note_arg;
};

enum { FORMAT_FILES_MAX = 2 };

/* The file or files of one map (a PAK and its MAN); files[0] is the one that was named. */
struct source {
	struct file *files[FORMAT_FILES_MAX];
	uint64_t sizes[FORMAT_FILES_MAX];
	unsigned n_files;
	const char *name; /* the file's own name, without directories */
};

/* A parse's result, a format's own. Freed with change_free, whether applied or not. */
struct change;

/* What apply says of other entries: their content, size or times may have changed. */
struct touched {
	entry_id *ids;
	size_t n, room;
	bool all; /* too many to name, or memory was short */
};

void touched_add(struct touched *t, entry_id id);
void touched_finish(struct touched *t);

/* What encode wrote where; a format's own. */
struct plan;

/*
 * Structure. The model of a mounted map keeps its objects (images, sounds, envelopes, groups, layers)
 * in the places they had at the mount, for good; new ones are appended (add) and are part of no saved
 * map until they are placed. Which objects there are, where and under what name, is the tree's to
 * know; at a save it tells the format (settle), which derives the map to be written. So everything
 * that was undone before the save leaves no trace.
 */
enum format_class {
	FORMAT_SCRATCH, /* the name means nothing here */
	FORMAT_OBJECT,  /* it names an object of the directory's kind */
	FORMAT_PART,    /* it names a part of the object that the directory is */
};

struct placement {
	entry_id id;      /* an object, in any of its forms */
	entry_id dir;     /* the directory that it stands in */
	const char *name; /* the path's last component; NULL: it has its name and place of the mount */
	bool removed;     /* it leaves the map; dir and name do not count */
};

struct format {
	const char *name;       /* "teeworlds" */
	const char *const *endings; /* of file names, without the dot, NULL-ended */
	/* Names are the same in any ASCII case, for lookup and for what the tree adds. */
	bool nocase;
	/* Sizes that are not known are found when somebody asks for one, not in a listing. */
	bool late_sizes;

	/* Cheap look at the first bytes: is it this format's to accept or to refuse? */
	bool (*probe)(const struct source *src, const uint8_t *head, size_t n);

	/* A map of two files: candidate i (from 0) for the name of files[1] beside the file `name`;
	 * false: there is none. What is found in any case of letters is opened, and n_files is 2;
	 * without, open says what is missing. A new map's is candidate 0. NULL: one file. */
	bool (*companion)(const char *name, unsigned i, char *ret);

	/* Reads the tables only. A file whose tables cannot be trusted: -EINVAL naming field, value
	 * and bound. src's references are taken over as needed (file_ref). */
	int (*open)(const struct source *src, const struct format_context *ctx,
		struct snapshot **ret, struct error *e);
	void (*free)(struct snapshot *s); /* called by snapshot_unref with the last reference */

	/* -ENOENT where there is no such name. */
	int (*lookup)(const struct snapshot *s, entry_id dir, const char *name, struct entry *ret,
		struct error *e);
	int (*stat)(const struct snapshot *s, entry_id id, struct entry *ret, struct error *e);
	/* The entry at *cookie (begin with 0) and the cookie of the next. 1: an entry, 0: the end.
	 * name has room for NAME_MAX + 1 bytes. */
	int (*list)(const struct snapshot *s, entry_id dir, uint64_t *cookie, char *name,
		struct entry *ret, struct error *e);

	int (*size)(const struct snapshot *s, entry_id id, uint64_t *ret, struct error *e);
	/* Bytes [off, off + n) of the file, n cut to its end by the caller (who knows the size). */
	int (*get)(const struct snapshot *s, entry_id id, uint64_t off, void *dst, size_t n,
		struct error *e);

	/* Judge what was written to id, against s. *ret = NULL: it says what stands there already. */
	int (*parse)(const struct snapshot *s, entry_id id, const struct extent *in,
		struct change **ret, struct error *e);
	/* Replaces *s (whose reference is consumed and renewed) by the changed version. -ESTALE: the
	 * change was made against an older version that differs; parse again. */
	int (*apply)(struct snapshot **s, const struct change *c, struct touched *t,
		struct error *e);
	void (*change_free)(struct change *c);

	/* What a new name in dir would be; a negative errno refuses it (too long for its field: -EINVAL,
	 * with the bound in e). Existing names need not be asked. */
	int (*classify)(const struct snapshot *s, entry_id dir, const char *name, bool is_dir,
		struct error *e);
	/* The entry that name stands for if it is the identity of something that was there at the
	 * mount, in the form that its ending says (a .png of an image that is external: the PNG of
	 * that image); -ENOENT: it would be new. Also for parts. */
	int (*identify)(const struct snapshot *s, entry_id dir, const char *name, entry_id *ret);
	/* One id for all forms of an object (.png and .json of one image), to compare. Others: id. */
	entry_id (*object)(entry_id id);
	/* The name of the other form at the same place ("03_x.json" for "03_x.png"); false: none. ret
	 * has room for NAME_MAX + 1. */
	bool (*other_form)(entry_id id, const char *name, char *ret);
	/* Can the object, as it is, stand at dir/name (a new name, classified as an object)? 0, or
	 * -EINVAL: another ending, another kind of directory. */
	int (*may_move)(const struct snapshot *s, entry_id id, entry_id dir, const char *name,
		struct error *e);
	/* A new object or part, without content until it is put. Consumes and renews *s. */
	int (*add)(struct snapshot **s, entry_id dir, const char *name, bool is_dir, entry_id *ret,
		struct error *e);
	/*
	 * The name under which a mount of the settled map will show the object (ids are those of the
	 * mount that it was settled in); -ENOENT: it is not in it. For the journal, whose paths are
	 * those of the map that it applies to.
	 */
	int (*shown_as)(const struct snapshot *settled, entry_id id, char *name);
	/*
	 * May be NULL. Before files for which parse said -EAGAIN are tried for the last time: where
	 * objects stand now, as for settle. With that, what they name is found by what it is called
	 * now, and no longer waited for. Consumes and renews *s; placements NULL: that is over.
	 */
	int (*situate)(struct snapshot **s, const struct placement *p, size_t n, struct error *e);
	/*
	 * The map to be written: s with its objects placed. A part that is `removed` takes its empty
	 * form (an info text none, a plane zeros) or, where it has none, stays and is told. Listed are the objects that are new,
	 * were moved or renamed, or leave, in the order in which that happened to them last; all
	 * others stay as they are. Positions in names count as rule 5 of the layout says. References
	 * follow; those to what left become none, and say() is told. Also adds what a game needs
	 * where the map was made by create(). With nothing to do *ret is s again.
	 */
	int (*settle)(const struct snapshot *s, const struct placement *p, size_t n,
		struct snapshot **ret, void (*say)(void *arg, const char *line), void *arg,
		struct error *e);
	/* Would both be the same file? May say no where it would take decoding to know. */
	bool (*same)(const struct snapshot *a, const struct snapshot *b);
	/* An empty map for `mapfs --new`; NULL: this format cannot make one. */
	int (*create)(const char *name, const struct format_context *ctx, struct snapshot **ret,
		struct error *e);

	/* Conditions of the whole map that a game insists on, at a save. Faults that `before` (the
	 * map as it was mounted) had already are none. -EINVAL: refused; each reason to why(). */
	int (*check)(const struct snapshot *before, const struct snapshot *s,
		void (*why)(void *arg, const char *line), void *arg, struct error *e);

	/* Write all of it; outs[i] is the file i of the source. force: encode every item and blob
	 * anew instead of copying what did not change (a test of the codecs). */
	int (*encode)(const struct snapshot *s, struct replace *const outs[], bool force,
		struct plan **ret, struct error *e);
	/* Read what encode wrote back: tables, changed blobs, copied ranges. */
	int (*verify)(const struct snapshot *s, const struct plan *p, const struct source *written,
		struct error *e);
	/* s, reading its parts that were written from the written files. s is the version that was
	 * encoded, or the one it was settled from. */
	int (*rebase)(const struct snapshot *s, const struct plan *p, const struct source *written,
		struct snapshot **ret, struct error *e);
	void (*plan_free)(struct plan *p);
};

struct snapshot *snapshot_ref(const struct snapshot *s);
void snapshot_unref(struct snapshot *s);
DEFINE_CLEANUP(struct snapshot, snapshot_unref);

/* The value of key in "key=value" options: "" for a bare key, NULL where it is absent. The last of
 * several counts. */
const char *format_option(const char *const *options, const char *key);

/* The table of formats (formats.c), NULL-ended; and the first one that claims the file. */
extern const struct format *const formats[];
int format_find(const struct source *src, const struct format **ret, struct error *e);

#endif
