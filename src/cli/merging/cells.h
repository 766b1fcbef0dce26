/* SPDX-License-Identifier: Zlib */
/*
 * cells: tables of numbers that both sides changed, cell by cell; read line by line, so that no
 * table is in memory.
 *
 * The tables of one layer are planes of the same cells: where two sides changed a cell of one of
 * them, all of it stays as ours has it. So they are looked at first (cells_mark) and joined then.
 */
#pragma once

#include <stdbool.h>

#include "base/disk/file.h"
#include "cli/compare/area.h"
#include "cli/merging/merged.h"

struct cells_mask {
	uint32_t width, height; /* 0: nothing is marked yet */
	uint8_t *cells;         /* a bit each; free() */
};

static inline bool cells_marked(const struct cells_mask *m, uint32_t x, uint32_t y)
{
	uint64_t at = (uint64_t)y * m->width + x;

	return m->cells && x < m->width && y < m->height && m->cells[at / 8] >> at % 8 & 1;
}

/* What of theirs is not in the result. */
struct cells_clash {
	struct area at;
	bool size; /* both sides gave it another size, or a cell that ours changed is outside now */
};

/* Marks the cells of a table that both sides changed, in different ways. One that base has not is
 * all zeros there. -ENOTSUP: one is no table of numbers. */
int cells_mark(struct merge *m, const struct merged *x, struct cells_mask *mask);
/* A table that is as both sides say, but as ours where mask says so. */
int cells_join(struct merge *m, const struct merged *x, const struct cells_mask *mask,
	struct extent *ret, struct cells_clash *clash);
/* A table of zeros, and ones where the mask says so. */
int cells_draw(const struct merge *m, const struct cells_mask *mask, struct extent *ret);
