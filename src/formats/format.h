/* SPDX-License-Identifier: Zlib */
/*
 * format: the interface between the mounted tree and the code of one kind of map file.
 *
 * An open map is a model in memory, and every file of the mount is a lens on it. The model is a
 * chain of snapshots: immutable, reference-counted versions. The owner holds the newest snapshot
 * and replaces it; a worker thread holds the snapshot that it works on.
 *
 * The operations are in three tables, of which the last two may be NULL:
 *   struct format        reading: the entries and their bytes
 *   struct format_edit   writing: validate and apply contents, check, encode and verify the map
 *   struct format_tree   names: what they mean, new objects, the map that follows from the names
 * An operation may be NULL only if its comment says so.
 *
 * Laws, which the tests check on every file of every map that they have:
 *   Size      file_attr.size, or size() if has_size is false, is the length of the file.
 *   GetPut    putting the bytes that get returned changes nothing.
 *   PutGet    after a put of b, get returns b in canonical form; putting that changes nothing.
 *   Locality  a put changes only the items and blobs that the lens shows, and derived parts.
 *   Questions an operation on a const snapshot does not change the results of later ones.
 * A put is parse and apply (format_put_file).
 *
 * Threads. open runs before another thread knows the map. All other operations may run on any
 * thread, several at a time. lookup, stat, list, classify and add also run on the owner's thread,
 * where all callers wait for them, so they are cheap: they inflate nothing large. The last
 * reference to a counted struct may be dropped on any thread, which frees it.
 *
 * Ownership. A format that needs a snapshot, file or extent after the call takes a reference.
 * Results in ret belong to the caller. A function with an argument struct snapshot **s consumes the
 * reference in *s on success, and stores one to the new version; on failure *s is unchanged (except
 * in apply, with -EAGAIN). It may change *s in place if that is the only reference. A format
 * appends members to struct snapshot, struct plan and struct parsed.
 *
 * Errors. Functions return 0 or -errno, with the reason in e (which may be NULL), and set ret on
 * success only, unless their comment says otherwise. -EINVAL is a refusal: its text is for people,
 * and names the line, column or field, the value and the bound. -EAGAIN, -EFBIG, -ENOENT, -EIO and
 * -EROFS occur where they are documented. All others are transient (error_is_transient). Functions
 * that return NULL do so if memory is exhausted. Buffers for names have NAME_MAX + 1 bytes.
 */
#pragma once

#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "base/budget.h"
#include "base/disk/file.h"
#include "base/disk/spool.h"
#include "base/durable/replace.h"
#include "base/error.h"
#include "formats/source.h"

/*
 * The number of an entry. The format computes it from the entry's place in the map at the time of
 * the mount. It does not change while the map is mounted, and needs no memory. 0 is the root.
 * Entries that add makes later get other numbers from the same space.
 *
 * Bit 0 is the form. An image can be shown as .png or as .json, but exists in one form at a time.
 * The numbers of its two forms differ in bit 0 only. All other entries have 0 there.
 */
typedef uint64_t entry_id;
enum { ENTRY_ID_BITS = 44, ENTRY_ROOT = 0, ENTRY_FORM = 1 };

/* Not an entry of the base (the snapshot of the map as opened or last saved). */
#define ENTRY_NONE UINT64_MAX

/* The number that both forms of an object share. */
static inline entry_id entry_object(entry_id id)
{
	return id & ~(entry_id)ENTRY_FORM;
}

enum { FORMAT_SIZE_MAX = INT32_MAX }; /* largest size of any file, in bytes */

/* File attributes: what a format says about an entry. */
struct file_attr {
	entry_id id;
	bool is_dir;
	bool is_writable;       /* programs may write the file; else EACCES */
	bool has_size;          /* size is valid; if false, call format.size on a worker thread */
	bool is_size_on_demand; /* find the size when the file is looked up, not to list it */
	bool has_mtime;         /* mtime is valid (archives); if false, the map's time applies */
	/* Mandatory entries: */
	bool is_cleared_by_save;  /* a removed file is empty after the next save */
	bool is_restored;         /* a removed file stays in the map, unchanged */
	bool is_cleared_by_mount; /* a removed part is empty in the next mount */
	bool is_permanent; /* rename and unlink: EPERM; rmdir succeeds, but the map keeps it */
	/* A generated file. Bytes written to it, or a file renamed over it, are dropped. It can be
	 * removed, although is_permanent is set, too, and appears again when it is created again or
	 * the map is saved. None of this is a change of the map or enters the journal. In a mount
	 * without this entry, its name is NAME_GENERATED. */
	bool is_generated;
	/* Set by lookup if names fold: the name as list shows it. Owned by the snapshot. */
	const char *listed_name; /* may be NULL */
	uint64_t size;
	uint64_t max_size; /* parse refuses more bytes than this; 0: FORMAT_SIZE_MAX */
	struct timespec mtime;
};

