/* SPDX-License-Identifier: Zlib */
#include "formats/torchlight/wire/removed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "codec/text/text.h"

bool removed_has_list(const struct mod_header *h)
{
	return h && h->version >= 3;
}

bool removed_next(const struct bytes *text, size_t *at, struct str *ret)
{
	struct str rest = {(const char *)text->data + *at, text->size - *at};

	if (*at >= text->size)
		return false;
	*ret = str_cut(&rest, '\n');
	*at += ret->n + 1;
	return true;
}

static int compare_nocase(const void *x, const void *y)
{
	return str_compare_nocase(*(const struct str *)x, *(const struct str *)y);
}

int removed_set_of(const struct bytes *text, struct removed_set *ret)
{
	size_t at = 0, n = 0;
	struct str path;

	while (removed_next(text, &at, &path))
		n++;
	*ret = (struct removed_set){.sorted = calloc(n + 1, sizeof(struct str))};
	if (!ret->sorted)
		return -ENOMEM;
	at = 0;
	while (removed_next(text, &at, &ret->sorted[ret->n]))
		ret->n++;
	qsort(ret->sorted, ret->n, sizeof(struct str), compare_nocase);
	return 0;
}

bool removed_set_has(const struct removed_set *set, struct str path)
{
	return bsearch(&path, set->sorted, set->n, sizeof(path), compare_nocase) != NULL;
}

void removed_set_finish(struct removed_set *set)
{
	free(set->sorted);
	*set = (struct removed_set){0};
}

static int header_text(const struct mod_header *h, struct bytes **ret)
{
	CLEANUP_BUFFER struct buffer out = BUFFER_INIT;

	for (unsigned i = 0; i < h->n_removed; i++) {
		buffer_append(&out, h->removed[i].s, h->removed[i].n);
		buffer_byte(&out, '\n');
	}
	return buffer_finish(&out, ret);
}

static void put_path(const struct manifest *m, const struct manifest_entry *x, struct buffer *out)
{
	buffer_str(out, manifest_path(m, &m->records[x->record]));
	buffer_str(out, manifest_name(m, x));
}

int removed_mark(struct manifest *m, const struct mod_header *h, uint32_t *ret_n, struct error *e)
{
	CLEANUP(bytes_unref) struct bytes *list = NULL;
	CLEANUP_BUFFER struct buffer path = BUFFER_INIT;
	struct removed_set set = {0};
	bool listed = removed_has_list(h);
	int r = listed ? header_text(h, &list) : 0;

	if (r == 0 && listed)
		r = removed_set_of(list, &set);
	*ret_n = 0;
	for (uint32_t i = 0; r == 0 && i < m->n_entries; i++) {
		struct manifest_entry *x = &m->entries[i];

		x->removed = false;
		if (x->offset || x->usize || x->type == MANIFEST_DIR)
			continue;
		path.size = 0;
		if (listed)
			put_path(m, x, &path);
		x->removed = !listed || removed_set_has(&set, str_of_buffer(&path));
		*ret_n += x->removed;
		r = path.error;
	}
	removed_set_finish(&set);
	return r < 0 ? error_set(e, r, "no memory for the list of removed files") : 0;
}

int removed_text(
	const struct manifest *m, const struct mod_header *h, struct bytes **ret, struct error *e)
{
	CLEANUP_BUFFER struct buffer out = BUFFER_INIT;
	int r;

	for (uint32_t i = 0; !removed_has_list(h) && i < m->n_entries; i++) {
		if (!m->entries[i].removed)
			continue;
		put_path(m, &m->entries[i], &out);
		buffer_byte(&out, '\n');
	}
	r = removed_has_list(h) ? header_text(h, ret) : buffer_finish(&out, ret);
	return r < 0 ? error_set(e, r, "no memory for the list of removed files") : 0;
}
