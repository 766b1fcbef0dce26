/* SPDX-License-Identifier: Zlib */
#include "codec/text/area.h"

#include <stdio.h>

/* Print "x 152" or "x 152 to 160". */
static int print_range(char *ret, size_t room, const char *name, size_t first, size_t last)
{
	return first == last ? snprintf(ret, room, "%s %zu", name, first)
			     : snprintf(ret, room, "%s %zu to %zu", name, first, last);
}

struct area_text area_text(struct area a)
{
	struct area_text ret;
	int n = print_range(ret.text, sizeof(ret.text), "x", a.left, a.right);

	print_range(ret.text + n, sizeof(ret.text) - (size_t)n, ", y", a.top, a.bottom);
	return ret;
}

struct area_text area_text_of_table(struct area a)
{
	const char *line = a.top == a.bottom ? "line" : "lines";
	const char *column = a.left == a.right ? ", column" : ", columns";
	struct area_text ret;
	int n = print_range(ret.text, sizeof(ret.text), line, a.top + 1, a.bottom + 1);

	print_range(ret.text + n, sizeof(ret.text) - (size_t)n, column, a.left + 1, a.right + 1);
	return ret;
}
