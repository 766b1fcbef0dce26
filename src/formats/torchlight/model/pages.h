/* SPDX-License-Identifier: Zlib */
/*
 * pages: a table of counted objects by number. Its copies share all in which they do not differ, so
 * that each version of a map can have one of its own: a tree whose pages hold pages and, at the
 * bottom, objects. A copy takes the root alone; what is set in it copies the pages on the way down.
 */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

struct pages {
	/* An object begins with its count, an atomic_uint; this drops one, NULL is fine. */
	void (*drop)(void *object);
	void *root;      /* the topmost page; NULL: all objects are */
	unsigned height; /* levels of pages */
};

/* Borrowed, or NULL. */
void *pages_get(const struct pages *p, uint32_t i);
/* Takes the reference, also on failure. -ENOMEM. */
int pages_set(struct pages *p, uint32_t i, void *take);
/* to is new. */
void pages_copy(struct pages *to, const struct pages *from);
void pages_finish(struct pages *p);