struct format;
struct format_edit;
struct format_tree;
struct format_preview;

struct snapshot {
	atomic_uint refs;
	const struct format *format;
	void (*free)(struct snapshot *s); /* called with the last reference, on any thread */
};

/* Initialize a snapshot with one reference, which the caller holds. */
void snapshot_init(struct snapshot *s, const struct format *f, void (*free)(struct snapshot *s));
struct snapshot *snapshot_ref(const struct snapshot *s); /* NULL is fine */
void snapshot_unref(struct snapshot *s);
DEFINE_CLEANUP(struct snapshot, snapshot_unref);

/* Reading. */

/* An option of -o that a format reads; format_option returns its value. */
struct format_setting {
	const char *key; /* "raw" */
	/* The allowed values, NULL-ended. If NULL, the value is the path of a file or directory,
	 * or, if max is not 0, an integer from min to max, or 0. */
	const char *const *values;
	uint32_t min, max;
	bool changes_meaning; /* changes what names and contents mean, so a journal records it */
	const char *help;     /* for --help: a few words */
};

struct format {
	const char *name; /* "teeworlds"; for --format */
	/* File name extensions without the dot, NULL-ended. They choose the format of a new map;
	 * for an existing file only probe decides. */
	const char *const *extensions;
	/* Patterns of paths, NULL-ended: the files that describe a map and its rules, which a
	 * search over many maps reads. May be NULL: none. */
	const char *const *text_patterns;
	/* Ended by a NULL key. A key means the same in all formats. May be NULL: none. */
	const struct format_setting *settings;
	/* Fold a name to the one case of letters by which names are compared. Two names with equal
	 * results are names of the same file. May be NULL: names are compared as they are. */
	void (*fold)(const char *name, char *ret);
	/* Round a file's time, as a program set it, to the time that a saved map keeps. finalize
	 * gets the time itself (placement.mtime). NULL: maps keep no times of files. */
	struct timespec (*kept_time)(struct timespec t);
	/* Names begin with an object's position, and each mount numbers the objects again. */
	bool has_positions;
	/* A write to one file may change what others show: raw data, tables of a layer that is
	 * resized, pictures. */
	bool has_dependent_files;
	/* `mapfs --new` can make maps of this format. */
	bool can_create;

	/* Is the file of this format, sound or not? A cheap check; head: the first n bytes. */
	bool (*probe)(const struct source *src, const uint8_t *head, size_t n);

	/* Name of the companion beside the file `name`: candidate i, from 0; false if there are no
	 * more candidates. The caller opens the first that exists, in any case of letters; open
	 * reports a missing one. A new map gets candidate 0. May be NULL: a map is one file. */
	bool (*companion)(const char *name, unsigned i, char *ret);

	/* Open a map; read its tables only. -EINVAL if the tables cannot be trusted. Takes
	 * references to src's files as needed. If can_create, a source without files gives an empty
	 * map with the mandatory entries of any map; finalize adds what a game needs besides. */
	int (*open)(const struct source *src, const struct format_context *ctx,
		struct snapshot **ret, struct error *e);

	/* Find a name in a directory. Names of lookup and list are those of the time of the mount;
	 * only the overlay knows later changes. lookup may leave out a size that stat would
	 * give. -ENOENT. */
	int (*lookup)(const struct snapshot *s, entry_id dir, const char *name,
		struct file_attr *ret, struct error *e);
	/* File attributes of any entry, also of one that add made. May fail for an entry without
	 * content; ret->max_size and ret->is_permanent are set nevertheless. */
	int (*stat)(const struct snapshot *s, entry_id id, struct file_attr *ret, struct error *e);
	/* The entry at *cookie, which starts at 0 and is advanced. 1: an entry; 0: the end. */
	int (*list)(const struct snapshot *s, entry_id dir, uint64_t *cookie, char *name,
		struct file_attr *ret, struct error *e);

