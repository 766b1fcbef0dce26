/* SPDX-License-Identifier: Zlib */
/*
 * pages: a table of counted objects by number. Its copies share all pages in which they do not
 * differ, so that each version of a map can have one of its own.
 */
#pragma once

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

struct pages {
	/* An object begins with its count, an atomic_uint; this drops one, NULL is fine. */
	void (*drop)(void *object);
	struct page **all; /* NULL: all objects in it are */
	size_t n;
};

/* Borrowed, or NULL. */
void *pages_get(const struct pages *p, uint32_t i);
/* Takes the reference, also on failure. -ENOMEM. */
int pages_set(struct pages *p, uint32_t i, void *take);
/* to is new. -ENOMEM. */
int pages_copy(struct pages *to, const struct pages *from);
void pages_finish(struct pages *p);
