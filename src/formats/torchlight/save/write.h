/* SPDX-License-Identifier: Zlib */
/* write: lay out, write and verify an archive. */
#pragma once

#include "formats/torchlight/model/map.h"

/* A piece of the new PAK section: copied from the old one, or new bytes. */
struct tl_piece {
	struct extent x; /* an owned reference */
	uint64_t at;     /* offset in the new section */
};

struct tl_plan {
	struct plan plan;
	struct manifest manifest; /* borrowed from the version, except for its entries */
	bool *fresh;              /* by entry: it has a new block, which verify decodes */
	struct tl_piece *pieces;  /* in order, without the section's header */
	size_t n_pieces, room;
	uint64_t size;                       /* of the section, with its header */
	uint32_t header_size, largest, hash; /* of the section, as in wire/pak.h */
	/* The bytes before the pieces, which end with the section's header; and the manifest, which
	 * follows the pieces in a MOD and is the second file of a PAK. */
	struct extent front, back;
};

/* section.c: lay out a finalized map. The caller sets manifest and allocates its entries and fresh,
 * all zero; this sets the entries, fresh and the rest, except front and back. force: encode every
 * readable file again. -EFBIG if the section is too large for its offsets. */
int tl_layout(const struct tl_map *m, bool force, struct tl_plan *p, struct error *e);

/* called.c: append a line of wire/called.h for each entry of a finalized map that a new mount of
 * the saved archive would show by another name. */
int tl_put_shown_names(const struct tl_map *m, struct buffer *out, struct error *e);

/* write.c, verify.c: for struct format_edit. s is finalized. outs[0] is the MOD or PAK, outs[1] the
 * manifest of a PAK. *ret is a struct tl_plan, with which tl_verify compares the written files. */
int tl_encode(const struct snapshot *s, struct replace *const outs[], bool force, struct plan **ret,
	struct error *e);
int tl_verify(const struct snapshot *s, const struct plan *p, const struct source *written,
	struct error *e);
