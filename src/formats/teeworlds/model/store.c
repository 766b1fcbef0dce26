/* SPDX-License-Identifier: Zlib */
#include "formats/teeworlds/model/store.h"

#include <errno.h>
#include <stdlib.h>

#include "base/threads/parallel.h"

int tw_store_extent(
	const struct tw_map *m, const struct extent *content, struct blob **ret, struct error *e)
{
	struct store *store = m->shared->store;
	CLEANUP_EXTENT struct extent packed = EXTENT_INIT;
	CLEANUP_EXTENT struct extent kept = EXTENT_INIT;
	int r;

	if (content->size > INT32_MAX)
		return error_set(e, -EINVAL, "the content has %llu bytes (at most %d)",
			(unsigned long long)content->size, INT32_MAX);
	r = deflate_all(content, store->spool_dirfd, &packed, e);
	if (r == 0)
		r = store->keep(store, &packed, &kept, e);
	if (r < 0)
		return r;
	*ret = blob_new(&kept, BLOB_ZLIB, content->size, m->shared->budget);
	return *ret ? 0 : error_set(e, -ENOMEM, "out of memory");
}

int tw_store_bytes(
	const struct tw_map *m, struct bytes *content, struct blob **ret, struct error *e)
{
	CLEANUP_EXTENT struct extent x = extent_of_bytes(bytes_ref(content));

	return tw_store_extent(m, &x, ret, e);
}

int tw_append_part(struct blob *b, uint64_t from, uint64_t end, struct spool *out, struct error *e)
{
	uint8_t chunk[4096];
	int r = 0;

	for (size_t n; r == 0 && from < end; from += n) {
		n = end - from < sizeof(chunk) ? (size_t)(end - from) : sizeof(chunk);
		r = blob_read(b, from, chunk, n, e);
		if (r == 0)
			r = spool_append(out, chunk, n, e);
	}
	return r;
}

int tw_recipe_compose(struct tw_recipe *r, struct extent *ret, struct error *e)
{
	CLEANUP(spool_destroy) struct spool *out = spool_create(r->store->spool_dirfd);
	int k = out ? r->compose(r, out, e) : error_set(e, -ENOMEM, "out of memory");

	int s = k < 0 ? k : spool_extent(out, ret, e);

	return s < 0 ? s : k;
}

/* Get r->source as it is stored. Returns 1 if the blob is not stored compressed. */
static int copy_source(struct tw_recipe *r, struct extent *ret, uint64_t *ret_size, struct error *e)
{
	int k = blob_materialize(r->source, e);

	if (k < 0 || r->source->coding != BLOB_ZLIB)
		return k < 0 ? k : 1;
	*ret = extent_ref(&r->source->stored);
	*ret_size = r->source->size;
	return 0;
}

static int deflate_chunk(void *arg, const void *data, size_t n, struct error *e)
{
	return deflater_append(arg, data, n, e);
}

/* Compose and compress in one pass. *ret_size: the decoded size. 1: the content is r->source's. */
static int compose_packed(
	struct tw_recipe *r, struct extent *ret, uint64_t *ret_size, struct error *e)
{
	CLEANUP(deflater_destroy)
	struct deflater *d = deflater_create(r->store->spool_dirfd);
	CLEANUP(spool_destroy) struct spool *out = d ? spool_create_sink(deflate_chunk, d) : NULL;
	int k = out ? r->compose(r, out, e) : error_set(e, -ENOMEM, "out of memory"), end;

	/* The content was valid when it was parsed, so it was not read correctly now. */
	if (k == -EINVAL || (k >= 0 && r->size != BLOB_SIZE_UNKNOWN && spool_size(out) != r->size))
		return error_set(e, -EIO, "cannot read the closed content again");
	if (k >= 0 && spool_size(out) > INT32_MAX)
		return error_set(e, -EFBIG, "a data item would have %llu bytes (at most %d)",
			(unsigned long long)spool_size(out), INT32_MAX);
	if (k < 0)
		return k;
	*ret_size = spool_size(out);
	end = deflater_end(d, ret, e);
	return end < 0 ? end : k;
}

