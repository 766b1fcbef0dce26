/* SPDX-License-Identifier: Zlib */
/*
 * area: places in a layer, an image or a table, and how messages write them.
 *
 * Layers and images have x and y from 0, as in the game's editor. Tables that people edit have
 * lines and columns from 1, as in spreadsheets and text editors.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* A number of cells or pixels, and the smallest rectangle that contains all of them: x and y from
 * 0, including right and bottom. An empty area is all zeros. */
struct area {
	uint64_t n;
	size_t left, right, top, bottom;
};

static inline struct area area_at(size_t x, size_t y)
{
	return (struct area){1, x, x, y, y};
}

static inline void area_add(struct area *a, size_t x, size_t y)
{
	if (!a->n++)
		*a = area_at(x, y);
	a->left = x < a->left ? x : a->left;
	a->right = x > a->right ? x : a->right;
	a->top = y < a->top ? y : a->top;
	a->bottom = y > a->bottom ? y : a->bottom;
}

/* A text, as an argument for "%s". */
struct area_text {
	char text[128];
};
/* Rectangle of a nonempty area: "x 152, y 38", or "x 152 to 160, y 38". */
struct area_text area_text(struct area a);
/* Rectangle in a table: "line 39, column 153", or "line 39, columns 153 to 161". */
struct area_text area_text_of_table(struct area a);
