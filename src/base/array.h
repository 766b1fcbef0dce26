/* SPDX-License-Identifier: Zlib */
/*
 * array: arrays that grow as they are filled, kept as three fields (or locals): the elements
 * (malloc'ed, NULL at first), how many there are, and for how many there is room.
 *
 *	if (!array_room(l->items, l->n, l->room))
 *		return -ENOMEM;
 *	l->items[l->n++] = item;
 *
 * And where in an array that is in order something stands.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

enum { ARRAY_FIRST = 16 };

/* For array_room. NULL: no memory, or more than `most` elements. */
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

/* Is there room for one more element, perhaps made just now? false: all is as it was. `room` is an
 * unsigned integer of any width. */
#define array_room(items, n, room)                                                                 \
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

/* Of two numbers, as functions for qsort return it; several in a row are joined by ?: . */
#define array_order(a, b) (((a) > (b)) - ((a) < (b)))

/* The first i below n for which is_past(i), an expression in i, holds, as it does for all after it;
 * n where it holds for none. */
#define array_first(i, n, is_past)                                                                 \
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
