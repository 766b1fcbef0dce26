/* SPDX-License-Identifier: Zlib */
/*
 * bytes: an immutable, ref-counted span of memory.
 *
 * Made by bytes_new, filled once by its maker through the pointer it got, and never written again.
 * References may be taken and dropped on any thread.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

struct bytes {
	atomic_uint refs;
	size_t size;
	const uint8_t *data;
	void (*free)(struct bytes *b); /* where it is part of something else; NULL: free() */
};

/*
 * Something else that is counted and cached as spans are (see budget.h): its first member is a
 * struct bytes, whose size is the memory that it takes, and which has no data.
 */
void bytes_init(struct bytes *b, size_t size, void (*free)(struct bytes *b));

/* A span of size bytes, zeroed; *ret_data is where its maker writes. NULL when memory is short, or
 * the size does not fit a size_t. */
struct bytes *bytes_new(uint64_t size, uint8_t **ret_data);
struct bytes *bytes_copy(const void *data, size_t size);
/*
 * For a maker who has not shown b to anybody yet: another size, the content kept, what is new not
 * zeroed. b may be NULL. NULL when bytes_new returns it; b is then as before.
 */
struct bytes *bytes_resize(struct bytes *b, uint64_t size, uint8_t **ret_data);
bool bytes_same(const struct bytes *a, const struct bytes *b); /* NULL equals NULL alone */
struct bytes *bytes_ref(struct bytes *b);
void bytes_unref(struct bytes *b);
DEFINE_CLEANUP(struct bytes, bytes_unref);
