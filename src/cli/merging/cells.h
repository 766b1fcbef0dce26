/* SPDX-License-Identifier: Zlib */
/*
 * cells: tables of numbers that both sides changed, cell by cell.
 *
 * The tables of one layer are planes of the same cells: where two sides changed a cell of one of
 * them, all of it stays as ours has it. So they are looked at first (cells_mark) and joined then.
 */
#ifndef CLI_MERGING_CELLS_H
#define CLI_MERGING_CELLS_H

#include <stdbool.h>

#include "base/bytes.h"

/* The three, as they were read; b may be NULL (all zeros). */
struct planes {
	const struct bytes *b, *o, *t;
};

struct cells_mask {
	uint32_t width, height; /* 0: nothing is marked yet */
	uint8_t *cells;         /* one each; free() */
};

/* What of theirs is not in the result. */
struct cells_clash {
	uint64_t n;
	uint32_t left, right, top, bottom; /* from 0 */
	bool size; /* both sides gave it another size, or a cell that ours changed is outside now */
};

/* Marks the cells that both sides changed, in different ways. -ENOTSUP: one is no table of numbers.
 */
int cells_mark(const struct planes *p, struct cells_mask *mask);
/* A table that is as both sides say, but as ours where mask says so. */
int cells_join(const struct planes *p, const struct cells_mask *mask, struct bytes **ret,
	struct cells_clash *clash);
/* A table of zeros, and ones where the mask says so. */
int cells_draw(const struct cells_mask *mask, struct bytes **ret);

#endif
