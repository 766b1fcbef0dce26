/* SPDX-License-Identifier: Zlib */
/* data: a data item as its inflated bytes (layout rules 23, 24). */
#include <errno.h>

#include "codec/blob_equal.h"
#include "formats/teeworlds/lens/kinds.h"
#include "formats/teeworlds/model/store.h"

static struct blob *data_of(const struct tw_map *m, entry_id id)
{
	uint32_t i = tw_id_index(id);

	return i < m->n_blobs ? m->blobs[i] : NULL;
}

/* One that was added and has no content yet, or had: -ENODATA; of the file, it left: -EIO. */
static int lacks(const struct tw_map *m, entry_id id, struct error *e)
{
	if (m->shared->raw == TW_RAW_RW && tw_id_index(id) >= m->shared->n_blobs)
		return error_set(e, -ENODATA, "the data item has no content");
	return error_set(e, -EIO, "the data item left the map");
}

static int data_stat(const struct tw_map *m, entry_id id, struct entry *ret, struct error *e)
{
	struct blob *b = data_of(m, id);

	if (!b)
		return lacks(m, id, e);
	tw_stat_raw(ret, m, b->size);
	return 0;
}

static int data_get(
	const struct tw_map *m, entry_id id, uint64_t off, void *dst, size_t n, struct error *e)
{
	struct blob *b = data_of(m, id);

	if (!b)
		return lacks(m, id, e);
	return n ? blob_read(b, off, dst, n, e) : 0;
}

static int data_parse(const struct tw_map *m, entry_id id, const struct extent *in,
	struct tw_change *c, struct error *e)
{
	CLEANUP(blob_unref) struct blob *fresh = NULL;
	struct blob *b = data_of(m, id);
	bool same;
	int r;

	if (!b && tw_id_index(id) < m->shared->n_blobs)
		return error_set(e, -EIO, "the data item left the map");
	if (m->shared->raw != TW_RAW_RW)
		return error_set(e, -EROFS, "raw/ is read-only (-o raw=rw makes it writable)");
	if (in->size == 0 && b && b->size == 0)
		return 0;
	if (in->size == 0)
		return error_set(e, -EINVAL, "the file is empty (a data item has at least 1 byte)");
	/* Data that cannot be read may be replaced. */
	if (b && blob_equals_extent(b, in, &same, NULL) == 0 && same)
		return 0;
	r = tw_keep_extent(m, in, &fresh, e);
	if (r < 0)
		return r;
	tw_change_blob(c, tw_id_index(id), TAKE(fresh));
	return 0;
}

const struct tw_kind tw_kind_raw_data = {
	.label = "raw data",
	.stat = data_stat,
	.get = data_get,
	.parse = data_parse,
};
