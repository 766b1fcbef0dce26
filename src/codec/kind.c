/* SPDX-License-Identifier: Zlib */
#include "codec/kind.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

static const struct {
	const char *kind, *mark;
	size_t at;
	bool any_case;
} kinds[] = {
	{"a zip archive", "PK\003\004", 0, false},
	{"a 7z archive", "7z\274\257\047\034", 0, false},
	{"a RAR archive", "Rar!", 0, false},
	{"a gzip file", "\037\213", 0, false},
	{"an xz file", "\3757zXZ", 0, false},
	{"a PNG image", "\211PNG\r\n", 0, false},
	{"a JPEG image", "\377\330\377", 0, false},
	{"a GIF image", "GIF8", 0, false},
	{"a WebP image", "WEBP", 8, false},
	{"a BMP image", "BM", 0, false},
	{"a DDS image", "DDS ", 0, false},
	{"an HTML page", "<!DOCTYPE html", 0, true},
	{"an HTML page", "<html", 0, true},
	{"a pointer of Git LFS", "version https://git-lfs", 0, false},
};

const char *file_kind(const uint8_t *head, size_t n)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const char *mark = kinds[i].mark, *is = (const char *)head + kinds[i].at;
		size_t length = strlen(mark);

		if (n >= kinds[i].at + length &&
			(kinds[i].any_case ? strncasecmp(is, mark, length) == 0
					   : memcmp(is, mark, length) == 0))
			return kinds[i].kind;
	}
	return NULL;
}
