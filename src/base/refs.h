/* SPDX-License-Identifier: Zlib */
/*
 * refs: reference counts. An object has the member `atomic_uint refs`, initially 1. A holder of a
 * reference may take another one or drop its own, on any thread. The thread that drops the last one
 * frees the object:
 *
 *	if (b && refs_drop(&b->refs))
 *		free(b);
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>

static inline void refs_take(atomic_uint *refs)
{
	atomic_fetch_add_explicit(refs, 1, memory_order_relaxed);
}

/* Define T *name(T *x), which takes a reference to *x and returns x. x may be NULL. */
#define DEFINE_REF(type, name)                                                                     \
	type *name(type *x)                                                                        \
	{                                                                                          \
		if (x)                                                                             \
			refs_take(&x->refs);                                                       \
		return x;                                                                          \
	}

/* Drop a reference. Returns true if it was the last one; then this thread sees everything that
 * other threads did with the object. */
static inline bool refs_drop(atomic_uint *refs)
{
	return atomic_fetch_sub_explicit(refs, 1, memory_order_acq_rel) == 1;
}
