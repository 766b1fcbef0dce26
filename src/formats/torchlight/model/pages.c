/* SPDX-License-Identifier: Zlib */
#include "formats/torchlight/model/pages.h"

#include <errno.h>
#include <stdlib.h>

#include "base/refs.h"

/* About the number of pages of a large archive: copying a table costs as much as copying a page. */
enum { PAGE_SIZE = 512 };

struct page {
	atomic_uint refs;
	void *at[PAGE_SIZE];
};

void *pages_get(const struct pages *p, uint32_t i)
{
	size_t k = i / PAGE_SIZE;

	return k < p->n && p->all[k] ? p->all[k]->at[i % PAGE_SIZE] : NULL;
}

static void drop_page(const struct pages *p, struct page *page)
{
	if (!page || !refs_drop(&page->refs))
		return;
	for (size_t i = 0; i < PAGE_SIZE; i++)
		p->drop(page->at[i]);
	free(page);
}

/* Return the page at *at for writing, copied if it is shared. NULL if memory is exhausted. */
static struct page *own_page(const struct pages *p, struct page **at)
{
	struct page *old = *at, *page;

	if (old && atomic_load_explicit(&old->refs, memory_order_acquire) == 1)
		return old;
	page = calloc(1, sizeof(*page));
	if (!page)
		return NULL;
	atomic_init(&page->refs, 1);
	for (size_t i = 0; old && i < PAGE_SIZE; i++)
		if ((page->at[i] = old->at[i]))
			refs_take(page->at[i]);
	drop_page(p, old);
	*at = page;
	return page;
}

static struct page *page_for(struct pages *p, size_t k)
{
	struct page **all = k < p->n ? p->all : realloc(p->all, (k + 1) * sizeof(*all));

	if (!all)
		return NULL;
	p->all = all;
	while (p->n <= k)
		all[p->n++] = NULL;
	return own_page(p, &all[k]);
}

int pages_set(struct pages *p, uint32_t i, void *object)
{
	struct page *page = page_for(p, i / PAGE_SIZE);
	void **at = page ? &page->at[i % PAGE_SIZE] : NULL;

	p->drop(at ? *at : object);
	if (at)
		*at = object;
	return at ? 0 : -ENOMEM;
}

int pages_copy(struct pages *to, const struct pages *from)
{
	*to = (struct pages){.drop = from->drop, .all = calloc(from->n + 1, sizeof(*to->all))};
	if (!to->all)
		return -ENOMEM;
	for (; to->n < from->n; to->n++)
		if ((to->all[to->n] = from->all[to->n]))
			refs_take(&to->all[to->n]->refs);
	return 0;
}

void pages_finish(struct pages *p)
{
	for (size_t i = 0; i < p->n; i++)
		drop_page(p, p->all[i]);
	free(p->all);
}
