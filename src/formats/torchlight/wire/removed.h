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

/* Does the header hold a list? h may be NULL. */
bool removed_has_list(const struct mod_header *h);

/* Marks the entries of m that are removed files; *ret_n: how many. */
int removed_mark(struct manifest *m, const struct mod_header *h, uint32_t *ret_n, struct error *e);

/* The text: the header's list where it has one, else the marked entries. */
int removed_text(
	const struct manifest *m, const struct mod_header *h, struct bytes **ret, struct error *e);

/* Each path of the text in order; *at begins as 0. false: there is no other. */
bool removed_next(const struct bytes *text, size_t *at, struct str *ret);

/* A set of the text's paths, in any ASCII case. */
struct removed_set {
	struct str *sorted;
	size_t n;
};

int removed_set_of(const struct bytes *text, struct removed_set *ret);
bool removed_set_has(const struct removed_set *set, struct str path);
void removed_set_finish(struct removed_set *set);
