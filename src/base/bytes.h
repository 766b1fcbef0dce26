/* SPDX-License-Identifier: Zlib */
/*
 * bytes: a span, that is, an immutable, reference-counted range of memory.
 *
 * The caller of bytes_new fills the span through *ret_data before it shares it. Nothing writes to
 * it afterwards. References may be taken and dropped on any thread. Functions that return a new
 * span return NULL if memory is exhausted or the size does not fit a size_t.
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
	void (*free)(struct bytes *b); /* frees the object that begins with b; NULL: free() */
};

/* Initialize the struct bytes that is the first member of another object, with one reference. The
 * object is counted and cached like a span (budget.h). size: the memory it takes; data is NULL. */
void bytes_init(struct bytes *b, size_t size, void (*free)(struct bytes *b));

/* Create a zeroed span. *ret_data (may be NULL) is set to its writable bytes. */
struct bytes *bytes_new(uint64_t size, uint8_t **ret_data);
struct bytes *bytes_copy(const void *data, size_t size);
/* Change the size of a span that is not shared yet, or create one if b is NULL. Keeps the content,
 * and does not zero new bytes. ret_data may be NULL. The result replaces b, except on failure. */
struct bytes *bytes_resize(struct bytes *b, uint64_t size, uint8_t **ret_data);
bool bytes_equal(const struct bytes *a, const struct bytes *b); /* NULL equals only NULL */
struct bytes *bytes_ref(struct bytes *b);                       /* NULL is fine */
void bytes_unref(struct bytes *b);
DEFINE_CLEANUP(struct bytes, bytes_unref);
