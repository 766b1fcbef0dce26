/* SPDX-License-Identifier: Zlib */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "formats/torchlight/lens.h"

/* What is small and made whole: a text, or a control file. */
static int load(const struct tl_map *m, entry_id id, struct bytes **ret, struct error *e)
{
	CLEANUP_BUFFER struct buffer out = BUFFER_INIT;
	int r;

	if (tl_kind_of(id) == TL_TEXT)
		return tl_text_load(m, tl_index(id), ret, NULL, e);
	if (id == tl_id(TL_CONTROL, TL_CONTROL_REMOVED)) {
		*ret = bytes_ref(m->removed);
		return 0;
	}
	if (id != tl_id(TL_CONTROL, TL_CONTROL_INFO))
		return error_set(e, -EISDIR, "a directory");
	tl_info_write(m, &out);
	r = buffer_finish(&out, ret);
	return r < 0 ? error_set(e, r, "no memory for .mod/info.json") : 0;
}

/* What cannot be shown is told with its path. Of something new that nobody wrote yet, there are no
 * bytes. */
static int failed(const struct tl_map *m, entry_id id, int r, struct error *e)
{
	CLEANUP_BUFFER struct buffer path = BUFFER_INIT;

	if (r == -ENODATA)
		r = error_set(e, -EIO, "it has no content yet");
	if (r < 0 && (tl_kind_of(id) == TL_FILE || tl_kind_of(id) == TL_TEXT) &&
		tl_file_path(m->shared, tl_index(id), &path) == 0)
		error_context(e, "%s", (const char *)path.data);
	return r;
}

int tl_size(const struct snapshot *s, entry_id id, uint64_t *ret, struct error *e)
{
	CLEANUP(bytes_unref) struct bytes *whole = NULL;
	struct entry en;
	int r = tl_stat(s, id, &en, e);

	if (r < 0)
		return r;
	if (en.sized) {
		*ret = en.size;
		return 0;
	}
	r = load(tl_map_of(s), id, &whole, e);
	if (r == 0)
		*ret = whole->size;
	return failed(tl_map_of(s), id, r, e);
}

int tl_get(
	const struct snapshot *s, entry_id id, uint64_t off, void *dst, size_t n, struct error *e)
{
	const struct tl_map *m = tl_map_of(s);
	CLEANUP(tl_content_unref) struct tl_content *c = NULL;
	CLEANUP(bytes_unref) struct bytes *whole = NULL;
	int r;

	if (tl_kind_of(id) == TL_FILE) {
		r = tl_map_content(m, tl_index(id), &c, e);
		return failed(m, id, r < 0 ? r : tl_content_read(c, off, dst, n, e), e);
	}
	r = load(m, id, &whole, e);
	if (r < 0)
		return failed(m, id, r, e);
	if (off > whole->size || n > whole->size - off)
		return error_set(e, -EINVAL, "%zu bytes at %" PRIu64 " are past the end (%zu)", n,
			off, whole->size);
	if (n)
		memcpy(dst, whole->data + off, n);
	return 0;
}
