/* SPDX-License-Identifier: Zlib */
/* area: cells or pixels that differ, and the rectangle that they are in. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* All zeros is an empty one. */
struct area {
	uint64_t n;
	size_t left, right, top, bottom;
};

static inline void area_add(struct area *a, size_t x, size_t y)
{
	if (!a->n++)
		*a = (struct area){1, x, x, y, y};
	a->left = x < a->left ? x : a->left;
	a->right = x > a->right ? x : a->right;
	a->top = y < a->top ? y : a->top;
	a->bottom = y > a->bottom ? y : a->bottom;
}
