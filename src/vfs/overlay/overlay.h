/* SPDX-License-Identifier: Zlib */
/*
 * overlay: a tree of names over a base, as overlay file systems have it.
 *
 * Nothing is kept of an entry of the base that nobody touched. What differs has an `upper`: a file
 * with bytes of its own, what was made, what stands elsewhere than in the base (whose entry it came
 * from is `from`), a whiteout where the base has something and nothing stands; and the directories
 * that these are in. That is all: how the tree came to be is not in it. A mount keeps uppers of
 * what the kernel knows, too (`node`), which differ in nothing.
 *
 * Errors are those that a program hears from a mount. One thread at a time.
 */
#pragma once

#include <sys/queue.h>

#include "base/hash.h"
#include "formats/build.h"
#include "vfs/journal/journal.h"

struct inode;

struct oentry {
	struct hash_link link; /* by directory and name; first */
	struct oentry *parent; /* NULL: the root, and what stands nowhere any more */
	TAILQ_HEAD(oentries, oentry) children;
	TAILQ_ENTRY(oentry) siblings;
	char *name;
	uint64_t serial;     /* no other one has, or had, in this overlay */
	uint64_t position;   /* grows in the order of `below` */
	struct inode *inode; /* who holds it, so that it is not freed; or NULL */
	bool is_dir, is_whiteout;
	bool is_scratch; /* a file whose name means nothing where it stands */
	bool is_moved;   /* the base has not `from` here */
	entry_id origin; /* in the base; ENTRY_NONE: it was made */
	entry_id id; /* in `shape`. Of a directory ENTRY_NONE: it means nothing; of a file that was
		      * made ENTRY_NONE: overlay_identify was not asked */
	bool is_new; /* that is no entry of the base */
	bool has_content;       /* it has bytes of its own */
	struct extent bytes;    /* ... these */
	struct extent accepted; /* what was accepted before, where `in` was refused; or empty */
	/* The parsed values of `in` and `last`; without bytes of its own, the first is that of the
	 * file that it shows. Owned references; NULL: not parsed yet. */
	struct parsed *parsed, *accepted_parsed;
	char *refusal; /* ... for this reason; NULL: it was not, "": nobody judged it yet */
	bool has_mtime;
	struct timespec mtime;       /* that somebody set */
	struct snapshot *frozen_map; /* a base of before, of which it still shows `was`; or NULL */
	entry_id frozen_id;
	struct oentry *successor; /* rebase.c: what stands for it in the next tree */
};

struct overlay {
	struct snapshot *base;
	struct snapshot *shape;   /* the base with the objects that were made, without content: what
				   * names in directories that were made mean, and for what content is
				   * parsed */
	struct snapshot *view;    /* where files show what others hold: a map that was built of this
				   * tree (vfs/tree/view.h); at first the base */
	struct snapshot *unsaved; /* the map of a save that failed, with its composed blobs; NULL:
				   * the view has them */
	struct hash names;
	struct oentry *root;
	uint64_t last_serial, last_position; /* that were dealt */
	struct oentry *last_listed;          /* before the last that overlay_after gave, or NULL */
	/* A file is about to leave without being asked for, since the other form of its object
	 * takes its place; u may be NULL. Set by who wants to know. */
	void (*on_form_change)(void *arg, struct oentry *dir, struct oentry *u, const char *name);
	void *arg;
};

/* Takes a reference to base. */
int overlay_create(const struct snapshot *base, struct overlay **ret);
void overlay_destroy(struct overlay *o);
DEFINE_CLEANUP(struct overlay, overlay_destroy);

/* One that stands in the tree; good until the next change. */
struct spot {
	struct oentry *oentry; /* NULL: it is as in the base */
	entry_id id;           /* as upper.id */
	bool is_dir;
	const char *name; /* ... what the base calls it; NULL: as it was asked for */
};

/* The version that says which names the base has: where files show what others hold, there may be
 * more or fewer of them by now. */
static inline const struct snapshot *overlay_names(const struct overlay *o)
{
	return o->base->format->has_dependent_files ? o->view : o->base;
}

/* The snapshot that a file without bytes of its own is read from. u may be NULL: the entry is as in
 * the base. A moved file may have left its object to another file, so it shows the base. */