	/* The size of a file, whatever has_size is. A size that took time to find may be kept with
	 * the snapshot; stat returns it from then on. May be NULL if has_size is always set. */
	int (*size)(const struct snapshot *s, entry_id id, uint64_t *ret, struct error *e);
	/* Read bytes [off, off + n) of the file; the caller ensures that they are within its size.
	 * With n == 0, dst may be NULL: the call only tests whether the file can be shown. -EIO: a
	 * damaged part of the map. */
	int (*get)(const struct snapshot *s, entry_id id, uint64_t off, void *dst, size_t n,
		struct error *e);

	/* A text about a file for people, such as why it is shown in another way than usual.
	 * -ENODATA: none. May be NULL. */
	int (*note)(const struct snapshot *s, entry_id id, struct bytes **ret, struct error *e);

	/* edit NULL: the mount is read-only. tree NULL: all new names are scratch, and no entry can
	 * be removed or renamed. `edit` needs `tree`, because a build calls both. */
	const struct format_edit *edit;
	const struct format_tree *tree;
	const struct format_preview *preview; /* preview.h; may be NULL: no pictures */
};

/* Editing. */

/* The bytes of one closed file. Parsed values and composed blobs hold references, and decode the
 * bytes again. Immutable, except by content_move. */
struct content {
	atomic_uint refs;
	struct extent bytes;
};

struct content *content_new(const struct extent *x); /* takes its own reference to x's bytes */
struct content *content_ref(struct content *c);      /* NULL is fine */
void content_unref(struct content *c);
DEFINE_CLEANUP(struct content, content_unref);
/* Read the same bytes from x from now on; takes a reference to x's bytes. Call it only before
 * another thread knows c. */
void content_move(struct content *c, const struct extent *x);

/* A parsed value: the result of parse for the content of one file. It is a patch that each build of
 * a map applies again. It is valid for this content, entry and base only. Immutable. */
struct parsed {
	atomic_uint refs;
	void (*finish)(struct parsed *p); /* drops the members that the format added; or NULL */
	struct content *content;          /* owned reference */
	entry_id id;            /* an entry of the base; ENTRY_NONE for a newer object or part */
	bool is_unchanged;      /* the entry of the base shows the same */
	int refusal_errno;      /* 0 if the content is valid, else -errno */
	char *refusal;          /* the reason; NULL if valid, or if there was no memory for it */
	bool depends_on_others; /* the refusal may end if other files change (unresolved) */
};

/* Allocate a zeroed struct of `size` bytes that begins with a struct parsed, and initialize that
 * with one reference. Takes its own reference to c. */
void *parsed_new(size_t size, struct content *c, void (*finish)(struct parsed *p));
/* Finish a parse with the result r: if r is 0, store p in *ret, else drop it. Returns r. */
int parsed_finish(struct parsed *p, int r, struct parsed **ret);
struct parsed *parsed_ref(const struct parsed *p); /* NULL is fine */
void parsed_unref(struct parsed *p);
DEFINE_CLEANUP(struct parsed, parsed_unref);

/* A file of the overlay that has content. */
struct written_file {
	entry_id id;                 /* in the map that is built */
	const struct parsed *parsed; /* of its content, even if that is refused */
	bool is_refused; /* by an earlier save or close; other files need not agree with it */
};

/* The overlay, for apply: the places of objects, and all written files, including the one that is
 * applied. */
struct build_context {
	const struct placement *placements; /* objects that are new, moved or removed */
	size_t n_placements;
	const struct written_file *files; /* sorted by path */
	size_t n_files;
};

/* A record of what encode wrote, and where; verify reads it. */
struct plan {
	void (*free)(struct plan *p);
};

void plan_free(struct plan *p);
DEFINE_CLEANUP(struct plan, plan_free);

/* A fault of a map. Strings that do not apply are ""; they are valid during a call of why(). */
struct format_fault {
	bool is_warning;   /* a game loads the map, but warns or ignores the part */
	const char *path;  /* in the mount; "": the map as a whole */
	const char *field; /* named as in that file, or as in the map's file */
	const char *value;
	const char *bound; /* the allowed values */
	const char *text;  /* a sentence with field, value and bound */
	const char *line;  /* path and text */
	/* The format's own record of the fault, for its fix tool; valid as long as the strings.
	 * NULL: there is none, and so no repair. */
	const void *record;
};

