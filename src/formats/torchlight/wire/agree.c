/* SPDX-License-Identifier: Zlib */
#include "formats/torchlight/wire/agree.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

static int by_offset(const void *x, const void *y, void *arg)
{
	const struct manifest_entry *all = arg;
	uint32_t a = all[*(const uint32_t *)x].offset, b = all[*(const uint32_t *)y].offset;

	return (a > b) - (a < b);
}

static int check_block(const struct archive *a, const struct manifest_entry *x, struct error *e)
{
	const struct manifest *m = a->manifest;
	const struct str path = manifest_path(m, &m->records[x->record]);
	const struct str name = manifest_name(m, x);
	struct error why = ERROR_INIT;
	struct pak_block b;
	int r = pak_block_read(&a->section, x->offset, &b, &why);

	if (r == 0 && b.usize == x->usize)
		return 0;
	if (r == 0)
		error_set(&why, -EINVAL,
			"its block has %" PRIu32 " bytes (the manifest says %" PRIu32 ")", b.usize,
			x->usize);
	return error_set(e, -EINVAL, "%.*s%.*s: %s", STR_SHORT(path, 300), STR_SHORT(name, 300),
		error_text(&why));
}

int agree_check(const struct archive *a, unsigned most, struct error *e)
{
	const struct manifest *m = a->manifest;
	CLEANUP(free) uint32_t *sorted = calloc((size_t)m->n_entries + 1, sizeof(*sorted));
	uint32_t n = 0, count;
	int r = 0;

	if (!sorted)
		return error_set(e, -ENOMEM, "no memory for the archive's blocks");
	for (uint32_t i = 0; i < m->n_entries; i++)
		if (m->entries[i].offset)
			sorted[n++] = i;
	qsort_r(sorted, n, sizeof(*sorted), by_offset, m->entries);
	count = most && most < n ? most : n;
	for (uint32_t i = 0; r == 0 && i < count; i++) {
		uint32_t at = count > 1 ? (uint32_t)((uint64_t)i * (n - 1) / (count - 1)) : 0;

		r = check_block(a, &m->entries[sorted[at]], e);
	}
	return r;
}
