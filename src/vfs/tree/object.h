/* SPDX-License-Identifier: Zlib */
/*
 * object: which files stand for the map's objects (DESIGN section 4, rules 4 and 5).
 *
 * An object that stands where the mount showed it needs no record. A record says of any other:
 * where its file is (HERE), that it was moved to a scratch name (KEPT: it stays in the map at the
 * last place that it had), or that it was removed (GONE). New objects have one from the begin. At a
 * save the records, in the order of `seq`, are the placements that the format finalizes.
 *
 * What is made at the last place of an object that was KEPT or is GONE is that object again.
 */
#ifndef VFS_TREE_OBJECT_H
#define VFS_TREE_OBJECT_H

#include "vfs/tree/node.h"

/* HERE follows KEPT and GONE where something is made at the last place, or its file comes back. */
enum object_state { OBJECT_HERE, OBJECT_KEPT, OBJECT_GONE };

/* Where it was first; one that was MADE is ADDED once a save has placed it. */
enum object_since {
	OBJECT_MOUNTED,
	OBJECT_ADDED, /* since the mount: without a placement it is in no map */
	OBJECT_MADE,  /* ... and is in none yet */
};

struct object {
	struct hash_link link;  /* by its number; first */
	struct hash_link place; /* KEPT, GONE: by dir and name */
	entry_id id;            /* in the form that it has or had */
	enum object_state state;
	enum object_since since;
	struct node *node; /* HERE: holds the node (named) */
	uint64_t seq;      /* when it was made or moved; 0: it is, or was last, at its old path */
	char *path;        /* where it was last, for the report */
	char *log_path;    /* ... and for the journal, once it left */
	bool was_gone;     /* HERE: before it was made again, which may be taken back */
	bool told;         /* the report of a save has said that it left */
	entry_id dir;      /* where it stands or stood last, and as what */
	char *name;
	uint64_t left;  /* KEPT, GONE: when */
	bool away;      /* the last save placed it elsewhere than at its old path */
	bool absent;    /* ... or left it out */
	bool unwritten; /* ... and none places it before something is accepted */
	bool moved;     /* its last place is not the one of the last save */
	bool bare;      /* KEPT: nothing that was written to it was accepted yet */
};

/* What the name means to the format, which may know of no such thing; see format.h. */
int object_meaning(const struct vfs *v, entry_id dir, const char *name, bool is_dir,
	entry_id object, struct meaning *ret);
/* The name of the other form of the object at dir/name; false: there is none. */
bool object_alternate(const struct vfs *v, entry_id dir, const char *name, char ret[NAME_MAX + 1]);
struct object *object_find(const struct vfs *v, entry_id id);
/* All that have a record, from NULL; NULL: the end. Those that are KEPT or GONE alone. */
struct object *object_next(const struct vfs *v, const struct object *o);
struct object *object_next_gone(const struct vfs *v, const struct object *o);

/* The file n (live on id) stands for its object, at its old path or made or moved just now. Where
 * its file stood already, or was moved away from, nothing moved. */
int object_here(struct vfs *v, struct node *n);
/* The object whose other form, called so, stands in dir. */
bool object_alternate_at(struct vfs *v, struct node *dir, const char *other, entry_id *ret);
/* The one that left dir/name last. */
bool object_left_at(struct vfs *v, const struct node *dir, const char *name, entry_id *ret);
/* Is n the refused other form of an object whose file stands? Then it is no file of the object. */
bool object_second(const struct vfs *v, const struct node *n);
/* After a save: what was placed is in the map now. saved: ... and that was written; the journal
 * goes on from it. */
void objects_saved(struct vfs *v, bool saved);
/* Is that its last place, be it in the other form? */
bool object_stood_at(const struct vfs *v, const struct object *o, entry_id dir, const char *name);
/* n, which stands for it, is about to go: removed, or moved to a scratch name. What no saved map
 * has is in none without a file, and of what was removed of it there is no trace. */
int object_left(struct vfs *v, const struct node *n, enum object_state state);
void object_forget(struct vfs *v, entry_id id);
void objects_finish(struct vfs *v);

/* For a save: placements in order; names and the array are the callee's to free (placements_free).
 */
int objects_place(struct vfs *v, struct placement **ret, size_t *ret_n);

/* One was moved or removed (moved), or comes or goes: the format is to learn what objects are
 * called now, once one was moved, before anything is judged again. */
void objects_name(struct vfs *v, bool moved);
/* Is it? And, at the head of the commit queue: now. It is told of all at once, so that to move many
 * takes no longer for each. */
bool objects_unnamed(const struct vfs *v);
void objects_tell(struct vfs *v);

#endif