static inline const struct snapshot *overlay_shown(const struct overlay *o, const struct oentry *u)
{
	if (u && u->frozen_map)
		return u->frozen_map;
	return u && u->is_moved ? o->base : overlay_names(o);
}

struct spot overlay_root(const struct overlay *o);
struct spot oentry_spot(struct oentry *u);
int overlay_lookup(
	const struct overlay *o, const struct spot *dir, const char *name, struct spot *ret);
/* Of a path below the root (path_next of base/name.h); "" is the root. */
int overlay_find(const struct overlay *o, const char *path, struct spot *ret);
/* Call fn for each name in a directory, those of the base first, until it returns nonzero. Returns
 * what fn returned last, or -errno. */
int overlay_list(const struct overlay *o, const struct spot *dir,
	int (*fn)(void *arg, const char *name, const struct spot *s), void *arg);
bool overlay_is_empty(const struct overlay *o, const struct spot *dir);
/* As stat has it; the size of what was not written may be unknown (file_attr.has_size). */
int overlay_stat(
	const struct overlay *o, const struct spot *s, struct file_attr *ret, struct error *e);
/* Its bytes; off and n within its size. On any thread, as long as nothing is changed. */
int overlay_read(const struct overlay *o, const struct spot *s, uint64_t off, void *dst, size_t n,
	struct error *e);

/* A place that something is about to take or to leave. */
struct dentry {
	struct oentry *parent;
	char name[NAME_MAX + 1]; /* "": it is the root */
	bool exists;
	struct spot spot; /* ... what */
};

/* Also where nothing stands (0). */
int overlay_dentry(
	const struct overlay *o, struct oentry *dir, const char *name, struct dentry *ret);
/* Of a path; the directories on the way get uppers. */
int overlay_dentry_at(struct overlay *o, const char *path, struct dentry *ret);
/* What its name means for a file or directory that came from `object` (ENTRY_NONE: from nowhere).
 */
int overlay_meaning(const struct overlay *o, const struct dentry *p, bool dir, entry_id object,
	struct name_class *ret);
/* The file of the other form of the object that the name means, unless it was refused and is in
 * nobody's way. */
bool overlay_other_form(
	const struct overlay *o, struct oentry *dir, const struct name_class *m, struct spot *ret);
static inline bool name_has_meaning(const struct name_class *m)
{
	return m->kind == NAME_OBJECT || m->kind == NAME_PART;
}

/* The changes. What may_ says of one is all that keeps it from being done, but for -ENOMEM. A file
 * that takes the place of another, or stands where one was removed or has left for a name that
 * means nothing, comes from where that came from, if it comes from nowhere else. */
int overlay_may_make(const struct overlay *o, const struct dentry *p, bool dir);
int overlay_make(struct overlay *o, const struct dentry *p, bool dir, struct oentry **ret);
int overlay_may_remove(const struct overlay *o, const struct dentry *p, bool dir);
int overlay_take(struct overlay *o, const struct dentry *p);
int overlay_may_rename(const struct overlay *o, const struct dentry *from, const struct dentry *to);
int overlay_move(struct overlay *o, const struct dentry *from, const struct dentry *to);

/* The bytes of a file, which is made where it is not there, and accepted (the reference in x is
 * taken, also on failure); the file's own time (NULL: none is set). */
int overlay_put(struct overlay *o, const char *path, struct extent x, const struct timespec *mtime);
/* ... bytes that were refused. */
int overlay_draft(struct overlay *o, const char *path, struct extent x, const char *why);
int overlay_mkdir(struct overlay *o, const char *path);
/* Make a directory and those above it. An existing directory is a success; a file gives -ENOTDIR.
 */
int overlay_mkdirs(struct overlay *o, const char *path);
int overlay_remove(struct overlay *o, const char *path, bool dir);
int overlay_rename(struct overlay *o, const char *from, const char *to);
/* The bytes that it has of its own go: it is what the base has, or not there. */
int overlay_revert(struct overlay *o, const char *path);
/* What a journal holds, done once more. */
int overlay_apply(struct overlay *o, const struct journal_op *op);

/* Its bytes were written, and are not refused: it takes the place of the other form of its object.
 */
int overlay_accept(struct overlay *o, struct oentry *u);
/* The entry of `shape` that the file's content is parsed for; one that was made gets one.
 * *ret_parsed: as parsed.id has it. -ENOENT: it is scratch. */
