/* SPDX-License-Identifier: Zlib */
/*
 * What DESIGN section 4 (rules 2 to 5, 8, 12) and layout-teeworlds.md (rules 3 to 8, 20) say of
 * files that stand for objects, as a model in memory. It knows nothing of src/.
 *
 * There are a base, the objects of the map as it was opened or last saved, and a tree, the files
 * that stand: each with what it came from and the bytes that were closed. Whose file is whose is
 * found at a save alone. What a kill leaves is another such tree, to which the same was done but
 * for what means nothing.
 */
#pragma once

#include "structure_map.h"

enum { PATH_SIZE = 48, FILES_MAX = 64, NONE = -1 };

enum kind { KIND_IMAGE, KIND_SOUND, KIND_INFO };

struct object {
	enum kind kind;
	char path[PATH_SIZE]; /* as the mount shows it */
	char name[NAME_SIZE]; /* as the map has it */
	int content;
	int number; /* that the path says; INT_MAX: none */
	bool moved; /* made or moved since the mount */
};

struct model_file {
	char path[PATH_SIZE];
	bool dir, scratch;
	bool draft;
	int from;       /* the object of the base that it came from, or NONE */
	enum form form; /* ... as this */
	int bytes;      /* NO_CONTENT: what it came from */
	int last;       /* that were accepted before a draft, or NO_CONTENT */
	int edit;       /* that were written while it was scratch, or NO_CONTENT */
};

/* What came from an object stood there, and nothing does. */
struct vacancy {
	char path[PATH_SIZE];
	int from;
};

struct tree {
	struct model_file files[FILES_MAX];
	int n_files;
	struct vacancy vacant[FILES_MAX];
	int n_vacant;
	char wanted[LAYERS][PATH_SIZE]; /* what layers were written to refer to, or "" */
};

struct model {
	struct object base[OBJECTS_MAX];
	int n_base;
	int refs[LAYERS]; /* objects of the base, or NO_REF */
	struct tree now, journal;
	struct map_says saved;
	/* By the last save. */
	bool written;
	char removed[OBJECTS_MAX][PATH_SIZE];
	int n_removed;
};

/* A mount of the map that m->saved says. */
void model_mount(struct model *m);
/* What is there after a kill and a replay of the journal. Without one (which is wrong where it
 * returns false) the numbers are dealt anew (rule 1). */
bool model_kill(struct model *m, bool has_journal);
void model_save(struct model *m);
bool model_leaves(const struct model *m); /* something would be copied out at the end */
/* Is it a path of an object of the base, in any form? */
bool model_has(const struct model *m, const char *path);

struct model_file *model_file(struct model *m, const char *path);
int model_shows(const struct model *m, const struct model_file *f); /* NO_CONTENT: a directory */

/* What the operation returns, done. */
int model_put(struct model *m, const char *path, int content);
int model_unlink(struct model *m, const char *path);
int model_mkdir(struct model *m, const char *path);
int model_rmdir(struct model *m, const char *path);
int model_rename(struct model *m, const char *from, const char *to);
int model_drop(struct model *m, const char *path);
void model_refer(struct model *m, unsigned layer, const char *path);
