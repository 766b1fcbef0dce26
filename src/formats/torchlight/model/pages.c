/* SPDX-License-Identifier: Zlib */
#include "formats/torchlight/model/pages.h"

#include <errno.h>
#include <stdlib.h>

#include "base/refs.h"

enum { PAGE_BITS = 6, PAGE_SIZE = 1 << PAGE_BITS };

struct page {
	atomic_uint refs;    /* first, as in objects */
	void *at[PAGE_SIZE]; /* pages, and objects in those at the bottom */
};

/* The slot for i in a page of this level, 0 being the bottom. */
static unsigned slot(uint32_t i, unsigned level)
{
	return i >> (PAGE_BITS * level) & (PAGE_SIZE - 1);
}

static bool reaches(const struct pages *p, uint32_t i)
{
	return p->height && (uint64_t)i >> (PAGE_BITS * p->height) == 0;
}

void *pages_get(const struct pages *p, uint32_t i)
{
	void *at = reaches(p, i) ? p->root : NULL;

	for (unsigned level = p->height; at && level-- > 0;)
		at = ((struct page *)at)->at[slot(i, level)];
	return at;
}

/* What stands in a page, a page or an object. */
static void take(void *at)
{
	if (at)
		refs_take(at);
}

/* What stands in a page of this level; the recursion is as deep as the tree is high. */
static void drop(const struct pages *p, void *at, unsigned level)
{
	struct page *page = at;

	if (level == 0)
		p->drop(at);
	if (level == 0 || !page || !refs_drop(&page->refs))
		return;
	for (size_t i = 0; i < PAGE_SIZE; i++)
		drop(p, page->at[i], level - 1);
	free(page);
}

/* The page at *at, of this level, as one of p's own, to write to. */
static struct page *own(const struct pages *p, void **at, unsigned level)
{
	struct page *old = *at, *page;

	if (old && atomic_load_explicit(&old->refs, memory_order_acquire) == 1)
		return old;
	page = calloc(1, sizeof(*page));
	if (!page)
		return NULL;
	atomic_init(&page->refs, 1);
	for (size_t i = 0; old && i < PAGE_SIZE; i++) {
		page->at[i] = old->at[i];
		take(page->at[i]);
	}
	drop(p, old, level + 1);
	*at = page;
	return page;
}

/* A root above the root. */
static int rise(struct pages *p)
{
	void *root = NULL;
	struct page *page = own(p, &root, p->height);

	if (!page)
		return -ENOMEM;
	page->at[0] = p->root;
	p->root = page;
	p->height++;
	return 0;
}

int pages_set(struct pages *p, uint32_t i, void *object)
{
	void **at = &p->root;
	int r = 0;

	while (r == 0 && !reaches(p, i))
		r = rise(p);
	for (unsigned level = p->height; r == 0 && level-- > 0;) {
		struct page *page = own(p, at, level);

		at = page ? &page->at[slot(i, level)] : at;
		r = page ? 0 : -ENOMEM;
	}
	p->drop(r < 0 ? object : *at);
	if (r == 0)
		*at = object;
	return r;
}

void pages_copy(struct pages *to, const struct pages *from)
{
	*to = *from;
	take(to->root);
}

void pages_finish(struct pages *p)
{
	if (p->height)
		drop(p, p->root, p->height);
	*p = (struct pages){.drop = p->drop};
}
