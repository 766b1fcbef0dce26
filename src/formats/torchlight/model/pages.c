/* SPDX-License-Identifier: Zlib */
#include "formats/torchlight/model/pages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/refs.h"

void *pages_get(const struct pages *p, uint32_t i)
{
	uint32_t page = i / PAGE_SIZE;

	return page < p->n && p->all[page] ? p->all[page]->at[i % PAGE_SIZE] : NULL;
}

static void page_unref(const struct pages *p, struct page *page)
{
	if (!page || !refs_drop(&page->refs))
		return;
	for (size_t i = 0; i < PAGE_SIZE; i++)
		p->kind->drop(page->at[i]);
	free(page);
}

/* A page of p's own, to write to. */
static struct page *own_page(struct pages *p, uint32_t page)
{
	struct page *old, *own;

	if (page >= p->n) {
		struct page **all = reallocarray(p->all, page + 1, sizeof(*all));

		if (!all)
			return NULL;
		memset(all + p->n, 0, (page + 1 - p->n) * sizeof(*all));
		p->all = all;
		p->n = page + 1;
	}
	old = p->all[page];
	if (old && atomic_load_explicit(&old->refs, memory_order_acquire) == 1)
		return old;
	own = calloc(1, sizeof(*own));
	if (!own)
		return NULL;
	atomic_init(&own->refs, 1);
	for (size_t i = 0; old && i < PAGE_SIZE; i++) {
		own->at[i] = old->at[i];
		if (own->at[i])
			p->kind->take(own->at[i]);
	}
	page_unref(p, old);
	p->all[page] = own;
	return own;
}

int pages_set(struct pages *p, uint32_t i, void *take)
{
	struct page *page = own_page(p, i / PAGE_SIZE);

	if (!page) {
		p->kind->drop(take);
		return -ENOMEM;
	}
	p->kind->drop(page->at[i % PAGE_SIZE]);
	page->at[i % PAGE_SIZE] = take;
	return 0;
}

int pages_copy(struct pages *to, const struct pages *from)
{
	*to = (struct pages){.kind = from->kind};
	to->all = calloc((size_t)from->n + 1, sizeof(*to->all));
	if (!to->all)
		return -ENOMEM;
	for (to->n = 0; to->n < from->n; to->n++) {
		to->all[to->n] = from->all[to->n];
		if (to->all[to->n])
			refs_take(&to->all[to->n]->refs);
	}
	return 0;
}

void pages_finish(struct pages *p)
{
	for (uint32_t i = 0; i < p->n; i++)
		page_unref(p, p->all[i]);
	free(p->all);
	*p = (struct pages){.kind = p->kind};
}
