/* SPDX-License-Identifier: Zlib */
/* data: the decoded bytes of a data item (layout rules 23, 24). */
#include <errno.h>

#include "codec/blob_equal.h"
#include "formats/teeworlds/lens/kinds.h"
#include "formats/teeworlds/lens/parsed.h"
#include "formats/teeworlds/model/store.h"

static struct blob *find_blob(const struct tw_map *m, entry_id id)
{
	uint32_t i = tw_id_index(id);

	return i < m->n_blobs ? m->blobs[i] : NULL;
}

/* Report a data item without a blob: -ENODATA if it was added since the mount, else -EIO. */
static int no_content_error(const struct tw_map *m, entry_id id, struct error *e)
{
	if (m->shared->raw == TW_RAW_RW && tw_id_index(id) >= m->shared->n_blobs)
		return error_set(e, -ENODATA, "the data item has no content");
	return error_set(e, -EIO, "the data item was removed from the map");
}

static int data_stat(const struct tw_map *m, entry_id id, struct file_attr *ret, struct error *e)
{
	struct blob *b = find_blob(m, id);

	if (!b)
		return no_content_error(m, id, e);
	tw_stat_raw(ret, m, 0);
	ret->has_size = blob_size(b) != BLOB_SIZE_UNKNOWN;
	ret->is_size_on_demand = !ret->has_size;
	if (ret->has_size)
		ret->size = blob_size(b);
	return 0;
}

static int data_get(
	const struct tw_map *m, entry_id id, uint64_t off, void *dst, size_t n, struct error *e)
{
	struct blob *b = find_blob(m, id);

	if (!b)
		return no_content_error(m, id, e);
	return n ? blob_read(b, off, dst, n, e) : 0;
}

static int data_size(const struct tw_map *m, entry_id id, uint64_t *ret, struct error *e)
{
	struct blob *b = find_blob(m, id);
	int r = b ? blob_materialize(b, e) : no_content_error(m, id, e);

	if (r == 0)
		*ret = b->size;
	return r;
}

/* Does the blob hold these bytes? An unreadable blob does not, so it may be replaced. */
static bool holds_content(struct blob *b, const struct extent *x)
{
	bool same = false;

	if (b && x->size == 0 && blob_size(b) == 0)
		return true;
	return b && blob_equals_extent(b, x, &same, NULL) == 0 && same;
}

static int data_parse(const struct tw_map *m, entry_id id, struct content *in, struct parsed **ret,
	struct error *e)
{
	CLEANUP(blob_unref) struct blob *fresh = NULL;
	struct blob *b = find_blob(m, id);
	bool same;
	int r = 0;

	if (!b && tw_id_index(id) < m->shared->n_blobs)
		return error_set(e, -EIO, "the data item was removed from the map");
	if (m->shared->raw != TW_RAW_RW)
		return error_set(e, -EROFS, "raw/ is read-only (use -o raw=rw)");
	same = holds_content(b, &in->bytes);
	if (in->bytes.size == 0 && !same)
		return error_set(e, -EINVAL, "the file is empty (a data item has at least 1 byte)");
	if (same)
		fresh = blob_ref(b);
	else
		r = tw_compose_content(m, in, &fresh, e);
	return r < 0 ? r : tw_parsed_blob(in, same, TAKE(fresh), ret, e);
}

static int data_apply(struct tw_change *c, entry_id id, const struct parsed *p, struct error *e)
{
	struct blob *fresh = tw_blob_of_parsed(p);

	if (tw_id_index(id) >= c->base->n_blobs)
		return error_set(e, -ENOENT, "no such data item");
	if (find_blob(c->base, id) != fresh)
		tw_change_set_blob(c, tw_id_index(id), blob_ref(fresh));
	return 0;
}

const struct tw_kind tw_kind_raw_data = {
	.label = "raw data",
	.stat = data_stat,
	.size = data_size,
	.get = data_get,
	.parse = data_parse,
	.apply = data_apply,
};
