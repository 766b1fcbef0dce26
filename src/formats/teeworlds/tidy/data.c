/* SPDX-License-Identifier: Zlib */
/* Data items: those that nothing refers to, and the others in less room. */
#include <inttypes.h>

#include "base/threads/parallel.h"
#include "codec/zlib/inflate.h"
#include "formats/teeworlds/model/change.h"
#include "formats/teeworlds/model/fields.h"
#include "formats/teeworlds/tidy/tidy.h"

enum { AT_ONCE_MAX = 64 << 20 /* what is larger stays as it is */ };

/* In whatever way the data of a map is stored, `better` is how it can be. */
struct packing {
	struct tw_map *m;
	struct blob **better; /* by handle; NULL: as it is */
};

static int pack(void *arg, size_t i, struct error *e)
{
	const struct packing *p = arg;
	struct blob *b = p->m->blobs[i];
	CLEANUP(bytes_unref) struct bytes *plain = NULL, *packed = NULL;
	struct extent x;

	/* What is damaged stays as it is. */
	if (!b || !b->size || b->size > AT_ONCE_MAX || blob_load(b, &plain, NULL) < 0)
		return 0;
	packed = deflate_best(plain);
	if (!packed)
		return error_set(e, -ENOMEM, "no memory to compress");
	if (b->coding == BLOB_ZLIB && packed->size >= b->stored.size)
		return 0;
	x = extent_of_bytes(TAKE(packed));
	p->better[i] = blob_new(&x, BLOB_ZLIB, b->size, p->m->shared->budget);
	extent_finish(&x);
	return p->better[i] ? 0 : error_set(e, -ENOMEM, "no memory to compress");
}

/* Content that was not in the file is no gain. */
static void take_better(struct tidying *t, struct packing *p)
{
	uint64_t gain = 0;
	size_t n = 0;

	for (size_t i = 0; i < p->m->n_blobs; i++) {
		struct blob *old = p->m->blobs[i], *b = p->better[i];

		if (!b)
			continue;
		if (i < t->from->n_blobs && old == t->from->blobs[i]) {
			gain += old->stored.size - b->stored.size;
			n++;
		}
		blob_unref(old);
		p->m->blobs[i] = TAKE(p->better[i]);
	}
	if (n)
		tidy_say(t, false, "compressed %zu data item%s: %" PRIu64 " bytes smaller", n,
			n == 1 ? "" : "s", gain);
}

static int drop_data(struct tidying *t, struct tw_map *m)
{
	struct tw_users users;
	int r = tw_users_count(m, &users);

	for (size_t i = 0; r == 0 && i < m->n_blobs; i++) {
		if (!m->blobs[i] || users.v[i])
			continue;
		blob_unref(TAKE(m->blobs[i]));
		tidy_say(t, false, "removed raw/data/%05zu: nothing refers to it", i);
	}
	free(users.v);
	return r;
}

int tidy_data(struct tidying *t, struct tw_map *m, struct error *e)
{
	struct packing p = {m, calloc(m->n_blobs + 1, sizeof(struct blob *))};
	int r = p.better ? 0 : -ENOMEM;

	if (r == 0 && t->known)
		r = drop_data(t, m);
	if (r < 0)
		error_set(e, r, "out of memory");
	/* The old container holds data as it is. */
	if (r == 0 && m->shared->file_version != 3)
		r = parallel_each(m->n_blobs, pack, &p, e);
	if (r == 0)
		take_better(t, &p);
	for (size_t i = 0; p.better && i < m->n_blobs; i++)
		blob_unref(p.better[i]);
	free(p.better);
	return r;
}
