/* SPDX-License-Identifier: Zlib */
/* picture: the map as a PNG, drawn when a program reads it. Its size follows from the size of the
 * game layer. The pixels drawn last are kept in the budget, for one version of the map. */
#include <errno.h>

#include "codec/image/png.h"
#include "formats/teeworlds/lens/kinds.h"
#include "formats/teeworlds/preview/view.h"

struct drawing {
	const struct tw_map *m;
	enum tw_picture picture;
};

/* Size of the file: 0 if the map has no game layer. */
static uint64_t picture_size(const struct tw_map *m)
{
	uint64_t size = 0;
	uint32_t w, h;

	if (tw_preview_size(m, m->shared->preview, &w, &h))
		(void)png_file_size(w, h, &size);
	return size;
}

static int picture_stat(const struct tw_map *m, entry_id id, struct file_attr *ret, struct error *)
{
	if (tw_id_index(id) >= TW_PICTURES || !m->shared->preview)
		return -ENOENT;
	tw_stat_file(ret, picture_size(m), true);
	ret->is_permanent = true;
	ret->is_generated = true;
	return 0;
}

/* A drawn picture, in the form that blob_derive needs: the key is at the start of the data. */
struct drawn {
	struct bytes counted; /* first */
	uint64_t key;
	struct picture picture;
	struct png_memo memo;
};

static void drawn_free(struct bytes *b)
{
	struct drawn *n = (struct drawn *)b;

	bytes_unref(n->picture.rgba);
	pthread_mutex_destroy(&n->memo.lock);
	free(n);
}

static int make_drawing(void *arg, struct bytes **ret, struct error *e)
{
	const struct drawing *d = arg;
	const struct tw_shared *sh = d->m->shared;
	struct preview how = {.size = sh->preview,
		.entities = d->picture == TW_PICTURE_ENTITIES,
		.part = ENTRY_ROOT,
		.image = sh->load_image,
		.arg = sh->image_arg};
	struct drawn *n;
	int r;

	n = calloc(1, sizeof(*n));
	if (!n)
		return error_set(e, -ENOMEM, "out of memory");
	r = tw_preview.draw(&d->m->base, &how, &n->picture, e);
	if (r < 0) {
		free(n);
		return r == -ENOMEM ? r : error_set(e, -EIO, "%s", error_text(e));
	}
	bytes_init(&n->counted, sizeof(*n) + n->picture.rgba->size, drawn_free);
	pthread_mutex_init(&n->memo.lock, NULL);
	n->counted.data = (const uint8_t *)&n->key;
	n->key = d->m->serial;
	*ret = &n->counted;
	return 0;
}

static int picture_get(
	const struct tw_map *m, entry_id id, uint64_t off, void *dst, size_t n, struct error *e)
{
	struct drawing d = {m, (enum tw_picture)tw_id_index(id)};
	CLEANUP(bytes_unref) struct bytes *found = NULL;
	CLEANUP_EXTENT struct extent pixels = EXTENT_INIT;
	struct drawn *w;
	int r;

	if (!n)
		return 0;
	r = blob_derive(m->shared->pictures[d.picture], m->serial, make_drawing, &d, &found, e);
	if (r < 0)
		return r;
	w = (struct drawn *)found;
	pixels = extent_of_bytes(bytes_ref(w->picture.rgba));
	return png_file_read(
		w->picture.w, w->picture.h, extent_read_fn, &pixels, &w->memo, off, dst, n, e);
}

/* Accept any content, because it does not change the map. */
static int picture_parse(
	const struct tw_map *, entry_id, struct content *in, struct parsed **ret, struct error *e)
{
	struct parsed *p = parsed_new(sizeof(*p), in, NULL);

	if (!p)
		return error_set(e, -ENOMEM, "out of memory");
	p->is_unchanged = true;
	*ret = p;
	return 0;
}

static int picture_apply(struct tw_change *, entry_id, const struct parsed *, struct error *)
{
	return 0;
}

const struct tw_kind tw_kind_picture = {
	.label = "picture.png",
	.stat = picture_stat,
	.get = picture_get,
	.parse = picture_parse,
	.apply = picture_apply,
};
