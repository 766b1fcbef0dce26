/* SPDX-License-Identifier: Zlib */
#include "base/bytes.h"

#include <string.h>

#include "base/refs.h"

struct bytes *bytes_new(uint64_t size, uint8_t **ret_data)
{
	struct bytes *b;

	if (size > SIZE_MAX - sizeof(*b))
		return NULL;
	/* With calloc, the pages of a large span use no memory until they are written. */
	b = calloc(1, sizeof(*b) + (size_t)size);
	if (!b)
		return NULL;
	atomic_init(&b->refs, 1);
	b->size = (size_t)size;
	b->data = (const uint8_t *)(b + 1);
	if (ret_data)
		*ret_data = (uint8_t *)(b + 1);
	return b;
}

void bytes_init(struct bytes *b, size_t size, void (*free)(struct bytes *b))
{
	atomic_init(&b->refs, 1);
	b->size = size;
	b->data = NULL;
	b->free = free;
}

struct bytes *bytes_copy(const void *data, size_t size)
{
	uint8_t *to;
	struct bytes *b = bytes_new(size, &to);

	if (b && size)
		memcpy(to, data, size);
	return b;
}

struct bytes *bytes_resize(struct bytes *b, uint64_t size, uint8_t **ret_data)
{
	struct bytes *to;

	if (size > SIZE_MAX - sizeof(*b))
		return NULL;
	to = realloc(b, sizeof(*to) + (size_t)size);
	if (!to)
		return NULL;
	if (!b) {
		atomic_init(&to->refs, 1);
		to->free = NULL;
	}
	to->size = (size_t)size;
	to->data = (const uint8_t *)(to + 1);
	if (ret_data)
		*ret_data = (uint8_t *)(to + 1);
	return to;
}

bool bytes_equal(const struct bytes *a, const struct bytes *b)
{
	return a == b || (a && b && a->size == b->size && memcmp(a->data, b->data, a->size) == 0);
}

DEFINE_REF(struct bytes, bytes_ref)

void bytes_unref(struct bytes *b)
{
	if (!b || !refs_drop(&b->refs))
		return;
	if (b->free)
		b->free(b);
	else
		free(b);
}
