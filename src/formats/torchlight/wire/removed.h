/* SPDX-License-Identifier: Zlib */
/*
 * removed: the files of the game that an archive hides, as a text with one full path in each line.
 *
 * A MOD lists them twice: in its header, and as manifest entries without an offset. A PAK, and a
 * MOD before version 3, has the entries only.
 */
#pragma once

#include "formats/torchlight/wire/manifest.h"
#include "formats/torchlight/wire/modheader.h"

/* Find the removed files: set the handle of their entries in m to MANIFEST_NO_FILE. These are the
 * files without offset and size; if the header (h, may be NULL) has a list, only those in it. *ret:
 * that list, with all its paths, else the paths of the entries; empty, not NULL. -ENOMEM. */
int removed_find(
	struct manifest *m, const struct mod_header *h, struct bytes **ret, struct error *e);
uint32_t removed_count(const struct manifest *m); /* after removed_find */

/* Get the next line of the text, without its line feed. *at is initially 0. false: the end. */
bool removed_next(const struct bytes *text, size_t *at, struct str *ret);

/* The paths of a text as a set; ASCII case does not matter. The text must outlive it. */
struct removed_path {
	struct str path;                           /* in the text; any of equal ones */
	bool is_recorded, was_listed, is_provided; /* false at first; for the owner of the set */
};

struct removed_set {
	struct removed_path *all; /* sorted */
	size_t n;
};

int removed_set_build(const struct bytes *text, struct removed_set *ret); /* -ENOMEM, *ret empty */
struct removed_path *removed_set_find(const struct removed_set *set, struct str path);
void removed_set_finish(struct removed_set *set);
