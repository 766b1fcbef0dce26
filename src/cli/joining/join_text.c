/* SPDX-License-Identifier: Zlib */
/* Files that both sides changed, line by line. */
#include <errno.h>
#include <string.h>

#include "cli/joining/join.h"
#include "cli/joining/seq_merge.h"

static int lines_of(struct seq *s, const struct bytes *b)
{
	return b ? seq_lines(s, (const char *)b->data, b->size) : 0;
}

/* All but the last word. */
static struct span words(struct span line)
{
	while (line.n && line.at[line.n - 1] == ' ')
		line.n--;
	while (line.n && line.at[line.n - 1] != ' ')
		line.n--;
	return line;
}

static bool other_things(
	void *arg, const struct span *o, size_t n_o, const struct span *t, size_t n_t)
{
	(void)arg;
	if (n_o > 1000 || n_t > 1000)
		return false;
	for (size_t i = 0; i < n_o; i++)
		for (size_t j = 0; j < n_t; j++)
			if (!span_same(o[i], t[j]) && span_same(words(o[i]), words(t[j])))
				return false;
	return true;
}

int join_lines(const struct bytes *b, const struct bytes *o, const struct bytes *t, bool both,
	struct bytes **ret, char **clash)
{
	struct seq_join how = {.both = both ? other_things : NULL, .between = "\n"};
	CLEANUP_SEQ struct seq x = {0}, y = {0}, z = {0};
	CLEANUP_BUFFER struct buffer out = BUFFER_INIT;
	int r = lines_of(&x, b);

	if (r == 0)
		r = lines_of(&y, o);
	if (r == 0)
		r = lines_of(&z, t);
	if (r == 0)
		r = seq_merge(&x, &y, &z, &how, &out);
	if (r == 0 && out.size)
		buffer_byte(&out, '\n');
	*clash = NULL; /* counted in ours, from 1 */
	if (r == 0 && how.clashes)
		*clash = text_printf("%zu line%s, lines %zu to %zu", how.clashes,
			how.clashes == 1 ? "" : "s", how.first + 1, how.last + 1);
	if (r == 0 && how.clashes && !*clash)
		r = -ENOMEM;
	return r < 0 ? r : buffer_finish(&out, ret);
}
