/* SPDX-License-Identifier: Zlib */
#include "formats/torchlight/wire/called.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/name.h"
#include "formats/torchlight/wire/wire.h"

static int read_line(struct shown_names *c, char *line, uint32_t n)
{
	char *end;
	unsigned long entry;

	line += strlen(CALLED);
	entry = strtoul(line, &end, 10);
	if (end == line || *end != ' ' || entry >= n || strlen(end + 1) > NAME_MAX ||
		name_check(end + 1, strlen(end + 1)) < 0)
		return -EINVAL;
	c->names[entry] = end + 1;
	return 0;
}

int called_read(const struct bytes *text, uint32_t n, struct shown_names *ret, struct error *e)
{
	struct shown_names c = {0};
	int r = 0;

	*ret = c;
	if (!text)
		return 0;
	c.text = str_dup(str_of_bytes(text));
	c.names = calloc((size_t)n + 1, sizeof(*c.names));
	if (!c.text || !c.names)
		r = error_set(e, -ENOMEM, "out of memory");
	for (char *rest = c.text, *line; r == 0 && (line = strsep(&rest, "\n"));)
		if (called_is(line, strlen(line)) && read_line(&c, line, n) < 0)
			r = error_set(
				e, -EINVAL, "the list of names has an invalid line: %.100s", line);
	if (r < 0)
		called_finish(&c);
	else
		*ret = c;
	return r;
}

void called_finish(struct shown_names *c)
{
	free(c->text);
	free(c->names);
}

void called_put(struct buffer *out, uint32_t n, const char *name)
{
	buffer_printf(out, CALLED "%u %s\n", n, name);
}
