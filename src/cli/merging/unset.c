/* SPDX-License-Identifier: Zlib */
#include "cli/merging/unset.h"

#include <stdio.h>
#include <string.h>

#include "base/buffer.h"

enum { HEAD = 64 };

/* In canonical JSON each key of the outermost level begins a line. */
static size_t head_of(const struct format_merging *how, char head[HEAD])
{
	return (size_t)snprintf(head, HEAD, "  \"%s\": {\"%s\": ", how->unset_in, how->unset);
}

static size_t digits(const char *at, size_t n)
{
	size_t k = n && *at == '-';

	while (k < n && at[k] >= '0' && at[k] <= '9')
		k++;
	return k;
}

size_t unset_length(const struct format_merging *how, const char *line, size_t n)
{
	char head[HEAD];
	size_t k;

	if (!how->unset || n < 3 || line[2] != '"')
		return 0;
	k = head_of(how, head);
	return n > k && memcmp(line, head, k) == 0 ? k + digits(line + k, n - k) : 0;
}

/* Where it stands; *ret_n is 0: nowhere. */
static const char *find(const struct format_merging *how, const struct bytes *file, size_t *ret_n)
{
	char head[HEAD];
	size_t n = head_of(how, head);
	const char *at = memmem(file->data, file->size, head, n);

	at = at ? at + n : NULL;
	*ret_n = at ? digits(at, (size_t)((const char *)file->data + file->size - at)) : 0;
	return at;
}

int unset_as(const struct format_merging *how, struct bytes **file, const struct bytes *other)
{
	CLEANUP_BUFFER struct buffer out = BUFFER_INIT;
	const char *is, *was, *end;
	size_t n, m;

	if (!how->unset || !*file || !other)
		return 0;
	is = find(how, other, &n);
	was = find(how, *file, &m);
	if (!n || !m)
		return 0;
	end = (const char *)(*file)->data + (*file)->size;
	buffer_append(&out, (*file)->data, (size_t)(was - (const char *)(*file)->data));
	buffer_append(&out, is, n);
	buffer_append(&out, was + m, (size_t)(end - was) - m);
	bytes_unref(TAKE(*file));
	return buffer_finish(&out, file);
}
