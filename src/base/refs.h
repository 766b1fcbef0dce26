/* SPDX-License-Identifier: Zlib */
/*
 * refs: reference counts. An object has one as `atomic_uint refs`, which begins with 1, its
 * maker's. Any thread may take one for whoever already has one, and any thread may drop its own;
 * who drops the last one frees the object:
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

/* Defines T *name(T *x): one more reference to what x, which may be NULL, points at. */
#define DEFINE_REF(type, name)                                                                     \
	type *name(type *x)                                                                        \
	{                                                                                          \
		if (x)                                                                             \
			refs_take(&x->refs);                                                       \
		return x;                                                                          \
	}

/* Was that the last one? Then all that others did with the object before is visible here. */
static inline bool refs_drop(atomic_uint *refs)
{
	return atomic_fetch_sub_explicit(refs, 1, memory_order_acq_rel) == 1;
}
