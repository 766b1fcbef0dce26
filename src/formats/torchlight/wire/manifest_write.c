/* SPDX-License-Identifier: Zlib */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "formats/torchlight/wire/manifest.h"

enum { MHASH_AT = 2 };

static void put_ss(struct manifest_writer *w, struct str s)
{
	if (!w->error)
		w->error = ss_put(w->out, s, &w->why);
}

void manifest_begin(
	struct manifest_writer *w, struct buffer *out, uint16_t version, struct str root)
{
	*w = (struct manifest_writer){.out = out, .version = version};
	buffer_u16(out, version);
	if (version >= 2)
		buffer_u32(out, 0);
	put_ss(w, root);
	w->total_at = out->size;
	buffer_u32(out, 0);
	buffer_u32(out, 0);
}

static void finish_record(struct manifest_writer *w)
{
	if (w->out->error || !w->n_records)
		return;
	store_u32(w->out->data + w->entries_at, w->n_entries);
	if (w->record_has_file)
		buffer_u64(&w->paths, w->path_at);
}

void manifest_put_record(struct manifest_writer *w, struct str path)
{
	finish_record(w);
	w->path_at = w->out->size;
	put_ss(w, path);
	w->entries_at = w->out->size;
	buffer_u32(w->out, 0);
	w->n_records++;
	w->n_entries = 0;
	w->record_has_file = false;
}

void manifest_put_entry(struct manifest_writer *w, const struct manifest_entry *x, struct str name)
{
	buffer_u32(w->out, x->crc);
	buffer_byte(w->out, x->type);
	put_ss(w, name);
	buffer_u32(w->out, x->offset);
	buffer_u32(w->out, x->usize);
	buffer_u64(w->out, x->filetime);
	w->n_entries++;
	if (x->type != MANIFEST_DIR) {
		w->n_files++;
		w->record_has_file = true;
	}
}

static struct ss path_at(const uint8_t *data, const uint8_t *place)
{
	const uint8_t *p = data + load_u32(place);

	return (struct ss){p + 2, (uint16_t)(p[0] | p[1] << 8)};
}

static int by_path(const void *a, const void *b, void *data)
{
	struct ss x = path_at(data, a), y = path_at(data, b);
	int r = memcmp(x.units, y.units, 2 * (size_t)(x.n < y.n ? x.n : y.n));

	return r ? r : (x.n > y.n) - (x.n < y.n);
}

static uint32_t slashes(struct ss path)
{
	uint32_t n = 0;

	for (size_t i = 0; i < path.n; i++)
		n += path.units[2 * i] == '/' && !path.units[2 * i + 1];
	return n;
}

static uint32_t total(struct manifest_writer *w)
{
	uint8_t *paths = w->paths.data, *data = w->out->data;
	uint32_t sum = w->n_files;

	if (!w->paths.size)
		return sum;
	qsort_r(paths, w->paths.size / 8, 8, by_path, data);
	for (size_t i = 0; i < w->paths.size; i += 8)
		if (!i || by_path(paths + i - 8, paths + i, data))
			sum += slashes(path_at(data, paths + i));
	return sum;
}

int manifest_end(struct manifest_writer *w, unsigned step, struct error *e)
{
	int r = w->error;

	finish_record(w);
	if (r == 0 && (w->out->error || w->paths.error))
		r = error_set(&w->why, -ENOMEM, "no memory for the manifest");
	if (r == 0 && w->out->size > UINT32_MAX)
		r = error_set(&w->why, -EFBIG, "the manifest would have %zu bytes", w->out->size);
	if (r == 0) {
		store_u32(w->out->data + w->total_at, total(w));
		store_u32(w->out->data + w->total_at + 4, w->n_records);
		if (w->version >= 2)
			store_u32(w->out->data + MHASH_AT,
				manifest_hash(w->out->data, w->out->size, step));
	} else if (e) {
		*e = w->why;
	}
	buffer_finish_free(&w->paths);
	return r;
}
