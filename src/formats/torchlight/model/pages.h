/* SPDX-License-Identifier: Zlib */
/* pages: a table of ref-counted objects by number. Copies share the pages in which they do not
 * differ, so each version of a map can have a table of its own. */
#pragma once

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

struct pages {
	/* Drop one reference; accepts NULL. Each object begins with its count, an atomic_uint. */
	void (*drop)(void *object);
	struct page **all; /* n pages; a NULL page has only NULL objects */
	size_t n;          /* an empty table is {.drop = ...} */
};

/* The object with number i, borrowed; or NULL. */
void *pages_get(const struct pages *p, uint32_t i);
/* Set object i. Takes ownership of the reference, also on failure; drops the old one. -ENOMEM. */
int pages_set(struct pages *p, uint32_t i, void *take);
/* Initialize `to` as a copy of `from`. -ENOMEM: `to` is empty. */
int pages_copy(struct pages *to, const struct pages *from);
void pages_finish(struct pages *p);
