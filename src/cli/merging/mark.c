/* SPDX-License-Identifier: Zlib */
#include "cli/merging/mark.h"

#include <errno.h>
#include <string.h>

static const char name[] = "CONFLICT";

static struct merged *part(struct merge *m, struct merged *dir, const char *file)
{
	struct item *at[SIDES] = {[THEIRS] = item_made(dir ? dir->at[THEIRS] : NULL, file)};

	return at[THEIRS] ? merged_new(m, dir, at) : NULL;
}

static int text(const struct format_merging *how, const struct cells_mask *mask, struct bytes **ret)
{
	CLEANUP_BUFFER struct buffer out = BUFFER_INIT;
	const char *p = how->mark_text, *next;
	uint32_t sides[2] = {mask->width, mask->height};

	for (int i = 0; i < 2 && (next = strstr(p, "%u")); i++, p = next + 2) {
		buffer_append(&out, p, (size_t)(next - p));
		buffer_printf(&out, "%u", sides[i]);
	}
	buffer_text(&out, p);
	return buffer_finish(&out, ret);
}

int mark_add(struct merge *m, struct merged *layer, const struct cells_mask *mask)
{
	struct item *made, *at[SIDES] = {NULL};
	struct merged *x, *file, *table;
	struct bytes *b = NULL;
	int r;

	if (!m->how->mark_file)
		return 0;
	/* Below the directory of the layers in theirs, which frees it. */
	made = at[THEIRS] = item_made(layer->at[THEIRS]->up, name);
	if (!made || !(made->bare = strdup(name)))
		return -ENOMEM;
	made->dir = made->object = true;
	x = merged_new(m, layer->up, at);
	file = x ? part(m, x, m->how->mark_file) : NULL;
	table = file ? part(m, x, m->how->mark_table) : NULL;
	if (!table)
		return -ENOMEM;
	x->fate = file->fate = table->fate = FATE_ADD;
	x->after = layer;
	r = text(m->how, mask, &b);
	file->made = r == 0;
	file->content = extent_of_bytes(b);
	if (r == 0)
		r = cells_draw(m, mask, &table->content);
	table->made = r == 0;
	return r;
}
