/* SPDX-License-Identifier: Zlib */
/* Find the format of a file. */
#include <errno.h>

#include "codec/kind.h"
#include "formats/format.h"

int format_find(const struct source *src, const struct format **ret, struct error *e)
{
	uint8_t head[256];
	size_t n = src->sizes[0] < sizeof(head) ? (size_t)src->sizes[0] : sizeof(head);
	int r;

	r = file_read(src->files[0], 0, head, n, e);
	if (r < 0)
		return r;
	for (size_t i = 0; formats[i]; i++) {
		if (formats[i]->probe(src, head, n)) {
			*ret = formats[i];
			return 0;
		}
	}
	return format_explain(src, error_set(e, -EINVAL, "not a map of a known format"), e);
}

int format_explain(const struct source *src, int r, struct error *e)
{
	uint8_t head[KIND_HEAD];
	size_t n = src->sizes[0] < sizeof(head) ? (size_t)src->sizes[0] : sizeof(head);
	const char *kind = NULL;

	if (r == -EINVAL && file_read(src->files[0], 0, head, n, NULL) == 0)
		kind = file_kind(head, n);
	return kind ? error_set(e, r, "is %s, not a map", kind) : r;
}