struct format_edit {
	/*
	 * Decode and validate the content of the file id, without regard to other files. s: the
	 * base, plus new objects without content. Names in the file are not looked up. Takes time.
	 * -EINVAL: the content is refused; with error_set_unresolved because of other files, so the
	 * close succeeds, and the save refuses it. -EIO: other data of the map, which the file
	 * needs, is damaged. -EROFS: the options make the file read-only.
	 */
	int (*parse)(const struct snapshot *s, entry_id id, struct content *c, struct parsed **ret,
		struct error *e);
	/*
	 * Make the entry id of *s show the parsed value p. Cheap: encodes nothing.
	 *
	 * p: NULL for a removed part that is_cleared_by_mount: show its empty form (a table of
	 * zeros). others: names in the file are looked up there first, then among the names of s at
	 * the time of the mount; NULL: only among those. like: a map that was built before, or
	 * NULL; blobs that it composed of the same content are shared. *ret_changed: whether *s
	 * is now a different map, which it can be with -EAGAIN, too.
	 *
	 * -EINVAL: the value is refused, with error_set_unresolved if because of other files.
	 * -EAGAIN: the value needs other files that are not applied yet. -EIO, -EROFS: as parse.
	 */
	int (*apply)(struct snapshot **s, entry_id id, const struct parsed *p,
		const struct build_context *others, const struct snapshot *like, bool *ret_changed,
		struct error *e);
	/* Check that a map is consistent. all is false at the mount, for a cheap check, and true on
	 * a worker thread before the first change, and after the save of a doubtful map. -EINVAL or
	 * -EIO: it can be shown, but not changed. May be NULL: always consistent. */
	int (*check_sound)(const struct snapshot *s, bool all, struct error *e);
	/* Find the faults of a map, and report each to why(). -EINVAL: a game refuses the map; e
	 * says what the faults have in common. Other faults are warnings (is_warning). May be NULL:
	 * maps have no faults.
	 * At a save, `before` is the base. Faults that the base has, too, are not reported, and
	 * content is decoded only if it differs from the base. If `before` is NULL, all content is
	 * decoded, and all faults of the map and of its file are reported. */
	int (*check)(const struct snapshot *before, const struct snapshot *s,
		void (*why)(void *arg, const struct format_fault *f), void *arg, struct error *e);

	/* Write the map; outs[i] replaces file i of the source, and keeps errors of writing
	 * (replace_write). force: encode every item and blob instead of copying unchanged ones, to
	 * test the codecs. *ret is for verify; NULL if that needs none. -EFBIG: too large a map. */
	int (*encode)(const struct snapshot *s, struct replace *const outs[], bool force,
		struct plan **ret, struct error *e);
	/* Read back what encode wrote (tables, changed blobs, copied ranges), and compare it with
	 * s. p: the plan of encode, or NULL. The save fails on any error. -EIO: they differ. */
	int (*verify)(const struct snapshot *s, const struct plan *p, const struct source *written,
		struct error *e);

	/* Would both maps give the same file? a is the base, b is finalized. If true, the save
	 * writes nothing. May return false if only decoding could tell. For the first save of a new
	 * map, whose base has no file, it must return false. May be NULL: always false. */
	bool (*same)(const struct snapshot *a, const struct snapshot *b);
};

/*
 * Structure. The model of a mounted map keeps its objects (images, sounds, envelopes, groups,
 * layers) in the places that they had at the mount. New objects are appended (add), and are in no
 * saved map until they are placed. The overlay knows which objects exist, where, and under what
 * name. At a save it passes their placements to finalize, which derives the map to be written. So a
 * change that is undone before the save leaves no trace.
 */
enum name_kind {
	NAME_SCRATCH, /* no part of the map */
	NAME_OBJECT,  /* an object of the directory's kind */
	NAME_PART,    /* a part of the object that the directory is */
	/* Scratch: a by-product of the file of the same name without the last extension. If that
	 * file is in the map, the by-product is dropped at the unmount, and only counted. */
	NAME_BY_PRODUCT,
	/* Scratch with the name of a generated file, which this mount does not show. */
	NAME_GENERATED,
};

/* A name class: what a name in a directory would be, whether or not it exists. */
struct name_class {
	enum name_kind kind;
	/* `id` is the object or part that had this name at the mount. The name's extension decides
	 * the form of `id`: an image that the map has as .json gives its PNG form for .png. */
	bool is_known;
	entry_id id;
	entry_id form;                /* ENTRY_FORM or 0, by the extension */
	char alternate[NAME_MAX + 1]; /* the name of the other form at the same place; or "" */
	bool accepts_object;          /* the `object` of classify can be renamed to this name */
	bool is_position_only;        /* digits before the extension are a position, not a name */
	char reason[96]; /* why it is scratch, "images/ takes .png and .json"; may be "" */
};

