/* SPDX-License-Identifier: Zlib */
/*
 * format: what the mounted tree needs to know of a kind of map file.
 *
 * A mounted file is a model in memory; every file of the mount is a lens on it. The model is a
 * chain of snapshots: immutable, ref-counted versions. Worker threads hold the one they were given;
 * the owner's thread holds the newest and replaces it.
 *
 * The operations are in three groups, each but the first a table that may be NULL:
 *   struct format        reading: what is there, and its bytes
 *   struct format_edit   what was written: validated, applied, and at a save the file
 *   struct format_tree   what names mean, new objects, the map that follows from the names, and the
 *                        names that follow from that
 * All are there unless "may be NULL" stands at them.
 *
 * The laws, which the tests run on every file of every map at hand:
 *   Size      st.size, or size() where st.sized is false, is the length of what get gives.
 *   GetPut    to put what get gave is no change at all.
 *   PutGet    after a put of b, get gives b in canonical form, and putting that is no change.
 *   Locality  a put changes no other item or blob than the ones the lens shows and what it declares
 *             as derived.
 *             (A put is parse and apply: format_put.)
 *   Questions no operation on a const snapshot changes what a later one answers.
 *
 * Threads. open runs before anybody sees the map, probe and companion on any thread.
 *   owner     lookup stat list, meaning add: cheap, for everybody waits (no large inflate).
 *   workers   size get note, parse apply derive sound check encode verify same, finalize names:
 *             several at a time.
 * What is counted is freed on whichever thread lets go last.
 *
 * Ownership. What comes in is borrowed for the call; who needs a snapshot, a file or an extent for
 * longer takes a reference. What goes out through ret is the caller's. Where a call takes struct
 * snapshot **s, it takes over the reference in *s on success and leaves one of the new version; on
 * failure *s is as it was. A call may change *s in place if it holds the only reference.
 * Snapshots and plans begin with a head that says how they are freed; a format puts its own fields
 * behind it.
 *
 * Errors. 0 or -errno, the reason in e (which may be NULL); ret is set on success only, but where
 * that is said. -EINVAL is a refusal, and its text, which a person reads, names line, column or
 * field, value and bound. -EAGAIN, -EFBIG, -ENOENT, -EIO and -EROFS are where they are said; any
 * other is transient (error_is_transient). Names that go out have room for NAME_MAX + 1 bytes.
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
 * An entry of the mount, by a number that the format computes from the path's place at the time of
 * the mount: it holds still while the map is mounted, and nothing is kept for it. 0 is the root
 * directory. Entries made later (add) have numbers of their own from the same space.
 *
 * Bit 0 is the form. An object that can be shown in two (an image as .png or as .json, of which one
 * stands) has two numbers that differ in it alone; it is 0 in all others.
 */
typedef uint64_t entry_id;
enum { ENTRY_ID_BITS = 44, ENTRY_ROOT = 0, ENTRY_FORM = 1 };

/* One that is no entry of the base. */
#define ENTRY_NONE UINT64_MAX

/* One number for both forms of an object. */
static inline entry_id entry_object(entry_id id)
{
	return id & ~(entry_id)ENTRY_FORM;
}

enum { FORMAT_SIZE_MAX = INT32_MAX }; /* bytes of any file */

