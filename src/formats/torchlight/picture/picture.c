/* SPDX-License-Identifier: Zlib */
#include "formats/torchlight/picture/picture.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "codec/image/dds.h"
#include "formats/torchlight/lens/lens.h"
#include "formats/torchlight/picture/imageset.h"

enum { TEXTURE_MAX = 128 << 20 }; /* bytes of a file */

static int load_file(const struct tl_map *m, entry_id id, struct bytes **ret, struct error *e)
{
	CLEANUP(tl_content_unref) struct tl_content *c = NULL;
	int r = tl_map_content(m, tl_index(id), &c, e);

	return r < 0 ? r : tl_content_load(c, TEXTURE_MAX, ret, e);
}

/* Find the file at a path from an image set. Changes path. */
static int find_file(const struct tl_map *m, char *path, entry_id *ret, struct error *e)
{
	entry_id at = ENTRY_ROOT;
	char *rest = NULL;
	int r = 0;

	for (char *c = path; *c; c++)
		if (*c == '\\')
			*c = '/';
	for (char *name = strtok_r(path, "/", &rest); r == 0 && name;
		name = strtok_r(NULL, "/", &rest))
		r = tl_find_entry(m, at, name, &at);
	if (r < 0 || tl_kind_of(at) != TL_FILE)
		return error_set(e, -ENOENT, "the texture is not in the archive");
	*ret = at;
	return 0;
}

static int read_set(const struct tl_map *m, const struct bytes *raw, const char *cut,
	struct bytes **ret_texture, struct imageset_cut *ret_cut, struct error *e)
{
	CLEANUP_BUFFER struct buffer file = BUFFER_INIT;
	entry_id id = ENTRY_ROOT;
	int r = imageset_find(raw, cut, &file, ret_cut, e);

	buffer_byte(&file, 0);
	if (r == 0 && file.error)
		r = error_set(e, -ENOMEM, "out of memory");
	if (r == 0)
		r = find_file(m, (char *)file.data, &id, e);
	return r < 0 ? r : load_file(m, id, ret_texture, e);
}

static int cut_out(
	const struct dds *d, const struct imageset_cut *c, struct picture *ret, struct error *e)
{
	uint8_t *to;

	if (!c->w || !c->h || c->x > d->w || c->y > d->h || c->w > d->w - c->x ||
		c->h > d->h - c->y)
		return error_set(e, -EINVAL,
			"the part (%u x %u at %u, %u) reaches past the texture (%u x %u)",
			(unsigned)c->w, (unsigned)c->h, (unsigned)c->x, (unsigned)c->y,
			(unsigned)d->w, (unsigned)d->h);
	ret->rgba = bytes_new((size_t)c->w * c->h * 4, &to);
	if (!ret->rgba)
		return error_set(e, -ENOMEM, "out of memory");
	ret->w = c->w;
	ret->h = c->h;
	for (uint32_t y = 0; y < c->h; y++)
		memcpy(to + (size_t)y * c->w * 4,
			d->rgba->data + ((size_t)(c->y + y) * d->w + c->x) * 4, (size_t)c->w * 4);
	return 0;
}

static int draw_picture(
	const struct snapshot *s, const struct preview *how, struct picture *ret, struct error *e)
{
	const struct tl_map *m = tl_map_of(s);
	CLEANUP(bytes_unref) struct bytes *raw = NULL, *texture = NULL;
	struct imageset_cut cut = {0};
	struct dds d;
	int r;

	if (how->part == ENTRY_ROOT || tl_kind_of(how->part) != TL_FILE)
		return error_set(e, how->part == ENTRY_ROOT ? -ENODATA : -EINVAL,
			"not a picture: name a texture (.DDS) or a part of an .IMAGESET");
	r = load_file(m, how->part, &raw, e);
	if (r == 0 && (raw->size < 4 || memcmp(raw->data, "DDS ", 4) != 0))
		r = read_set(m, raw, how->part_name, &texture, &cut, e);
	else if (r == 0 && how->part_name)
		r = error_set(e, -ENOENT, "a texture has no parts");
	if (r == 0)
		r = dds_decode(
			(texture ? texture : raw)->data, (texture ? texture : raw)->size, &d, e);
	if (r < 0)
		return r;
	if (!how->part_name)
		cut = (struct imageset_cut){0, 0, d.w, d.h};
	r = cut_out(&d, &cut, ret, e);
	bytes_unref(d.rgba);
	return r;
}

const struct format_preview tl_preview = {.draw = draw_picture, .has_named_parts = true};
