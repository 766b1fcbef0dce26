/* SPDX-License-Identifier: Zlib */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "formats/torchlight/wire/manifest.h"

enum { MHASH_AT = 2 };

static int by_path(const void *x, const void *y)
{
	return str_compare(*(const struct str *)x, *(const struct str *)y);
}

static uint32_t slashes(struct str path)
{
	uint32_t n = 0;

	for (size_t i = 0; i < path.n; i++)
		n += path.s[i] == '/';
	return n;
}

static int find_total(const struct manifest *m, uint32_t *ret)
{
	CLEANUP(free) struct str *paths = calloc((size_t)m->n_records + 1, sizeof(*paths));
	size_t n = 0;

	if (!paths)
		return -ENOMEM;
	*ret = 0;
	for (uint32_t i = 0; i < m->n_records; i++) {
		const struct manifest_record *r = &m->records[i];
		uint32_t files = 0;

		for (uint32_t k = r->first; k < r->first + r->n; k++)
			files += m->entries[k].type != MANIFEST_DIR;
		if (files)
			paths[n++] = manifest_path(m, r);
		*ret += files;
	}
	qsort(paths, n, sizeof(*paths), by_path);
	for (size_t i = 0; i < n; i++)
		if (!i || !str_equal(paths[i - 1], paths[i]))
			*ret += slashes(paths[i]);
	return 0;
}

static int write_record(const struct manifest *m, const struct manifest_record *record,
	struct buffer *out, struct error *e)
{
	int r = ss_put(out, manifest_path(m, record), e);

	buffer_u32(out, record->n);
	for (uint32_t i = record->first; r == 0 && i < record->first + record->n; i++) {
		const struct manifest_entry *x = &m->entries[i];

		buffer_u32(out, x->crc);
		buffer_byte(out, x->type);
		r = ss_put(out, manifest_name(m, x), e);
		buffer_u32(out, x->offset);
		buffer_u32(out, x->usize);
		buffer_u64(out, x->filetime);
	}
	return r;
}

int manifest_write(const struct manifest *m, struct buffer *out, struct error *e)
{
	uint32_t total = 0;
	int r;

	if (m->text.error || find_total(m, &total) < 0)
		return error_set(e, -ENOMEM, "no memory for the manifest");
	buffer_u16(out, m->version);
	if (m->version >= 2)
		buffer_u32(out, 0);
	r = ss_put(out, manifest_root(m), e);
	buffer_u32(out, total);
	buffer_u32(out, m->n_records);
	for (uint32_t i = 0; r == 0 && i < m->n_records; i++)
		r = write_record(m, &m->records[i], out, e);
	if (r == 0 && out->error)
		r = error_set(e, -ENOMEM, "no memory for the manifest");
	if (r == 0 && out->size > UINT32_MAX)
		r = error_set(e, -EFBIG, "the manifest would have %zu bytes", out->size);
	if (r == 0 && m->version >= 2)
		store_u32(out->data + MHASH_AT,
			manifest_hash(out->data, out->size, m->step ? m->step : MANIFEST_STEP));
	return r;
}
