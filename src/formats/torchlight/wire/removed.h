/* SPDX-License-Identifier: Zlib */
/*
 * removed: the files of the game that an archive hides, as a text: a full path in each line.
 *
 * A MOD says it twice: in its header's list, and by entries of its manifest that have no place. A
 * PAK, and a MOD before version 3, has the entries alone.
 */
#pragma once

#include "formats/torchlight/wire/manifest.h"
#include "formats/torchlight/wire/modheader.h"

/* Marks the entries of m that are removed files as none. *ret: the text, which is the header's list
 * where it has one (h may be NULL), else what those entries say. */
int removed_find(
	struct manifest *m, const struct mod_header *h, struct bytes **ret, struct error *e);
/* How many entries name removed files. */
uint32_t removed_count(const struct manifest *m);

/* Each path of the text in order; *at begins as 0. false: there is no other. */
bool removed_next(const struct bytes *text, size_t *at, struct str *ret);

/* A set of the text's paths, in any ASCII case. */
struct removed_path {
	struct str path;
	bool said, mounted, provided; /* for whoever made the set */
};

struct removed_set {
	struct removed_path *all; /* in order */
	size_t n;
};

int removed_set_of(const struct bytes *text, struct removed_set *ret);
struct removed_path *removed_set_find(const struct removed_set *set, struct str path);
void removed_set_finish(struct removed_set *set);
