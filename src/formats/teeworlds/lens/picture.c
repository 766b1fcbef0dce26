/* SPDX-License-Identifier: Zlib */
/*
 * picture: the map as a PNG, drawn when somebody reads it. Its size follows from that of the game
 * layer. What was drawn last of a version of the map is kept with the budget.
 */
#include <errno.h>
#include <string.h>

#include "codec/image/png.h"
#include "formats/teeworlds/lens/kinds.h"
#include "formats/teeworlds/preview/view.h"

struct drawing {
	const struct tw_map *m;
	enum tw_picture what;
};

/* Of a map without a game layer: nothing, an empty file. */
static uint64_t size_of(const struct tw_map *m)
{
	uint64_t size = 0;
	uint32_t w, h;

	if (tw_preview_size(m, m->shared->preview, &w, &h))
		(void)png_file_size(w, h, &size);
	return size;
}

static int picture_stat(const struct tw_map *m, entry_id id, struct entry *ret, struct error *)
{
	if (tw_id_index(id) >= TW_PICTURES || !m->shared->preview)
		return -ENOENT;
	tw_stat_file(ret, size_of(m), true);
	ret->fixed = true;
	ret->derived = true;
	return 0;
}

/* The file, behind the key as blob_derive wants it. */
static int make(void *arg, struct bytes **ret, struct error *e)
{
	const struct drawing *d = arg;
	const struct tw_shared *sh = d->m->shared;
	struct preview how = {.size = sh->preview,
		.entities = d->what == TW_PICTURE_ENTITIES,
		.part = ENTRY_ROOT,
		.image = sh->image,
		.arg = sh->image_arg};
	CLEANUP_EXTENT struct extent pixels = EXTENT_INIT;
	CLEANUP(bytes_unref) struct bytes *b = NULL;
	struct picture p;
	uint64_t size;
	uint8_t *data;
	int r = tw_preview.draw(&d->m->base, &how, &p, e);

	if (r < 0)
		return r == -ENOMEM ? r : error_set(e, -EIO, "%s", error_text(e));
	pixels = extent_of_bytes(p.rgba);
	r = png_file_size(p.w, p.h, &size);
	b = r < 0 ? NULL : bytes_new(sizeof(d->m->serial) + (size_t)size, &data);
	if (!b)
		return error_set(e, -ENOMEM, "no memory for a picture");
	memcpy(data, &d->m->serial, sizeof(d->m->serial));
	r = png_file_read(p.w, p.h, extent_read_fn, &pixels, NULL, 0, data + sizeof(d->m->serial),
		(size_t)size, e);
	if (r == 0)
		*ret = TAKE(b);
	return r;
}

static int picture_get(
	const struct tw_map *m, entry_id id, uint64_t off, void *dst, size_t n, struct error *e)
{
	struct drawing d = {m, (enum tw_picture)tw_id_index(id)};
	CLEANUP(bytes_unref) struct bytes *found = NULL;
	int r;

	if (!n)
		return 0;
	r = blob_derive(m->shared->pictures[d.what], m->serial, make, &d, &found, e);
	if (r < 0)
		return r;
	if (off + n > found->size - sizeof(m->serial))
		return error_set(e, -EIO, "the picture has other bytes than its size says");
	memcpy(dst, found->data + sizeof(m->serial) + off, n);
	return 0;
}

/* Whatever it is, the map stays what it was. */
static int picture_parse(
	const struct tw_map *, entry_id, const struct extent *, struct tw_change *, struct error *)
{
	return 0;
}

const struct tw_kind tw_kind_picture = {
	.label = "picture.png",
	.stat = picture_stat,
	.get = picture_get,
	.parse = picture_parse,
};
