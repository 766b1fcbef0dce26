/* SPDX-License-Identifier: Zlib */
/*
 * tree: the directories of an archive, built from its manifest.
 *
 * All records with the same path form one directory; ASCII case does not matter, as for the game.
 * Parts of a path without a record, and directories that only an entry of type 7 names, are
 * directories, too. Each child has a name to show: the stored name, escaped if no file could have
 * it (codec/text/text.h), cut to 255 bytes, and with ~2, ~3 ... before its ending if another child
 * has the name. Directories have precedence over files, then the order of the manifest counts.
 * Removed files (manifest_removed) are not in the tree, but their directories are.
 *
 * Immutable once built. It keeps no pointer into the manifest.
 */
#pragma once

#include "formats/torchlight/wire/called.h"
#include "formats/torchlight/wire/manifest.h"

struct tree_child {
	uint32_t index; /* of the directory in dirs, or of the entry in the manifest */
	uint32_t name;  /* offset in text, NUL-ended */
	bool is_dir;
};

struct tree_dir {
	uint32_t parent;    /* the root is its own parent */
	uint32_t first, n;  /* range of its children */
	uint32_t self;      /* index of its own tree_child; unused for the root */
	bool lists_removed; /* it or a directory below has entries of removed files */
	bool has_record;    /* it has a record of its own */
	bool is_renamed;    /* its shown name comes from the list of names (wire/called.h) */
};

struct tree {
	struct tree_dir *dirs; /* the first is the root, which contains MEDIA */
	uint32_t n_dirs;
	struct tree_child *children; /* sorted by name in each directory, as strcasecmp does */
	uint32_t n_children;
	uint32_t *record_dirs; /* by record: its directory */
	bool split;            /* a directory has two records: for files and for subdirectories */
	const char *text;      /* the names; borrowed from text_bytes */
	struct bytes *text_bytes;
};

/* Build the tree. names: a name table (wire/called.h), or NULL. -EINVAL: it has an invalid line. */
int tree_build(
	const struct manifest *m, const struct bytes *names, struct tree **ret, struct error *e);
void tree_free(struct tree *t);
DEFINE_CLEANUP(struct tree, tree_free);

static inline const char *tree_name(const struct tree *t, const struct tree_child *c)
{
	return t->text + c->name;
}

/* Fold a name: upper case, no needless escapes, cut to NAME_MAX bytes. ret: NAME_MAX + 1 bytes. */
void tree_fold(const char *name, char *ret);
/* Find a child by `name`, or else by the folded `name`, in any case. NULL: there is none. */
const struct tree_child *tree_find(const struct tree *t, uint32_t dir, const char *name);
