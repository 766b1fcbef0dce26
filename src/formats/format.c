/* SPDX-License-Identifier: Zlib */
#include "formats/format.h"

#include <string.h>

#include "base/refs.h"

void snapshot_init(struct snapshot *s, const struct format *f, void (*free)(struct snapshot *s))
{
	atomic_init(&s->refs, 1);
	s->format = f;
	s->free = free;
}

struct snapshot *snapshot_ref(const struct snapshot *s)
{
	struct snapshot *mine = (struct snapshot *)(uintptr_t)s;

	if (mine)
		refs_take(&mine->refs);
	return mine;
}

void snapshot_unref(struct snapshot *s)
{
	if (s && refs_drop(&s->refs))
		s->free(s);
}

bool format_changes_meaning(const struct format *f, const char *option)
{
	size_t n = strcspn(option, "=");

	for (const struct format_setting *s = f->settings; s && s->key; s++)
		if (strlen(s->key) == n && strncmp(s->key, option, n) == 0)
			return s->changes_meaning;
	return false;
}

int snapshot_size(const struct snapshot *s, entry_id id, uint64_t *ret, struct error *e)
{
	struct file_attr en;
	int r = s->format->stat(s, id, &en, e);

	if (r < 0)
		return r;
	if (!en.has_size)
		return s->format->size(s, id, ret, e);
	*ret = en.size;
	return 0;
}

void plan_free(struct plan *p)
{
	if (p)
		p->free(p);
}
