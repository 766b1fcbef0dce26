/* SPDX-License-Identifier: Zlib */
/* Which format has a file: above all of them, as the table is. */
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "formats/format.h"

/* The words for files that people take for maps: downloads that went wrong, archives that hold a
 * map, files with the wrong ending. NULL: it is none of them. */
static const char *kind_of(const uint8_t *head, size_t n)
{
	static const struct {
		const char *kind, *mark;
	} kinds[] = {{"a zip archive", "PK\003\004"}, {"a 7z archive", "7z\274\257\047\034"},
		{"a RAR archive", "Rar!"}, {"a gzip file", "\037\213"}, {"an xz file", "\3757zXZ"},
		{"a PNG image", "\211PNG"}, {"a JPEG image", "\377\330\377"},
		{"an HTML page", "<!DOCTYPE html"}, {"an HTML page", "<html"},
		{"a pointer of Git LFS", "version https://git-lfs"}};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		size_t length = strlen(kinds[i].mark);

		if (n >= length && strncasecmp((const char *)head, kinds[i].mark, length) == 0)
			return kinds[i].kind;
	}
	return NULL;
}

int format_find(const struct source *src, const struct format **ret, struct error *e)
{
	uint8_t head[256];
	size_t n = src->sizes[0] < sizeof(head) ? (size_t)src->sizes[0] : sizeof(head);
	const char *kind;
	int r;

	r = file_read(src->files[0], 0, head, n, e);
	if (r < 0)
		return r;
	kind = kind_of(head, n);
	if (kind)
		return error_set(e, -EINVAL, "is %s, not a map", kind);
	for (size_t i = 0; formats[i]; i++) {
		if (formats[i]->probe(src, head, n)) {
			*ret = formats[i];
			return 0;
		}
	}
	return error_set(e, -EINVAL, "not a map of a known format");
}
