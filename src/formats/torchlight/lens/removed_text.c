/* SPDX-License-Identifier: Zlib */
#include "formats/torchlight/lens/lens.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "formats/torchlight/text/textform.h"
#include "formats/torchlight/wire/removed.h"

enum { REMOVED_MAX = UINT16_MAX };

/* Length of a blank at the begin of the line. A byte order mark counts: at the begin of the text it
 * would be dropped when the text is read back. */
static size_t leading_blank(struct str line)
{
	if (line.n && (*line.s == ' ' || *line.s == '\t'))
		return 1;
	return line.n >= 3 && !memcmp(line.s, "\xEF\xBB\xBF", 3) ? 3 : 0;
}

static int take_line(struct str line, unsigned number, struct buffer *out, struct error *e)
{
	size_t begin = out->size, blank;

	while (line.n && (line.s[line.n - 1] == ' ' || line.s[line.n - 1] == '\t'))
		line.n--;
	while ((blank = leading_blank(line)) > 0) {
		line.s += blank;
		line.n -= blank;
	}
	if (!line.n)
		return 0;
	for (size_t i = 0; i < line.n; i++)
		buffer_byte(out, (uint8_t)(line.s[i] == '\\' ? '/' : char_upper(line.s[i])));
	if (out->error)
		return error_set(e, -ENOMEM, "out of memory");
	if (!memchr(out->data + begin, '/', line.n) || out->data[begin] == '/' ||
		out->data[begin + line.n - 1] == '/')
		return text_error(e, number, 1,
			"not the path of a file in an archive (such as MEDIA/UNITS/X.DAT)");
	buffer_byte(out, '\n');
	return 0;
}

/* Drop duplicates; the first of them stays. */
static int drop_duplicates(struct buffer *lines, struct bytes **ret, struct error *e)
{
	CLEANUP(bytes_unref) struct bytes *all = NULL;
	CLEANUP_BUFFER struct buffer out = BUFFER_INIT;
	struct removed_set set = {0};
	struct str path;
	size_t at = 0, n;
	int r = buffer_finish(lines, &all);

	if (r == 0)
		r = removed_set_build(all, &set);
	n = set.n;
	while (r == 0 && removed_next(all, &at, &path)) {
		struct removed_path *p = removed_set_find(&set, path);

		if (p->is_recorded)
			continue;
		p->is_recorded = true;
		buffer_str(&out, path);
		buffer_byte(&out, '\n');
	}
	removed_set_finish(&set);
	if (r == 0 && n > REMOVED_MAX)
		return error_set(e, -EINVAL, "%zu removed files (at most %d)", n, REMOVED_MAX);
	if (r == 0)
		r = buffer_finish(&out, ret);
	return r < 0 ? error_set(e, r, "out of memory") : 0;
}

int removed_parse(const void *data, size_t size, struct bytes **ret, struct error *e)
{
	CLEANUP_BUFFER struct buffer utf8 = BUFFER_INIT;
	CLEANUP_BUFFER struct buffer lines = BUFFER_INIT;
	unsigned number = 0;
	int r = textform_read(data, size, &utf8, e);
	struct str rest = str_of_buffer(&utf8);

	while (r == 0 && rest.n)
		r = take_line(str_cut(&rest, '\n'), ++number, &lines, e);
	return r < 0 ? r : drop_duplicates(&lines, ret, e);
}
