/* SPDX-License-Identifier: Zlib */
/* mapfs text: all of a map as one text, for git and other programs that compare lines. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "base/io.h"
#include "cli/cli.h"
#include "cli/command.h"
#include "cli/offline/walk.h"
#include "codec/text.h"

enum { TEXT_MAX = 1 << 30 }; /* bytes of one file that are looked at as a text */

struct text {
	struct offline tree;
	int worst;
	int failed; /* nobody takes the output any more */
};

static int is_text(const struct bytes *b)
{
	return !memchr(b->data, '\0', b->size) && utf8_valid(b->data, b->size);
}

static int print(struct text *x, const struct buffer *out)
{
	int r = out->error ? out->error : io_write(STDOUT_FILENO, out->data, out->size);

	if (r < 0 && !x->failed) {
		fprintf(stderr, "mapfs: standard output: %s\n", strerror(-r));
		x->failed = r;
	}
	return r < 0 ? r : 0;
}

static int show(void *arg, const char *path, const struct attr *a)
{
	struct text *x = arg;
	CLEANUP(bytes_unref) struct bytes *content = NULL;
	CLEANUP_BUFFER struct buffer out = BUFFER_INIT;
	int r;

	if (S_ISDIR(a->mode))
		return 0;
	r = offline_read_all(&x->tree, a, TEXT_MAX, &content);
	if (r < 0) {
		x->worst = command_fail(&x->tree, path, r);
		buffer_printf(&out, "# %s cannot be read\n", path);
	} else if (!is_text(content)) {
		buffer_printf(&out, "# %s %zu bytes, CRC-32 %08lx\n", path, content->size,
			crc32_z(0, content->data, content->size));
	} else {
		buffer_printf(&out, "# %s\n", path);
		buffer_append(&out, content->data, content->size);
		if (content->size && content->data[content->size - 1] != '\n')
			buffer_byte(&out, '\n');
	}
	return print(x, &out);
}

static int match(void *arg, const char *path, const struct attr *a)
{
	(void)a;
	return offline_walk(&((struct text *)arg)->tree, path, show, NULL, arg);
}

static int run(struct command *c, struct text *x)
{
	char root[] = "", *all[] = {root}, **paths = c->n_names > 1 ? c->names + 1 : all;
	int n = c->n_names > 1 ? c->n_names - 1 : 1;
	int r = command_open(c, c->names[0], NULL, 0, &x->tree);

	for (int i = 0; r == 0 && i < n && !x->failed; i++) {
		int one = offline_match(&x->tree, paths[i], match, x);

		if (one < 0 && !x->failed)
			x->worst = command_fail(&x->tree, paths[i], one);
	}
	return (int)command_outcome(r < 0 ? r : x->failed ? x->failed : x->worst);
}

int cli_text(int argc, char **argv)
{
	static const struct option long_options[] = {COMMAND_LONG_OPTIONS};
	struct text x = {0};
	struct command c;
	int option;

	command_begin(&c, "text");
	/* What raw/ shows the other files say, and its numbers change from save to save. */
	(void)options_add(&c.options, "raw=off", NULL);
	/* A checksum is the same however images are shown. */
	c.fixed = "png=stored";
	option = command_option(&c, argc, argv, COMMAND_LETTERS, long_options);
	if (option == -1 && c.n_names < 1)
		c.code = cli_usage("text: no file was named");
	if (option == -1 && c.n_names >= 1) {
		c.code = run(&c, &x);
		command_close(&x.tree);
	}
	command_finish(&c);
	return c.code;
}