struct file_attr {
	entry_id id;
	bool is_dir;
	bool is_writable;        /* a file that parse serves */
	bool has_size;           /* size is known; else ask size(), on a worker */
	bool is_size_on_demand;  /* ... when somebody asks for that one, and not in a listing */
	bool has_mtime;          /* the format knows a time of its own (archives); else the map's */
	bool is_cleared_by_save; /* a file that is always there: removed, it is empty after the next
				    save */
	bool is_restored; /* its object cannot be without it: removed, it stays in the map as it was
			   */
	bool is_cleared_by_mount; /* a part that is always there: removed, it is empty in the next
				     mount */
	bool is_permanent;        /* it can be neither removed nor renamed (EPERM) */
	/* It shows what follows from the rest of the map: what is written to it is dropped, by
	 * put, and so is what is renamed over it; removed, it is back when it is made again or
	 * the map is saved. No change, and nothing for the journal. With fixed; its name means
	 * NAME_GENERATED to a mount that does not have it. */
	bool is_generated;
	const char *listed_name; /* of lookup, where names fold: the listed one, the snapshot's; or
				    NULL */
	uint64_t size;
	uint64_t max_size; /* bytes that parse would ever accept; 0: FORMAT_SIZE_MAX */
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

/* With one reference, its maker's. */
void snapshot_init(struct snapshot *s, const struct format *f, void (*free)(struct snapshot *s));
struct snapshot *snapshot_ref(const struct snapshot *s);
void snapshot_unref(struct snapshot *s);
DEFINE_CLEANUP(struct snapshot, snapshot_unref);

/* Reading. */

/* An option of -o that a format reads (its value with format_option). */
struct format_setting {
	const char *key;           /* "raw" */
	const char *const *values; /* NULL-ended: what it may be. NULL: the name of a file */
	uint32_t min, max;         /* ... or, unless most is 0, a number from it to most, or 0 */
	bool changes_meaning; /* names and contents mean something else with it: a journal holds it
			       */
	const char *help;     /* for --help, what it does in a few words */
};

struct format {
	const char *name; /* "teeworlds"; for --format */
	/* Of file names, without the dot, NULL-ended: which format --new takes. What an existing
	 * file is, probe alone says. */
	const char *const *endings;
	/* Patterns of the paths of files that say what a map is and how it is played, NULL-ended:
	 * what a search of many maps looks at. May be NULL: none. */
	const char *const *text_patterns;
	/* Ended by a key of NULL; one key means the same in all formats. May be NULL: none. */
	const struct format_setting *settings;
	/* Names of one file, for lookup and for what the tree adds, are those of one folded form
	 * (NAME_MAX + 1 bytes of room); in any ASCII case they are the same then. May be NULL: a
	 * name is no other's. */
	void (*fold)(const char *name, char *ret);
	/* Maps keep the times of their files: what is kept of one that a program set, which
	 * finalize is told of (stamp). NULL: they keep none. */
	struct timespec (*kept_time)(struct timespec t);
	/* Names begin with an object's position, which each mount deals anew. */
	bool has_positions;
	/* What a file shows may follow from what is written to others: raw data, tables of a layer
	 * that gets another size, pictures. Else each stands for itself. */
	bool has_dependent_files;
	/* `mapfs --new` makes maps of it; else that is refused. */
	bool can_create;

	/* Cheap look at the first bytes: is it this format's to accept or to refuse? */
	bool (*probe)(const struct source *src, const uint8_t *head, size_t n);

	/* A map of two files: candidate i (from 0) for the name of files[1] beside the file `name`;
	 * false: there is none. What is found in any case of letters is opened, and n_files is 2;
	 * without, open says what is missing. A new map's is candidate 0. May be NULL: a map is one
	 * file. */
	bool (*companion)(const char *name, unsigned i, char *ret);

	/* Reads the tables only. A file whose tables cannot be trusted: -EINVAL naming field, value
	 * and bound. src's references are taken over as needed (file_ref). Where `creates`, a
	 * source without files gives an empty map. It shows the entries that any map has, and what
	 * a game needs besides is for finalize to add. */
	int (*open)(const struct source *src, const struct format_context *ctx,
		struct snapshot **ret, struct error *e);

	/* The names of lookup and list are those of the mount, whatever was added or moved since:
	 * that is the tree's to know. -ENOENT where there is no such name. lookup need not find the
	 * size of a file, also where stat does. */
	int (*lookup)(const struct snapshot *s, entry_id dir, const char *name,
		struct file_attr *ret, struct error *e);
	/* Of any entry, also of one that add made. What has no content yet is an error; ret->most
	 * and ret->fixed count even so. */
	int (*stat)(const struct snapshot *s, entry_id id, struct file_attr *ret, struct error *e);
	/* The entry at *cookie (begin with 0) and the cookie of the next. 1: an entry, 0: the end.
	 */
	int (*list)(const struct snapshot *s, entry_id dir, uint64_t *cookie, char *name,
		struct file_attr *ret, struct error *e);

	/* The length of a file, sized or not. What took time to find is kept with the snapshot
	 * where that pays, and stat says it from then on. May be NULL where all are sized. */
	int (*size)(const struct snapshot *s, entry_id id, uint64_t *ret, struct error *e);
	/* Bytes [off, off + n) of the file, n cut to its end by the caller (who knows the size). n
	 * may be 0 and dst NULL then: can the file be shown at all? -EIO: it is a part of the
	 * map that cannot. */
	int (*get)(const struct snapshot *s, entry_id id, uint64_t off, void *dst, size_t n,
		struct error *e);

