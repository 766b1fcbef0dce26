/* SPDX-License-Identifier: Zlib */
#include "cli/commands/rules.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/say.h"

enum { FILE_MAX = 1 << 20, PIECE = 4096 };

/* One format has rules as yet. Where another one gets some, what is in a file has to say whose they
 * are. */
static const struct format *format_with_rules(void)
{
	size_t i = 0;

	while (formats[i] && !formats[i]->rules)
		i++;
	return formats[i];
}

static bool is_named(const struct format *f, const char *name)
{
	const char *const *known = f->rules->names;

	while (*known && strcmp(*known, name) != 0)
		known++;
	return *known != NULL;
}

/* All of a file, which may be a pipe. */
static int read_file(const char *name, struct extent *ret, struct error *e)
{
	CLEANUP(close_fd) int fd = open(name, O_RDONLY | O_CLOEXEC);
	CLEANUP_BUFFER struct buffer all = BUFFER_INIT;
	struct bytes *bytes;
	ssize_t n = 1;
	uint8_t *at;

	while (fd >= 0 && n > 0 && all.size < FILE_MAX) {
		at = buffer_reserve(&all, PIECE);
		if (!at)
			return error_set(e, -ENOMEM, "out of memory");
		n = read(fd, at, PIECE);
		all.size += n > 0 ? (size_t)n : 0;
	}
	if (fd < 0 || n < 0)
		return error_errno(e, "cannot be read");
	if (buffer_finish(&all, &bytes) < 0)
		return error_set(e, -ENOMEM, "out of memory");
	*ret = extent_of_bytes(bytes);
	return 0;
}

static int add(struct command_rules *all, const char *name, struct error *e)
{
	const struct format_rules *r = all->format->rules;
	CLEANUP_EXTENT struct extent in = EXTENT_INIT;
	int wrong;

	if (is_named(all->format, name))
		return r->add_named(&all->rules, name, e);
	wrong = read_file(name, &in, e);
	if (wrong == -ENOENT)
		return error_set(e, wrong, "no such file, and no rules of that name (%s is one)",
			r->names[0]);
	return wrong < 0 ? wrong : r->add_file(&all->rules, &in, e);
}

int command_rules_open(const char *const *given, struct command_rules *ret)
{
	struct error e = ERROR_INIT;
	int r = 0;

	if (!given || !*given)
		return 0;
	ret->format = format_with_rules();
	for (; r == 0 && *given; given++) {
		r = add(ret, *given, &e);
		if (r < 0)
			say(stderr, "mapfs: %s: %s", *given, error_text(&e));
	}
	return r;
}

void command_rules_finish(struct command_rules *r)
{
	if (r->format)
		r->format->rules->free(r->rules);
}
