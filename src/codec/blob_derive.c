/* SPDX-License-Identifier: Zlib */
/* Derived bytes that are cached with a blob. */
#include <errno.h>
#include <string.h>

#include "codec/blob.h"

static bool has_key(const struct bytes *derived, uint64_t key)
{
	return memcmp(derived->data, &key, sizeof(key)) == 0;
}

int blob_derive(struct blob *b, uint64_t key, budget_load_fn make, void *arg, struct bytes **ret,
	struct error *e)
{
	CLEANUP(bytes_unref) struct bytes *found = NULL;
	int r = b->budget ? budget_get_kept(b->budget, &b->derived, make, arg, &found, e)
			  : make(arg, &found, e);

	if (r == 0 && !has_key(found, key)) {
		budget_drop(b->budget, &b->derived);
		bytes_unref(TAKE(found));
		r = budget_get_kept(b->budget, &b->derived, make, arg, &found, e);
	}
	/* Two threads want different keys: one of them makes its own bytes. */
	if (r == 0 && !has_key(found, key)) {
		bytes_unref(TAKE(found));
		r = make(arg, &found, e);
	}
	if (r == 0)
		*ret = TAKE(found);
	return r;
}

/* Find the slot of part i; NULL if the slots belong to another key. */
static int get_part_slot(
	struct blob *b, uint64_t key, size_t n, size_t i, struct budget_slot **ret, struct error *e)
{
	int r = 0;

	pthread_mutex_lock(&b->lock);
	if (!b->parts) {
		b->parts = calloc(n, sizeof(*b->parts));
		b->n_parts = b->parts ? n : 0;
		b->parts_key = key;
	}
	if (!b->parts)
		r = error_set(e, -ENOMEM, "out of memory");
	*ret = b->parts && b->parts_key == key ? &b->parts[i] : NULL;
	pthread_mutex_unlock(&b->lock);
	return r;
}

int blob_derive_part(struct blob *b, uint64_t key, size_t n, size_t i, budget_load_fn make,
	void *arg, struct bytes **ret, struct error *e)
{
	struct budget_slot *slot = NULL;
	int r = b->budget ? get_part_slot(b, key, n, i, &slot, e) : 0;

	if (r < 0)
		return r;
	return slot ? budget_get_kept(b->budget, slot, make, arg, ret, e) : make(arg, ret, e);
}
