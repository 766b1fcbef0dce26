/* SPDX-License-Identifier: Zlib */
/*
 * array: growing arrays, and binary search.
 *
 * An array is three fields or locals: the elements (from malloc), their number, and the number of
 * elements that fit in the allocated memory. An empty array is NULL, 0 and 0.
 *
 *	if (!array_reserve(l->items, l->n, l->room))
 *		return -ENOMEM;
 *	l->items[l->n++] = item;
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

enum { ARRAY_FIRST = 16 }; /* elements that fit in the first allocation */

/* Implement array_reserve. Returns NULL if memory is exhausted or room would exceed `most`. */
static inline void *array_grow(void *items, size_t n, size_t *room, size_t size, uint64_t most)
{
	size_t larger = *room ? *room : ARRAY_FIRST, bytes;
	void *grown;

	if (items && n < *room)
		return items;
	if (*room && __builtin_mul_overflow(*room, (size_t)2, &larger))
		return NULL;
	if (larger > most || __builtin_mul_overflow(larger, size, &bytes))
		return NULL;
	grown = realloc(items, bytes);
	if (grown)
		*room = larger;
	return grown;
}

/* Make room for one more element. Returns false and changes nothing if that fails. `room` is an
 * unsigned integer of any width. */
#define array_reserve(items, n, room)                                                              \
	__extension__({                                                                            \
		size_t room_ = (room);                                                             \
		void *grown_ =                                                                     \
			array_grow((items), (n), &room_, sizeof(*(items)), (__typeof__(room))-1);  \
		if (grown_) {                                                                      \
			(items) = grown_;                                                          \
			(room) = (__typeof__(room))room_;                                          \
		}                                                                                  \
		grown_ != NULL;                                                                    \
	})

/* Compare two numbers as a function for qsort does. Join several comparisons with ?: . */
#define array_compare(a, b) (((a) > (b)) - ((a) < (b)))

/* Return the first i below n for which is_past, an expression in i, is true; n if there is none. It
 * must be true for all larger i, too. */
#define array_bisect(i, n, is_past)                                                                \
	__extension__({                                                                            \
		size_t low_ = 0, high_ = (n);                                                      \
		while (low_ < high_) {                                                             \
			size_t i = low_ + (high_ - low_) / 2;                                      \
			if (is_past)                                                               \
				high_ = i;                                                         \
			else                                                                       \
				low_ = i + 1;                                                      \
		}                                                                                  \
		low_;                                                                              \
	})
