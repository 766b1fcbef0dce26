/* SPDX-License-Identifier: Zlib */
/*
 * What DESIGN section 4 (rules 2 to 5, 8, 12) and layout-teeworlds.md (rules 3 to 8, 20) say of
 * files that stand for objects, as a model in memory: files by path, objects by what they are, and
 * the map that a save would write. It knows nothing of src/.
 *
 * An object belongs to the file at the path that it had at the mount; if none stands there, to its
 * own file, wherever that was renamed to. Its state says what became of that one.
 */
#ifndef TESTS_VFS_STRUCTURE_MODEL_H
#define TESTS_VFS_STRUCTURE_MODEL_H

#include "structure_map.h"

enum { PATH_SIZE = 48, FILES_MAX = 64 };

enum kind { KIND_IMAGE, KIND_SOUND, KIND_INFO };
enum state {
	HERE, /* a file stands for it */
	KEPT, /* its file was moved to a scratch name */
	GONE, /* its file was removed */
};

struct object {
	enum kind kind;
	enum state state;
	bool mounted;         /* it was there at the mount, at `home` */
	char home[PATH_SIZE]; /* for new ones: where it was made */
	char last[PATH_SIZE]; /* where its file stood last */
	char name[NAME_SIZE]; /* as the map has it */
	int position;         /* in the map, at the mount */
	int content;          /* NO_CONTENT: it never had any, or none since a save left it out */
	int draft;            /* of the file that was moved away, or NO_CONTENT */
	unsigned seq;         /* when it was made or moved; 0: it is at its home */
	unsigned left;        /* when its file went */
	bool saved;           /* the last save wrote it */
	bool known;           /* a save did */
	bool ended;           /* none did, and its place is free for another */
};

struct model_file {
	char path[PATH_SIZE];
	bool dir, scratch;
	int object;  /* that it stands for; scratch: whose file it was; -1 none */
	bool second; /* a refused file beside the one that stands for the object (rule 7) */
	bool edited; /* scratch: since it was moved away */
	bool draft;
	int bytes; /* scratch and drafts; else the object's content shows */
};

struct model {
	struct object objects[OBJECTS_MAX];
	int n_objects;
	struct model_file files[FILES_MAX];
	int n_files;
	int refs[LAYERS]; /* objects */
	unsigned seq;
	bool save_done;    /* since the mount */
	bool content_done; /* an object of the mount got other content since the last save */
	struct map_says saved;
};

/* A mount of the map that m->saved says. */
void model_mount(struct model *m);
/* What is there after a kill and a replay of the journal; no save since the mount. */
void model_kill(struct model *m);
/* What a save would write. */
void model_map(const struct model *m, struct map_says *ret);
void model_save(struct model *m);
/* The position that a save would give the object, INT_MAX if none, and its name. */
int model_place(const struct object *o, char ret_name[NAME_SIZE]);
bool model_leaves(const struct model *m); /* something would be copied out at the end */

struct model_file *model_file(struct model *m, const char *path);
int model_shows(const struct model *m, const struct model_file *f); /* NO_CONTENT: a directory */

/* What the operation returns, done. */
int model_put(struct model *m, const char *path, int content);
int model_unlink(struct model *m, const char *path);
int model_mkdir(struct model *m, const char *path);
int model_rmdir(struct model *m, const char *path);
int model_rename(struct model *m, const char *from, const char *to);
int model_drop(struct model *m, const char *path);

#endif