	/* What a person should know of a file, such as why it is not shown as others are; -ENODATA:
	 * nothing. May be NULL. */
	int (*note)(const struct snapshot *s, entry_id id, struct bytes **ret, struct error *e);

	/* Where NULL: the mount is read-only; all new names are scratch, and nothing of the map can
	 * be removed or renamed; a save changes no path. */
	const struct format_edit *edit;
	const struct format_tree *tree;
	const struct format_preview *preview; /* preview.h; may be NULL: it draws nothing */
};

/* Editing. */

/*
 * The bytes of one file as they were closed. They are counted, because what was parsed of them and
 * blobs that are composed of them decode them again. Immutable but for content_move.
 */
struct content {
	atomic_uint refs;
	struct extent bytes;
};

struct content *content_new(const struct extent *x); /* takes a reference of its own; or NULL */
struct content *content_ref(struct content *c);
void content_unref(struct content *c); /* NULL is fine */
DEFINE_CLEANUP(struct content, content_unref);
/* The same bytes are read from x from now on; a reference is added. Only before another thread
 * knows c. */
void content_move(struct content *c, const struct extent *x);

/*
 * A parsed value: the result of parse for the content of one file. It is a patch: each build of a
 * map applies it again. Valid for this content, this entry and this base. Immutable and counted; a
 * format puts its own fields behind it.
 */
struct parsed {
	atomic_uint refs;
	void (*finish)(struct parsed *p); /* drops what the format added; NULL: nothing */
	struct content *content;          /* owned reference */
	entry_id id;            /* of which entry of the base; ENTRY_NONE: of an object or part
				 * that was made since */
	bool is_unchanged;      /* the entry of the base shows the same */
	int refusal_errno;      /* 0, or -errno: it is not valid, because of ... */
	char *refusal;          /* ... this; NULL: no memory for it */
	bool depends_on_others; /* ... which other files may change (error_set_unresolved) */
};

/* A struct of `size` bytes that begins with struct parsed, all else zero, with one reference. Adds
 * a reference to c. NULL: no memory. */
void *parsed_new(size_t size, struct content *c, void (*finish)(struct parsed *p));
/* The end of a parse, which gave r: 0: *ret is p; else p is dropped. Returns r. */
int parsed_give(struct parsed *p, int r, struct parsed **ret);
struct parsed *parsed_ref(const struct parsed *p); /* NULL is fine, here and below */
void parsed_unref(struct parsed *p);
DEFINE_CLEANUP(struct parsed, parsed_unref);

/* A file of the tree that has bytes of its own. */
struct written_file {
	entry_id id;
	const struct parsed *parsed;
	bool is_refused; /* by a save before: it decides for no others */
};

/* The rest of the tree, beside the file that is applied: where objects stand, and the other files.
 */
struct build_context {
	const struct placement *placements; /* objects that are new, moved or gone */
	size_t n_placements;
	const struct written_file *files; /* in the order of their paths */
	size_t n_files;
};

/* What encode wrote where; extended and freed likewise. */
struct plan {
	void (*free)(struct plan *p);
};

void plan_free(struct plan *p); /* accepts NULL */
DEFINE_CLEANUP(struct plan, plan_free);

/* What is wrong with a map. What does not apply is "". */
struct format_fault {
	bool is_warning;   /* a game takes the map, and warns or does without the part */
	const char *path;  /* in the mount; "": the map as a whole */
	const char *field; /* in words of that file, or of the map's file */
	const char *value;
	const char *bound; /* what it may be */
	const char *text;  /* all of that but the path */
	const char *line;  /* ... and the path */
};

/* What it takes to change a map and to write it. */
struct format_edit {
	/*
	 * Decode and validate the content of the file id, alone. s: the base, with the objects that
	 * were made since and have no content. What a name in the file refers to is not looked up.
	 * -EINVAL: the content is refused; with error_set_unresolved because of other files, so the
	 * close succeeds and the save refuses it. -EIO: data of the map that the file needs beside
	 * it is damaged. -EROFS: the options make the file read-only. Takes time.
	 */
	int (*parse)(const struct snapshot *s, entry_id id, struct content *c, struct parsed **ret,
		struct error *e);
	/*
	 * Make id in *s show what was parsed. p: NULL if a `lasting` file was removed: its empty
	 * form (a table of zeros). others: a name in the file is looked up there first, then among
	 * the names that s had when it was opened; NULL: only among those. *ret_changed: *s is
	 * another map now, also with -EAGAIN. like (may be NULL): a map that was built before;
	 * blobs that it composed of the same are taken from it. Cheap: nothing is encoded. -EINVAL:
	 * it cannot be so; if error_set_unresolved is set, other files decide that. -EAGAIN: it
	 * waits for other files. Other codes as those of parse.
	 */
	int (*apply)(struct snapshot **s, entry_id id, const struct parsed *p,
		const struct build_context *others, const struct snapshot *like, bool *ret_changed,
		struct error *e);
	/* Does what open gave hold together? Asked when it was opened, for a look that takes no
	 * time, and before the first change, on a worker, for one at all of it. -EINVAL, -EIO: it
	 * is shown, and not to be changed. May be NULL: it does. */
	int (*check_sound)(const struct snapshot *s, bool all, struct error *e);
	/* Find what is wrong with a map, and report each fault to why(). -EINVAL: a game refuses
	 * the map; e says what the faults have in common. Other faults are warnings (warned). May
	 * be NULL: nothing is ever wrong. At a save, `before` is the map as it was mounted or last
	 * saved. A fault that it has, too, is not reported, and content is decoded only where it
	 * differs from it. If `before` is NULL, all faults of the map and of its file are reported,
	 * and all content is decoded. */
	int (*check)(const struct snapshot *before, const struct snapshot *s,
		void (*why)(void *arg, const struct format_fault *f), void *arg, struct error *e);

