/* SPDX-License-Identifier: Zlib */
/*
 * A model in memory of DESIGN section 4 (rules 2 to 5, 8, 12) and layout-teeworlds.md (rules 3 to
 * 8, 20) for files of objects. It shares no code with src/.
 *
 * The model has a base, the objects of the map as opened or last saved, and a tree of existing
 * files, each with its origin and closed bytes. Identities are only resolved at a save. The journal
 * after a kill is a second tree, with the same operations except those on scratch files.
 */
#pragma once

#include "structure_map.h"

enum { PATH_SIZE = 48, FILES_MAX = 64, NONE = -1 };

enum kind { KIND_IMAGE, KIND_SOUND, KIND_INFO };

struct object {
	enum kind kind;
	char path[PATH_SIZE]; /* as the mount shows it */
	char name[NAME_SIZE]; /* as the map stores it */
	int content;
	int number; /* position in the path; INT_MAX: none */
	bool moved; /* created or moved since the mount */
};

struct model_file {
	char path[PATH_SIZE];
	bool dir, scratch;
	bool draft;
	int from;       /* its origin, an object of the base, or NONE */
	enum form form; /* the form of its origin */
	int bytes;      /* NO_CONTENT: the content of its origin */
	int last;       /* accepted before a draft, or NO_CONTENT */
	int edit;       /* written while it was scratch, or NO_CONTENT */
};

/* A path that is empty now, and the origin of its last file. */
struct vacancy {
	char path[PATH_SIZE];
	int from;
};

struct tree {
	struct model_file files[FILES_MAX];
	int n_files;
	struct vacancy vacant[FILES_MAX];
	int n_vacant;
	char wanted[LAYERS][PATH_SIZE]; /* paths that layers were written to refer to, or "" */
};

struct model {
	struct object base[OBJECTS_MAX];
	int n_base;
	int refs[LAYERS]; /* objects of the base, or NO_REF */
	struct tree now, journal;
	struct map_content saved;
	/* Results of the last save. */
	bool written;
	char removed[OBJECTS_MAX][PATH_SIZE];
	int n_removed;
};

/* Mount the map m->saved. */
void model_mount(struct model *m);
/*
 * Kill the mount and replay the journal. Without a journal the objects are renumbered (rule 1);
 * returns false if there had to be one.
 */
bool model_kill(struct model *m, bool has_journal);
void model_save(struct model *m);
bool model_has_leftovers(const struct model *m); /* are there files to copy out at the end? */
/* Is it a path of an object of the base, in any form? */
bool model_has_path(const struct model *m, const char *path);

struct model_file *model_file(struct model *m, const char *path);
int model_shows(const struct model *m, const struct model_file *f); /* NO_CONTENT: a directory */

/* Apply an operation. Returns its result. */
int model_put(struct model *m, const char *path, int content);
int model_unlink(struct model *m, const char *path);
int model_mkdir(struct model *m, const char *path);
int model_rmdir(struct model *m, const char *path);
int model_rename(struct model *m, const char *from, const char *to);
int model_drop(struct model *m, const char *path);
void model_refer(struct model *m, unsigned layer, const char *path);
