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
	struct manifest manifest; /* the version's, with entries of its own */
	bool *fresh;              /* by entry: its block was made anew */
	struct tl_piece *pieces;  /* without the section's header */
	size_t n_pieces, room;
	uint64_t size; /* of the section */
	uint32_t header_size, largest, hash;
	/* What stands before the pieces, with the section's header, and behind them, or in the
	 * second file. */
	struct extent front, back;
};

/* section.c: fills in the pieces and all that follows from them. */
int tl_layout(const struct tl_map *m, bool force, struct tl_plan *p, struct error *e);

/* called.c: appends what the mount calls files of a finalized map that a mount of it would call
 * otherwise (wire/called.h). */
int tl_put_called(const struct tl_map *m, struct buffer *out, struct error *e);

int tl_encode(const struct snapshot *s, struct replace *const outs[], bool force, struct plan **ret,
	struct error *e);
int tl_verify(const struct snapshot *s, const struct plan *p, const struct source *written,
	struct error *e);