int overlay_identify(
	struct overlay *o, struct oentry *u, entry_id *ret, entry_id *ret_parsed, struct error *e);

/* All that differs, for build, in the order of paths: malloc'ed; what it points to is the
 * overlay's. Entry i is of uppers[i], if that is asked for. */
int overlay_tree(const struct overlay *o, struct build_input **ret, struct oentry ***ret_uppers,
	size_t *ret_n);
/* Does anything of it, scratch apart, differ from the base? */
bool overlay_differs(const struct overlay *o);
/* The first upper of a directory behind a place (0: of all); quick for who goes on from there. */
struct oentry *overlay_after(struct overlay *o, struct oentry *dir, uint64_t place);
/* All uppers but the root, those in a directory after it, from NULL. */
struct oentry *overlay_next(const struct overlay *o, const struct oentry *u);
/*
 * rebase.c: *o goes on over another base, that of a map which was built of it and saved, and shows
 * the same paths. It is a new tree, as another mount would have it: left() does to that what the
 * map does not hold and its journal does. Carried over is only what no journal knows: scratch, and
 * what was made and not closed. fn() is told first of each upper that goes (heir NULL) and has a
 * node, or hid what may be there again; then of each that another one stands for, whose node that
 * is to be. -ENOMEM: it is as it was.
 */
struct rebase {
	int (*left)(void *arg, struct overlay *next);
	void (*fn)(void *arg, struct oentry *u, struct oentry *heir);
	void *arg;
};
int overlay_rebase(struct overlay **o, const struct snapshot *base, const struct rebase *how);
/* A file without bytes of its own shows what s has of it, whatever the base becomes. */
void oentry_freeze(const struct snapshot *s, struct oentry *u);

/* malloc'ed, relative to the root; NULL: no memory. */
char *oentry_path(const struct oentry *u);
/* Its bytes are those from now on (the references are taken): accepted, or refused for `why`. */
int oentry_write(struct oentry *u, struct extent in, const char *why);
/* Keep the parsed value of its bytes (consumed) until they change or u stands elsewhere. */
void oentry_keep_parsed(struct oentry *u, struct parsed *take);
/* Drop the bytes that were accepted before. */
void oentry_drop_accepted(struct oentry *u);
/* It has none of its own any more. */
void oentry_clear_content(struct oentry *u);
static inline bool oentry_is_refused(const struct oentry *u)
{
	return u->refusal && *u->refusal;
}
/* Does it stand in raw/, where all of the map is shown once more? */
bool oentry_is_raw(const struct oentry *u);
/* Does it differ from the base: in anything but what is below it? */
bool oentry_differs(const struct oentry *u);

/* upper.c: for the other files of this room. */
struct oentry *oentry_find(const struct overlay *o, const struct oentry *dir, const char *name);
/* Under that name from now on; -ENOMEM. */
int oentry_place(struct overlay *o, struct oentry *u, struct oentry *dir, const char *name);
struct oentry *oentry_new(struct overlay *o, bool dir, entry_id from);
/* With what is below. Those with a node stand nowhere from now on, and are the node's to free. */
void oentry_free(struct overlay *o, struct oentry *u);
/* Frees it, and those above it, if nobody needs it: it differs in nothing, and has no node. */
void oentry_free_unused(struct overlay *o, struct oentry *u);
/* The one of dir/name, which stands there as s; made where it has none. NULL: no memory. */
struct oentry *oentry_raise(
	struct overlay *o, struct oentry *dir, const char *name, const struct spot *s);
/* Is a directory of that name always there, also in a directory that was made? */
bool overlay_is_standing(const struct overlay *o, const struct oentry *dir, const char *name);
/* A directory that is always in one that was made is there from the begin, and gets an upper when
 * somebody asks for it (where dir/name has none). -ENOENT. */
int overlay_raise_fixed(struct overlay *o, struct oentry *dir, const char *name, struct spot *ret);
/* What the base has there. -ENOENT. */
int oentry_lookup_base(
	const struct overlay *o, const struct oentry *dir, const char *name, struct file_attr *ret);
/* A file that nobody touched, and that is there no more: it followed from others. */
bool oentry_is_gone(const struct overlay *o, const struct oentry *u);
