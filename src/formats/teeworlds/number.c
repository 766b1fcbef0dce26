/* SPDX-License-Identifier: Zlib */
#include "formats/teeworlds/number.h"

#include <errno.h>

#include "codec/inflate.h"
#include "formats/teeworlds/fields.h"

/* One NUL byte: a data item of no bytes makes a map that DDNet does not load. */
static int make_filler(const struct tw_map *m, struct blob **ret, struct error *e)
{
	CLEANUP_EXTENT struct extent raw = extent_of_bytes(bytes_new(1, NULL));
	CLEANUP_EXTENT struct extent packed = EXTENT_INIT;
	bool v3 = m->shared->file_version == 3;
	int r;

	if (!raw.mem)
		return error_set(e, -ENOMEM, "no memory for a data item");
	r = deflate_all(&raw, m->shared->store->spool_dirfd, &packed, e);
	if (r < 0)
		return r;
	*ret = blob_new(v3 ? &raw : &packed, v3 ? BLOB_RAW : BLOB_ZLIB, 1, NULL);
	return *ret ? 0 : error_set(e, -ENOMEM, "no memory for a data item");
}

int numbering_init(struct numbering *n, const struct tw_map *m, struct error *e)
{
	bool known = tw_all_known(m), gaps = false;

	n->of = malloc((m->n_blobs + 1) * sizeof(*n->of));
	if (!n->of)
		return error_set(e, -ENOMEM, "no memory for the numbers of data items");
	for (size_t i = 0; i < m->n_blobs; i++) {
		bool in = m->blobs[i] || !known;

		n->of[i] = in ? (int32_t)n->n++ : -1;
		gaps |= in && !m->blobs[i];
	}
	return gaps ? make_filler(m, &n->filler, e) : 0;
}

void numbering_finish(struct numbering *n)
{
	free(n->of);
	blob_unref(n->filler);
}