static int make_stored(
	struct blob_recipe *recipe, struct extent *ret, uint64_t *ret_size, struct error *e)
{
	struct tw_recipe *r = (struct tw_recipe *)recipe;
	CLEANUP_EXTENT struct extent packed = EXTENT_INIT;
	int k = compose_packed(r, &packed, ret_size, e);

	if (k == 1)
		k = copy_source(r, ret, ret_size, e);
	else if (k == 0)
		k = 1;
	return k <= 0 ? k : r->store->keep(r->store, &packed, ret, e);
}

static void free_recipe(struct blob_recipe *recipe)
{
	struct tw_recipe *r = (struct tw_recipe *)recipe;

	if (r->finish)
		r->finish(r);
	blob_unref(r->source);
	free(r);
}

struct blob *tw_compose(const struct tw_map *m, struct tw_recipe *take, uint64_t size)
{
	take->recipe = (struct blob_recipe){make_stored, free_recipe};
	take->store = m->shared->store;
	take->size = size;
	return blob_new_composed(&take->recipe, size, m->shared->budget);
}

struct tw_recipe *tw_recipe_of(const struct blob *b)
{
	return b && b->recipe && b->recipe->make == make_stored && !blob_is_materialized(b)
		       ? (struct tw_recipe *)b->recipe
		       : NULL;
}

static int make_one(void *arg, size_t i, struct error *e)
{
	struct blob **blobs = arg;

	return blob_materialize(blobs[i], e);
}

int tw_materialize_all(const struct tw_map *m, struct error *e)
{
	CLEANUP(free) struct blob **blobs = malloc((m->n_blobs + 1) * sizeof(struct blob *));
	size_t n = 0;

	if (!blobs)
		return error_set(e, -ENOMEM, "out of memory");
	for (size_t i = 0; i < m->n_blobs; i++)
		if (m->blobs[i] && !blob_is_materialized(m->blobs[i]))
			blobs[n++] = m->blobs[i];
	return n ? parallel_each(n, make_one, blobs, e) : 0;
}

struct content_recipe {
	struct tw_recipe recipe; /* first */
	struct content *content;
};

static int copy_content(struct tw_recipe *r, struct spool *out, struct error *e)
{
	const struct content_recipe *g = (struct content_recipe *)r;
	const struct extent *x = &g->content->bytes;
	uint8_t chunk[4096];
	int k = 0;

	for (uint64_t at = 0; k == 0 && at < x->size; at += sizeof(chunk)) {
		size_t n = x->size - at < sizeof(chunk) ? (size_t)(x->size - at) : sizeof(chunk);

		k = extent_read(x, at, chunk, n, e);
		if (k == 0)
			k = spool_append(out, chunk, n, e);
	}
	return k;
}

static void drop_content(struct tw_recipe *r)
{
	content_unref(((struct content_recipe *)r)->content);
}

int tw_compose_content(
	const struct tw_map *m, struct content *c, struct blob **ret, struct error *e)
{
	struct content_recipe *g;

	if (c->bytes.size > INT32_MAX)
		return error_set(e, -EINVAL, "the content has %llu bytes (at most %d)",
			(unsigned long long)c->bytes.size, INT32_MAX);
	g = calloc(1, sizeof(*g));
	if (g) {
		g->recipe = (struct tw_recipe){.compose = copy_content, .finish = drop_content};
		g->content = content_ref(c);
		*ret = tw_compose(m, &g->recipe, c->bytes.size);
	}
	return g && *ret ? 0 : error_set(e, -ENOMEM, "out of memory");
}

int tw_compose_zeros(const struct tw_map *m, size_t n, struct blob **ret, struct error *e)
{
	CLEANUP_EXTENT struct extent x = extent_of_bytes(bytes_new(n, NULL));
	CLEANUP(content_unref) struct content *c = x.mem ? content_new(&x) : NULL;

	return c ? tw_compose_content(m, c, ret, e) : error_set(e, -ENOMEM, "out of memory");
}