	/* Write all of it; outs[i] is the file i of the source, and errors of writing are kept
	 * there (replace_write). force: encode every item and blob anew instead of copying what did
	 * not change (a test of the codecs). *ret is for verify, and may be NULL. */
	int (*encode)(const struct snapshot *s, struct replace *const outs[], bool force,
		struct plan **ret, struct error *e);
	/* Read what encode wrote back: tables, changed blobs, copied ranges. -EIO, or what reading
	 * gave: it is not what was meant, and the old map stays. */
	int (*verify)(const struct snapshot *s, const struct plan *p, const struct source *written,
		struct error *e);

	/*
	 * Would both be the same file? a is the map as it was mounted or last saved, b what
	 * finalize gave; yes: nothing is written. May say no where it would take decoding to know.
	 * Also asked at the first save of a new map, of which no file says anything yet: where
	 * finalize leaves such a map as it is, no is the answer. May be NULL: never.
	 */
	bool (*same)(const struct snapshot *a, const struct snapshot *b);
};

/*
 * Structure. The model of a mounted map keeps its objects (images, sounds, envelopes, groups,
 * layers) in the places they had at the mount, for good; new ones are appended (add) and are part
 * of no saved map until they are placed. Which objects there are, where and under what name, is the
 * tree's to know; at a save it tells the format (finalize), which derives the map to be written. So
 * everything that was undone before the save leaves no trace.
 */
enum name_kind {
	NAME_SCRATCH, /* the name means nothing here */
	NAME_OBJECT,  /* it names an object of the directory's kind */
	NAME_PART,    /* it names a part of the object that the directory is */
	/* Scratch that some tool makes of the file of the same name without the last ending: where
	 * that is in the map, it is dropped at the end and no more than counted. */
	NAME_BY_PRODUCT,
	/* Scratch by the name of an entry that another mount of the map shows as derived. */
	NAME_GENERATED,
};

/* What a name in a directory means, whether anything stands there or not. */
struct name_class {
	enum name_kind kind;
	/* It is the identity of what was there at the mount, object or part: `id`, in the form that
	 * the name's ending says (a .png of an image that is external: the PNG of that image). */
	bool is_known;
	entry_id id;
	entry_id form;                /* ENTRY_FORM or 0: the form that the ending says */
	char alternate[NAME_MAX + 1]; /* the name of the other form at the same place; "": none */
	bool accepts_object;          /* the object that was asked about can be renamed to it */
	bool is_position_only;        /* digits alone, before an ending, are one and no name */
	char reason[96]; /* of scratch: why it means nothing, "images/ takes .png and .json"; or ""
			  */
};

struct placement {
	entry_id id;      /* an object, in any of its forms */
	entry_id dir;     /* the directory that it stands in */
	const char *name; /* the path's last component; NULL: that of the mount, and its place */
	uint32_t order; /* of those that were made or moved to one position, lower ones are first */
	bool is_removed;   /* it leaves the map; dir and name do not count */
	bool is_absent;    /* finalize says: it is new, its parts never came, and it is in no map */
	bool is_time_only; /* nothing of it but a file's time is told */
	struct timespec mtime;
};

#define FORMAT_UNPLACED SIZE_MAX

/* Which names there can be, and the map that follows from where the objects stand. */
struct format_tree {
	/* What name means in dir, for a file or a directory. object (ENTRY_ROOT: none): could that
	 * one, as it is, stand there? Where not, a rename is a copy and a removal. A name that
	 * means something but is refused is an error (-ENAMETOOLONG where it is longer than its
	 * field). */
	int (*classify)(const struct snapshot *s, entry_id dir, const char *name, bool is_dir,
		entry_id object, struct name_class *ret, struct error *e);
	/* A new object or part, without content until it is put; asked for where its name means
	 * one. */
	int (*add)(struct snapshot **s, entry_id dir, const char *name, bool is_dir, entry_id *ret,
		struct error *e);
	/*
	 * The map to be written: s with its objects placed. A part that is `removed` stays
	 * and is told. Listed are the objects that are new, were moved or renamed, or leave, and,
	 * where names fold, those whose name may be written in other letters; all others stay as
	 * they are. Positions in names count as rule 5 of the layout says, and where that leaves it
	 * open, `order`. References follow; those to what left become none, and say() is told. Also
	 * adds what a game needs where the map is a new one. With nothing to do *ret is a reference
	 * to s.
	 * Derived parts that follow from all files that were applied are changed here, once. n is
	 * FORMAT_UNPLACED: only those; the result is what a mount shows, by the names and numbers
	 * of s.
	 */
	int (*finalize)(const struct snapshot *s, struct placement *p, size_t n,
		struct snapshot **ret, format_say say, void *arg, struct error *e);
	/*
	 * What a mount calls the objects of a map that it saves (finalized) where a mount of that
	 * map would call them otherwise: the format's own text, for open (names in struct
	 * format_context). *ret = NULL: nowhere. May be NULL: a save changes no name.
	 */
	int (*names)(const struct snapshot *finalized, struct bytes **ret, struct error *e);
};

/*
 * Parse, also what is refused: then ret->refused says so, and 0 is returned. Errors are only those
 * that may be gone at the next attempt (error_is_transient). id: as parsed.id has it, ENTRY_NONE of
 * an entry that was made; `at`: its number in s.
 */
int content_parse(const struct snapshot *s, entry_id at, entry_id id, struct content *c,
	struct parsed **ret, struct error *e);
/* How many contents this process has parsed so: for tests. */
uint64_t content_parsed_total(void);
/* The refusal, as an error. Returns p->refused. */
int parsed_error(const struct parsed *p, struct error *e);
/* A parsed value that says that the content is refused, with r and the text of `why`, which is
 * cleared. */
int content_refuse(entry_id id, struct content *c, int r, struct error *why, struct parsed **ret);
/* Parse and apply, and what follows, for who changes one file of a map. *ret: the version that has
 * it; NULL: it says what stands there. Also set with -EAGAIN. in: NULL as for apply. */
int format_put(const struct snapshot *s, entry_id id, const struct extent *in,
	const struct build_context *others, struct snapshot **ret, struct error *e);

/* Is the option one that a journal holds (format_setting.changes_meaning)? */
bool format_changes_meaning(const struct format *f, const char *option);

/* The length of any file, on a worker. */
int snapshot_size(const struct snapshot *s, entry_id id, uint64_t *ret, struct error *e);

/* The table of formats (formats.c), NULL-ended; and the first one that claims the file. */
extern const struct format *const formats[];
int format_find(const struct source *src, const struct format **ret, struct error *e);
/* Explains a refusal (r and e, of format_find or of open): if r is -EINVAL and the first bytes show
 * another kind of file, e becomes "is a zip archive, not a map". Returns r. */
int format_explain(const struct source *src, int r, struct error *e);
