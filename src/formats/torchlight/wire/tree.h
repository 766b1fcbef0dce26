/* SPDX-License-Identifier: Zlib */
/*
 * tree: the directories of an archive, made from its manifest.
 *
 * Records of the same path are one directory (ASCII case does not count, as for the game), and so
 * are the parts of paths that have no record and directories that only an entry of type 7 names.
 * Each child has a name that can be shown: the stored one, escaped where a file could not be called
 * so (codec/text/text.h), cut to 255 bytes, and with ~2, ~3 ... before its ending where the name is
 * taken. Directories come before files, then the order is the manifest's. Removed files
 * (manifest_removed) have no place in it, but their directories do.
 *
 * Immutable once built; it keeps nothing of the manifest.
 */
#pragma once

#include "formats/torchlight/wire/called.h"
#include "formats/torchlight/wire/manifest.h"

struct tree_child {
	uint32_t index; /* of the directory in the tree, or of the entry in the manifest */
	uint32_t name;  /* in text, NUL-ended */
	bool dir;
};

struct tree_dir {
	uint32_t parent;    /* the root's is itself */
	uint32_t first, n;  /* of the children */
	uint32_t self;      /* which child it is itself; of no meaning for the root */
	bool lists_removed; /* there are entries of removed files in it, or below */
	bool recorded;      /* a record is its own */
	bool called;        /* its name differs from the stored one in the case of letters */
};

struct tree {
	struct tree_dir *dirs; /* the first is the root, which holds MEDIA */
	uint32_t n_dirs;
	struct tree_child *children; /* of each directory sorted by name, case folded */
	uint32_t n_children;
	uint32_t *record_dirs; /* of each record: its directory */
	bool split; /* some have two: files and subdirectories stand in records of their own */
	const char *text;
	struct bytes *text_bytes;
};

/* names: what has other names than that (wire/called.h), or NULL. -EINVAL: it is no such list. */
int tree_build(
	const struct manifest *m, const struct bytes *names, struct tree **ret, struct error *e);
void tree_free(struct tree *t);
DEFINE_CLEANUP(struct tree, tree_free);

static inline const char *tree_name(const struct tree *t, const struct tree_child *c)
{
	return t->text + c->name;
}

/* The form in which names of one file are one: escaped as it is shown, upper case. ret has room for
 * NAME_MAX + 1. */
void tree_fold(const char *name, char *ret);
/* By any name of it, the shown one first. NULL: none. */
const struct tree_child *tree_find(const struct tree *t, uint32_t dir, const char *name);
