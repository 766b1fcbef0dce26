/* SPDX-License-Identifier: Zlib */
/*
 * overlay: the changed names and contents of a map over its base.
 *
 * The base is the snapshot of the map as it was opened or last saved. An overlay entry (struct
 * oentry) exists for each path that differs from the base, and for the directories on the way to
 * one. It is a file with content of its own (has_content), a new file or directory (origin ==
 * ENTRY_NONE), a renamed one (is_moved), or a whiteout. A whiteout hides what the base has there.
 * If that is nothing (is_moved), it only keeps an origin for a file that takes the name later.
 * Other paths have an entry only while an inode refers to them. The overlay has no history.
 *
 * A mount resolves a name to a dentry (overlay_dentry), asks overlay_can_*, appends the operation
 * to the journal and then changes the overlay. Functions that take paths include the checks.
 *
 * Errors are -errno as a program sees them in a mount, or NULL if memory is exhausted.
 */
#pragma once

#include <sys/queue.h>

#include "base/hash.h"
#include "formats/build.h"
#include "vfs/journal/journal.h"

struct inode;

struct oentry {
	struct hash_link link; /* in overlay.names, by parent and name; must be first */
	struct oentry *parent; /* NULL for the root, and after the entry was unlinked */
	TAILQ_HEAD(oentries, oentry) children;
	TAILQ_ENTRY(oentry) siblings;
	char *name;
	uint64_t serial;     /* unique in this overlay; never reused */
	uint64_t position;   /* grows along parent->children, so a listing can continue after it */
	struct inode *inode; /* keeps the entry alive; NULL if the path has no inode */
	bool is_dir, is_whiteout;
	bool is_scratch; /* a file whose name has no meaning in its directory */
	bool is_moved;   /* the base does not have `origin` at this path; also set for new files */
	entry_id origin; /* entry of the base that this came from or replaced; or ENTRY_NONE */
	/* Entry of overlay.shape that this is. ENTRY_NONE for a directory or new file without a
	 * meaning, and, unless it is a part, for a new file before overlay_identify. */
	entry_id id;
	bool is_new;            /* a file whose `id` is not an entry of the base */
	bool has_content;       /* `bytes` are the content; otherwise the file shows its origin */
	struct extent bytes;    /* content of the closed file */
	struct extent accepted; /* last accepted content if `bytes` are not accepted; or empty */
	/* Parsed values of `bytes` and `accepted`; without content, the first is that of the file
	 * that it shows. Owned references; NULL if not parsed yet. */
	struct parsed *parsed, *accepted_parsed;
	char *refusal; /* why `bytes` are refused; "" if not validated yet; NULL if accepted */
	bool has_mtime;
	struct timespec mtime;       /* set, or kept by a rename; valid if has_mtime */
	struct snapshot *frozen_map; /* earlier map whose `frozen_id` it still shows; or NULL */
	entry_id frozen_id;
	struct oentry *successor; /* in overlay_rebase: the entry in the next overlay, or NULL */
};

struct overlay {
	struct snapshot *base;
	/* The base plus new objects and parts, without their content. It gives names in new
	 * directories their meaning, and contents are parsed for its entries. */
	struct snapshot *shape;
	struct snapshot *view;    /* with dependent files, a map that was built from the overlay
				   * (tree/view.h); initially, and without them, the base */
	struct snapshot *unsaved; /* map of a failed save, if newer than `view`; or NULL. The next
				   * build reuses its composed blobs. */
	struct hash names;
	struct oentry *root;
	uint64_t last_serial, last_position; /* the highest in use */
	struct oentry *last_listed; /* child before the last overlay_child_after; or NULL */
	/* Called before a file disappears because its object changes form (03_x.png replaces
	 * 03_x.json). u is NULL if the overlay has no entry for the file. May be NULL. */
	void (*on_form_change)(void *arg, struct oentry *dir, struct oentry *u, const char *name);
	void *arg;
};

/* Create an empty overlay. Takes its own reference to base. */
int overlay_create(const struct snapshot *base, struct overlay **ret);
void overlay_destroy(struct overlay *o); /* entries with an inode stay, unlinked */
DEFINE_CLEANUP(struct overlay, overlay_destroy);

/* A name in a directory, possibly negative (nothing has the name). Valid until the next change of
 * the overlay. */
struct dentry {
	struct oentry *parent;   /* NULL for the root, or if the directory has no entry */
	char name[NAME_MAX + 1]; /* "" for the root; from overlay_dentry, as requested */
	bool exists;
	/* The rest is valid if `exists`: */
	bool is_dir;
	struct oentry *oentry;   /* NULL if it is unchanged and has no entry */
	entry_id id;             /* as oentry.id */
	const char *listed_name; /* as overlay_names lists it; NULL if that is `name` */
};

/* The snapshot that lists the unchanged names. With dependent files it is the view, because other
 * files may have added or removed some. */
static inline const struct snapshot *overlay_names(const struct overlay *o)
{
	return o->base->format->has_dependent_files ? o->view : o->base;
}

