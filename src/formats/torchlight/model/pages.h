/* SPDX-License-Identifier: Zlib */
/*
 * pages: a table of counted objects by number. Its copies share the pages in which they do not
 * differ, so that each version of a map can have one of its own.
 */
#ifndef FORMATS_TORCHLIGHT_MODEL_PAGES_H
#define FORMATS_TORCHLIGHT_MODEL_PAGES_H

#include <stdatomic.h>
#include <stdint.h>

enum { PAGE_SIZE = 256 };

/* How the objects are counted. */
struct paged {
	void (*take)(void *object);
	void (*drop)(void *object); /* NULL is fine */
};

struct page {
	atomic_uint refs;
	void *at[PAGE_SIZE];
};

struct pages {
	const struct paged *kind;
	struct page **all; /* NULL: all of its objects are */
	uint32_t n;
};

/* Borrowed, or NULL. */
void *pages_get(const struct pages *p, uint32_t i);
/* Takes the reference, also on failure. -ENOMEM. */
int pages_set(struct pages *p, uint32_t i, void *take);
/* to is new. -ENOMEM. */
int pages_copy(struct pages *to, const struct pages *from);
void pages_finish(struct pages *p);

#endif
