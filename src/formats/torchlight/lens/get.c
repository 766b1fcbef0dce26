/* SPDX-License-Identifier: Zlib */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "formats/torchlight/lens/lens.h"
#include "formats/torchlight/lens/view.h"

/* Add the path to an error. A new file that was never written has no content. */
static int add_path_to_error(const struct tl_map *m, entry_id id, int r, struct error *e)
{
	CLEANUP_BUFFER struct buffer path = BUFFER_INIT;

	if (r == -ENODATA)
		r = error_set(e, -EIO, "no content yet");
	if (r < 0 && tl_kind_of(id) == TL_FILE && tl_file_path(m, tl_index(id), &path) == 0)
		error_context(e, "%s", (const char *)path.data);
	return r;
}

int tl_size(const struct snapshot *s, entry_id id, uint64_t *ret, struct error *e)
{
	CLEANUP(tl_content_unref) struct tl_content *c = NULL;
	const struct tl_map *m = tl_map_of(s);
	struct file_attr en;
	int r = tl_stat(s, id, &en, e);

	if (r == 0 && !en.has_size) {
		r = tl_view_find(m, tl_index(id), &c, NULL, e);
		if (r == 0)
			r = tl_stat(s, id, &en, e);
	}
	if (r == 0)
		*ret = en.size;
	return add_path_to_error(m, id, r, e);
}

static int get_whole(const struct bytes *whole, uint64_t off, void *dst, size_t n, struct error *e)
{
	if (off > whole->size || n > whole->size - off)
		return error_set(e, -EINVAL, "%zu bytes at %" PRIu64 " are past the end (%zu)", n,
			off, whole->size);
	if (n)
		memcpy(dst, whole->data + off, n);
	return 0;
}

static int get_file(
	const struct tl_map *m, uint32_t handle, uint64_t off, void *dst, size_t n, struct error *e)
{
	CLEANUP(tl_content_unref) struct tl_content *c = NULL;
	CLEANUP(bytes_unref) struct bytes *text = NULL;
	int r = tl_file_kind(m, handle) == COMPILED_NONE ? tl_map_content(m, handle, &c, e)
							 : tl_view_find(m, handle, &c, &text, e);

	if (r < 0)
		return r;
	return text ? get_whole(text, off, dst, n, e) : tl_content_read(c, off, dst, n, e);
}

int tl_get(
	const struct snapshot *s, entry_id id, uint64_t off, void *dst, size_t n, struct error *e)
{
	const struct tl_map *m = tl_map_of(s);
	CLEANUP(bytes_unref) struct bytes *whole = NULL;
	int r;

	if (tl_kind_of(id) == TL_FILE)
		return add_path_to_error(m, id, get_file(m, tl_index(id), off, dst, n, e), e);
	if (tl_is_dir(id))
		return error_set(e, -EISDIR, "is a directory");
	r = tl_load_control(m, tl_index(id), &whole, e);
	return r < 0 ? r : get_whole(whole, off, dst, n, e);
}

int tl_note(const struct snapshot *s, entry_id id, struct bytes **ret, struct error *e)
{
	const struct tl_map *m = tl_map_of(s);
	CLEANUP(tl_content_unref) struct tl_content *c = NULL;
	int r = -ENODATA;

	if (tl_kind_of(id) == TL_FILE && tl_file_kind(m, tl_index(id)) != COMPILED_NONE)
		r = tl_view_find(m, tl_index(id), &c, NULL, e);
	if (r == 0 && !c->note)
		r = -ENODATA;
	if (r < 0)
		return error_set(e, r, "no note");
	*ret = bytes_copy(c->note, strlen(c->note));
	return *ret ? 0 : error_set(e, -ENOMEM, "out of memory");
}