/* The snapshot that a file without content of its own is read from. u is NULL for an unchanged file
 * without an entry. A moved file shows the base: another file may have its object in the view. */
static inline const struct snapshot *overlay_shown(const struct overlay *o, const struct oentry *u)
{
	if (u && u->frozen_map)
		return u->frozen_map;
	return u && u->is_moved ? o->base : overlay_names(o);
}

struct dentry overlay_root(const struct overlay *o);
struct dentry oentry_dentry(struct oentry *u); /* `exists` is set, also for a whiteout */
/* Resolve a name in a directory. -ENOENT, -ENOTDIR, or the error of name_check (base/name.h). A new
 * directory lacks its permanent directories until overlay_add_permanent; also in overlay_list. */
int overlay_lookup(
	const struct overlay *o, const struct dentry *dir, const char *name, struct dentry *ret);
/* Resolve a path below the root (path_next of base/name.h); "" is the root. Errors as above. */
int overlay_find(const struct overlay *o, const char *path, struct dentry *ret);
/* Call fn for each name in a directory, those without an entry first, until it returns nonzero.
 * Returns what fn returned last, or -errno. */
int overlay_list(const struct overlay *o, const struct dentry *dir,
	int (*fn)(void *arg, const char *name, const struct dentry *s), void *arg);
bool overlay_is_empty(const struct overlay *o, const struct dentry *dir); /* as in overlay_list */
/* Get attributes. For a new entry, or content of its own, all but size and mtime are defaults.
 * file_attr.has_size is false if the size is known only after decoding. */
int overlay_stat(
	const struct overlay *o, const struct dentry *s, struct file_attr *ret, struct error *e);
/* Read n bytes at off, within the file. On any thread, while nothing changes the overlay. */
int overlay_read(const struct overlay *o, const struct dentry *s, uint64_t off, void *dst, size_t n,
	struct error *e);

/* Resolve a name; 0 for a negative dentry, too. ret->parent is dir. */
int overlay_dentry(
	const struct overlay *o, struct oentry *dir, const char *name, struct dentry *ret);
/* The same for a path. Adds entries for the directories on the way, which must exist (-ENOENT). For
 * "" ret->parent is the root itself. */
int overlay_dentry_at(struct overlay *o, const char *path, struct dentry *ret);
/* Classify the name p->name in p->parent (not NULL), for a file or directory that came from
 * `object`, or ENTRY_NONE. In a directory without a meaning it is NAME_SCRATCH. */
int overlay_classify(const struct overlay *o, const struct dentry *p, bool dir, entry_id object,
	struct name_class *ret);
/* Find the file of the other form of the object that m names. False if there is none, or if its
 * content is refused: such a file stays beside the new form. */
bool overlay_other_form(const struct overlay *o, struct oentry *dir, const struct name_class *m,
	struct dentry *ret);
static inline bool name_has_meaning(const struct name_class *m)
{
	return m->kind == NAME_OBJECT || m->kind == NAME_PART;
}

/* Changes. After overlay_can_* returned 0, a change fails only if memory is exhausted. A file whose
 * name has a meaning, and that has no origin, inherits that of the file that it replaces. If there
 * is none, it inherits from a file that was removed from the path, or renamed to a backup. */

/* May a file or directory be created? p must be negative, which is not checked. */
int overlay_can_make(const struct overlay *o, const struct dentry *p, bool dir);
/* Create a file or directory for a negative dentry. Calls overlay_can_make. */
int overlay_make(struct overlay *o, const struct dentry *p, bool dir, struct oentry **ret);
int overlay_can_remove(const struct overlay *o, const struct dentry *p, bool dir);
int overlay_unlink(struct overlay *o, const struct dentry *p); /* after overlay_can_remove */
/* Check a rename. `from` and `to` must not be the same file, which is not checked. */
int overlay_can_rename(const struct overlay *o, const struct dentry *from, const struct dentry *to);
/* Rename, replacing the target. The caller has asked overlay_can_rename. */
int overlay_move(struct overlay *o, const struct dentry *from, const struct dentry *to);

/* Set the content of a file, accepted without validation, and its time (NULL: none). Creates the
 * file, but not its parents. Takes x, also on failure. Ignores content for generated files (0). */
int overlay_put_content(
	struct overlay *o, const char *path, struct extent x, const struct timespec *mtime);
/* Set refused content as oentry_write does; otherwise as above, but the time stays. */
int overlay_put_draft(struct overlay *o, const char *path, struct extent x, const char *why);
int overlay_mkdir(struct overlay *o, const char *path); /* -EEXIST */
/* Create a directory and its parents. An existing directory is a success; a file gives -ENOTDIR. */
int overlay_mkdirs(struct overlay *o, const char *path);
int overlay_remove(struct overlay *o, const char *path, bool dir);
int overlay_rename(struct overlay *o, const char *from, const char *to);
/* Drop the content of a file, if it has any. It falls back to its accepted content, or else to its
 * origin. It is removed if it has neither, or if its object is shown in the other form. */
