/* SPDX-License-Identifier: Zlib */
/* base: the files of one archive on the disk. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/refs.h"

#include "formats/torchlight/model/content.h"

struct tl_base *tl_base_new(
	const struct extent *section, uint32_t section_header, uint32_t n, struct budget *budget)
{
	struct tl_base *b = calloc(1, sizeof(*b));

	if (!b)
		return NULL;
	atomic_init(&b->refs, 1);
	pthread_mutex_init(&b->lock, NULL);
	b->section = extent_ref(section);
	b->section_header = section_header;
	b->budget = budget;
	b->n = n;
	b->spots = calloc((size_t)n + 1, sizeof(*b->spots));
	b->contents = calloc((size_t)n + 1, sizeof(*b->contents));
	if (!b->spots || !b->contents) {
		tl_base_unref(b);
		return NULL;
	}
	return b;
}

DEFINE_REF(struct tl_base, tl_base_ref)

void tl_base_unref(struct tl_base *b)
{
	if (!b || !refs_drop(&b->refs))
		return;
	for (uint32_t i = 0; b->contents && i < b->n; i++)
		tl_content_unref(b->contents[i]);
	free(b->contents);
	free(b->spots);
	extent_finish(&b->section);
	pthread_mutex_destroy(&b->lock);
	free(b);
}

static int make(
	struct tl_base *b, const struct tl_spot *spot, struct tl_content **ret, struct error *e)
{
	CLEANUP_EXTENT struct extent data = EXTENT_INIT;
	struct pak_block block = {.usize = 0};
	int r = 0;

	if (spot->offset)
		r = pak_block_read(&b->section, spot->offset, &block, e);
	if (r < 0)
		return r;
	if (block.usize != spot->usize)
		return error_set(e, -EIO,
			"the block has %" PRIu32 " bytes (the manifest says %" PRIu32 ")",
			block.usize, spot->usize);
	if (spot->offset)
		data = pak_block_data(&b->section, &block);
	*ret = tl_content_new(
		blob_new(&data, block.csize ? BLOB_ZLIB : BLOB_RAW, block.usize, b->budget),
		spot->crc, spot->filetime, b->budget);
	if (!*ret)
		return error_set(e, -ENOMEM, "no memory for a file");
	/* Of a file that is not stored, nobody wrote a sum. */
	if (!spot->offset)
		atomic_store_explicit(&(*ret)->state, TL_SOUND, memory_order_relaxed);
	return 0;
}

int tl_base_content(struct tl_base *b, uint32_t handle, struct tl_content **ret, struct error *e)
{
	struct tl_content *c;
	int r = 0;

	if (handle >= b->n || !b->spots[handle].here)
		return error_set(e, -ENODATA, "it has no content");
	pthread_mutex_lock(&b->lock);
	c = b->contents[handle];
	if (!c) {
		r = make(b, &b->spots[handle], &c, e);
		if (r == 0)
			b->contents[handle] = c;
	}
	if (r == 0)
		*ret = tl_content_ref(c);
	pthread_mutex_unlock(&b->lock);
	return r;
}

struct tl_content *tl_base_peek(struct tl_base *b, uint32_t handle)
{
	struct tl_content *c = NULL;

	if (handle >= b->n)
		return NULL;
	pthread_mutex_lock(&b->lock);
	c = tl_content_ref(b->contents[handle]);
	pthread_mutex_unlock(&b->lock);
	return c;
}
