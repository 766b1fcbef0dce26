/* SPDX-License-Identifier: Zlib */
#include "formats/torchlight/wire/removed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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
	const struct removed_path *a = x, *b = y;

	return str_compare_nocase(a->path, b->path);
}

int removed_set_build(const struct bytes *text, struct removed_set *ret)
{
	size_t at = 0, n = 0;
	struct str path;

	while (removed_next(text, &at, &path))
		n++;
	*ret = (struct removed_set){.all = calloc(n + 1, sizeof(*ret->all))};
	if (!ret->all)
		return -ENOMEM;
	at = 0;
	for (size_t i = 0; i < n; i++)
		removed_next(text, &at, &ret->all[i].path);
	qsort(ret->all, n, sizeof(*ret->all), compare_nocase);
	for (size_t i = 0; i < n; i++)
		if (!i || compare_nocase(&ret->all[ret->n - 1], &ret->all[i]) != 0)
			ret->all[ret->n++] = ret->all[i];
	return 0;
}

struct removed_path *removed_set_find(const struct removed_set *set, struct str path)
{
	const struct removed_path key = {.path = path};

	return bsearch(&key, set->all, set->n, sizeof(key), compare_nocase);
}

void removed_set_finish(struct removed_set *set)
{
	free(set->all);
	*set = (struct removed_set){0};
}

/* Mark the entries of removed files. listed: NULL if the header has no list; then all entries
 * without offset and size are removed files. */
static int mark_removed(struct manifest *m, const struct removed_set *listed, struct buffer *said)
{
	CLEANUP_BUFFER struct buffer path = BUFFER_INIT;

	for (uint32_t i = 0; i < m->n_entries && !path.error; i++) {
		struct manifest_entry *x = &m->entries[i];

		if (x->offset || x->usize || x->type == MANIFEST_DIR)
			continue;
		path.size = 0;
		manifest_put_path(m, x, &path);
		if (listed && !removed_set_find(listed, str_of_buffer(&path)))
			continue;
		x->handle = MANIFEST_NO_FILE;
		buffer_byte(&path, '\n');
		if (!listed)
			buffer_str(said, str_of_buffer(&path));
	}
	return path.error;
}

int removed_find(
	struct manifest *m, const struct mod_header *h, struct bytes **ret, struct error *e)
{
	bool listed = h && h->version >= 3;
	CLEANUP(bytes_unref)
	struct bytes *list = listed ? bytes_copy(h->removed.s, h->removed.n) : NULL;
	CLEANUP_BUFFER struct buffer said = BUFFER_INIT;
	struct removed_set set = {0};
	int r = listed ? list ? removed_set_build(list, &set) : -ENOMEM : 0;

	if (r == 0)
		r = mark_removed(m, listed ? &set : NULL, &said);
	removed_set_finish(&set);
	if (r == 0 && !listed)
		r = buffer_finish(&said, &list);
	if (r < 0)
		return error_set(e, r, "out of memory");
	*ret = TAKE(list);
	return 0;
}

uint32_t removed_count(const struct manifest *m)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < m->n_entries; i++)
		n += manifest_removed(&m->entries[i]);
	return n;
}