int overlay_revert(struct overlay *o, const char *path);
/* Perform one journal operation. Creates missing parents of a written file or of a new name. */
int overlay_apply(struct overlay *o, const struct journal_op *op);

/* After content of u was accepted: remove the other form of its object, whose origin u inherits. */
int overlay_accept(struct overlay *o, struct oentry *u);
/* Find the entry of `shape` that the content is parsed for, or add one; it becomes the id of a file
 * without an origin. *ret_parsed, for content_parse, is the same, or ENTRY_NONE if the base lacks
 * the entry. -ENOENT for scratch. */
int overlay_identify(
	struct overlay *o, struct oentry *u, entry_id *ret, entry_id *ret_parsed, struct error *e);

/* List the input of a build, the root first, in the order of paths. The caller frees the arrays,
 * not what they point to. Input i belongs to (*ret_oentries)[i]; ret_oentries may be NULL. */
int overlay_list_inputs(const struct overlay *o, struct build_input **ret,
	struct oentry ***ret_oentries, size_t *ret_n);
/* Does anything but new scratch differ from the base? */
bool overlay_differs(const struct overlay *o);
/* First child of dir with a higher position, or NULL. Fast if calls continue one listing. */
struct oentry *overlay_child_after(struct overlay *o, struct oentry *dir, uint64_t position);
/* Iterate over all entries but the root, parents first. Start with NULL; NULL at the end. */
struct oentry *overlay_next(const struct overlay *o, const struct oentry *u);
/* Continue over the map that was built from *o and saved (rebase.c). The new overlay shows the same
 * paths, and is what another mount would have: replay() adds the operations that the new journal
 * holds. Directories, new scratch, and unrefused files that the new map lacks are carried over.
 * moved() is called first, with successor NULL, for each old entry without a successor that
 * has an inode or is a whiteout; then, with *o replaced, for the root and each entry whose inode
 * moves to its successor; then the old overlay is destroyed. On failure *o is unchanged. */
struct rebase {
	int (*replay)(void *arg, struct overlay *next);
	void (*moved)(void *arg, struct oentry *u, struct oentry *successor);
	void *arg;
};
int overlay_rebase(struct overlay **o, const struct snapshot *base, const struct rebase *how);
/* Make a file without content of its own keep what it shows in s, whatever the base becomes. */
void oentry_freeze(const struct snapshot *s, struct oentry *u);

/* Path relative to the root, malloc'ed; "" for the root, or an unlinked entry. */
char *oentry_path(const struct oentry *u);
/* Set the content: accepted if `why` is NULL, else refused for that reason ("": not validated yet),
 * and the previously accepted bytes are kept. Takes the reference, also on failure. */
int oentry_write(struct oentry *u, struct extent in, const char *why);
/* Keep the parsed value of the bytes, until they change or u is renamed. Takes the reference. */
void oentry_keep_parsed(struct oentry *u, struct parsed *take);
void oentry_drop_accepted(struct oentry *u);
void oentry_clear_content(struct oentry *u);                 /* the accepted content, too */
static inline bool oentry_is_refused(const struct oentry *u) /* false if not validated yet */
{
	return u->refusal && *u->refusal;
}
/* Is it raw/, which shows the whole map in another way, or below it? */
bool oentry_is_raw(const struct oentry *u);
/* Does the entry itself differ from the base? Differences of its children do not count. */
bool oentry_differs(const struct oentry *u);

/* oentry.c: the entry of dir/name, which may be a whiteout; or NULL. */
struct oentry *oentry_find(const struct overlay *o, const struct oentry *dir, const char *name);
/* Put a new or placed entry at dir/name, which must have no entry. Drops its parsed values. */
int oentry_place(struct overlay *o, struct oentry *u, struct oentry *dir, const char *name);
struct oentry *oentry_new(struct overlay *o, bool dir, entry_id origin); /* not placed */
/* Unlink an entry and its children. Free those without an inode, freeze the others. */
void oentry_free(struct overlay *o, struct oentry *u);
/* Free the entry if no inode refers to it, it has no children, and it equals the base or is
 * unlinked; then do the same for its parent. u may be NULL. */
void oentry_free_unused(struct overlay *o, struct oentry *u);
/* The entry of dir/name, which overlay_lookup resolved to s; added if there is none. */
struct oentry *oentry_raise(
	struct overlay *o, struct oentry *dir, const char *name, const struct dentry *s);
/* Is a directory of that name permanent in dir? */
bool overlay_is_permanent(const struct overlay *o, const struct oentry *dir, const char *name);
/* Add the entry of a permanent directory that a new directory has from the beginning. dir/name must
 * have no entry. -ENOENT if it is not permanent. */
int overlay_add_permanent(
	struct overlay *o, struct oentry *dir, const char *name, struct dentry *ret);
/* Look up a name in overlay_names, where dir came from. -ENOENT, also if dir is new. */
int oentry_lookup_base(
	const struct overlay *o, const struct oentry *dir, const char *name, struct file_attr *ret);
/* Has an unchanged file disappeared, because other files changed? */
bool oentry_is_gone(const struct overlay *o, const struct oentry *u);
