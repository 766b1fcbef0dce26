/* SPDX-License-Identifier: Zlib */
/*
 * derive: the row of an index that follows from one file, as the modding kit writes it.
 *
 * What a unit does not say itself its BASEFILE says, which may be a file of the game that is not in
 * the archive. Such a value stays as the row has it; in a new row it is the kit's default.
 */
#pragma once

#include "formats/torchlight/index/row.h"
#include "formats/torchlight/index/source.h"

struct derived {
	struct buffer line;
	unsigned n_cells;
	size_t list_at;        /* in line */
	struct buffer upper;   /* scratch */
	const char *why_not;   /* the kit lists no such file, because of this; in memory for good */
	struct buffer lacking; /* what a new row is made without, for people; or empty */
};

void derived_finish(struct derived *d);

/* root: of the file's text. old: the row that lists it, or NULL. */
typedef int derive_fn(const struct sources *s, const struct source_file *f,
	const struct dat_block *root, const struct row *old, struct derived *ret, struct error *e);

derive_fn derive_unit;                                                       /* units.c */
derive_fn derive_affix, derive_skill, derive_triggerable, derive_roompieces; /* data.c */
derive_fn derive_missiles, derive_menu;                                      /* layouts.c */

/* Of a block; names that no dictionary has are found, too. NULL: none. */
const struct dat_field *derive_field(const struct dat_block *b, const char *name);
/* "" where there is none. */
struct str derive_text(const struct dat_block *b, const char *name);
bool derive_bool(const struct dat_block *b, const char *name);

/* In upper case (ASCII), until the next call. */
struct str derive_upper(struct derived *d, struct str text);

/* The next cell of the line. */
void derive_put(struct derived *d, struct str text);
void derive_put_number(struct derived *d, int64_t v);
/* ... which is that of the row as it is. */
void derive_keep(struct derived *d, struct str cell);
/* ... which is a list, of none so far; and an element of that. */
void derive_put_list(struct derived *d);
void derive_put_element(struct derived *d, struct str element);
/* An integer of a block, or otherwise. */
void derive_put_field(
	struct derived *d, const struct dat_block *b, const char *name, int64_t otherwise);
