/* SPDX-License-Identifier: Zlib */
/* write: an archive written anew, and read back. */
#pragma once

#include "formats/torchlight/model/map.h"

/* A piece of the section: copied, or made. */
struct tl_piece {
	struct extent x;
	uint64_t at; /* in the new section */
};

struct tl_plan {
	struct plan plan;
	struct tl_table *table;
	struct tl_spot *spots; /* by handle; not here: it is not written */
	bool *fresh;           /* by handle: its block was made anew */
	uint32_t n;
	struct tl_piece *pieces;
	size_t n_pieces, room;
	uint64_t size; /* of the section */
	uint32_t header_size, largest, hash, n_removed;
};

/* section.c: fills in all of p but table. */
int tl_layout(const struct tl_map *m, bool force, struct tl_plan *p, struct error *e);

/* The manifest of a table, whose files are where spots (by handle) say; NULL: anywhere. */
int tl_put_manifest(const struct tl_map *m, const struct tl_table *t, const struct tl_spot *spots,
	struct buffer *out, struct error *e);
/* called.c: appends what the mount calls files of a finalized map that a mount of it would call
 * otherwise (wire/called.h). */
int tl_put_called(const struct tl_map *m, struct buffer *out, struct error *e);

int tl_encode(const struct snapshot *s, struct replace *const outs[], bool force, struct plan **ret,
	struct error *e);
int tl_verify(const struct snapshot *s, const struct plan *p, const struct source *written,
	struct error *e);