/* A placement: where an object goes in the saved map. */
struct placement {
	entry_id id;       /* an object, in any of its forms */
	entry_id dir;      /* the directory that contains it */
	const char *name;  /* in dir; NULL: name and place are those of the mount */
	uint32_t order;    /* sorts objects that are new at, or moved to, the same position */
	bool is_removed;   /* it leaves the map; dir and name are ignored */
	bool is_absent;    /* set by finalize: a new object whose parts never came; in no map */
	bool is_time_only; /* only id and mtime, the file's time, are set */
	struct timespec mtime;
};

#define FORMAT_UNPLACED SIZE_MAX

struct format_tree {
	/* Find the name class of a file or directory in dir. object: also test whether this object
	 * can be renamed to the name (accepts_object); if not, a rename is a copy and a removal.
	 * ENTRY_ROOT: no object. Fails for a name of an object or part that the format refuses
	 * (-ENAMETOOLONG if it is longer than its field). */
	int (*classify)(const struct snapshot *s, entry_id dir, const char *name, bool is_dir,
		entry_id object, struct name_class *ret, struct error *e);
	/* Add an object or part, without content until apply. The name is NAME_OBJECT or
	 * NAME_PART. */
	int (*add)(struct snapshot **s, entry_id dir, const char *name, bool is_dir, entry_id *ret,
		struct error *e);
	/*
	 * Finalize: derive the map to be written from s and the placements p. *ret may be a
	 * reference to s.
	 *
	 * p lists the objects that are new, moved, renamed or removed, and, if names fold, those
	 * whose name may differ in case; all others stay as they are. Positions in the names decide
	 * the order of objects, then placement.order. References follow the objects; references to
	 * removed objects become empty, which say() reports. A removed part stays in the map, and
	 * is reported. A new map gets what a game needs.
	 *
	 * Derived parts that depend on all applied files are updated here, once. If n is
	 * FORMAT_UNPLACED, only this is done: *ret keeps the names and numbers of s, for a mount to
	 * show; p and say are NULL.
	 */
	int (*finalize)(const struct snapshot *s, struct placement *p, size_t n,
		struct snapshot **ret, format_say say, void *arg, struct error *e);
	/*
	 * The name table of a saved map: the names that the mount keeps showing after the save,
	 * where a new mount would choose others. The text is the format's own; open reads it
	 * (format_context.names). *ret is NULL if no name differs. May be NULL: a save changes no
	 * name.
	 */
	int (*names)(const struct snapshot *finalized, struct bytes **ret, struct error *e);
};

/* Parse a content. If it is refused, the function returns 0 and sets ret->refusal_errno; it returns
 * transient errors only. id: for parsed.id, ENTRY_NONE for an entry that add made; at: the entry's
 * number in s. */
int content_parse(const struct snapshot *s, entry_id at, entry_id id, struct content *c,
	struct parsed **ret, struct error *e);
/* Number of content_parse calls in this process, for tests. */
uint64_t content_parsed_total(void);
/* Set e to the refusal of p, which must be refused. Returns p->refusal_errno. */
int parsed_error(const struct parsed *p, struct error *e);
/* Make the parsed value of a content that is refused with the error r and the text of `why` (if
 * that is unset, of r). Clears `why`; if -ENOMEM is returned, `why` has that error instead. */
int content_refuse(entry_id id, struct content *c, int r, struct error *why, struct parsed **ret);
/* Put one file: parse, apply and finalize without placements. Sets *ret, on success or -EAGAIN, if
 * the map changed; else *ret is untouched. in: NULL for the empty form, as for apply. */
int format_put_file(const struct snapshot *s, entry_id id, const struct extent *in,
	const struct build_context *others, struct snapshot **ret, struct error *e);

/* Does the option ("key" or "key=value") change what names mean (format_setting)? */
bool format_changes_meaning(const struct format *f, const char *option);

/* Size of a file, from stat or size. Not for the owner's thread. */
int snapshot_size(const struct snapshot *s, entry_id id, uint64_t *ret, struct error *e);

extern const struct format *const formats[]; /* formats.c; NULL-ended */
/* Find the first format whose probe accepts files[0]. -EINVAL: none; calls format_explain. */
int format_find(const struct source *src, const struct format **ret, struct error *e);
/* Improve the text of the result r of open: if r is -EINVAL and the first bytes show another kind
 * of file, e becomes "is a zip archive, not a map". Returns r. */
int format_explain(const struct source *src, int r, struct error *e);
