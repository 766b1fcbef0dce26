/* SPDX-License-Identifier: Zlib */
/* mapfs preview: draw a map as a picture. */
#include "formats/preview.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/disk/io.h"
#include "base/print.h"
#include "cli/cli.h"
#include "cli/line/command.h"
#include "formats/images.h"
#include "tools/compare/picture.h"

struct drawing {
	struct command command;
	struct preview preview;
	const char *layer, *size;
	struct images *images; /* images of the game */
	int out;               /* directory of the picture; -1: standard output */
	const char *name;
};

static void print_note(void *arg, const char *line)
{
	offline_print(arg, "%s", line);
}

/* Check the name of a picture. Returns an error text, or NULL if it is fine. */
static const char *check_picture_name(const char *name)
{
	const char *dot = strrchr(name, '.');

	if (!name[0])
		return "is a directory";
	return !dot || strcasecmp(dot, ".png") == 0 ? NULL
						    : "the name of a picture must end in .png";
}

/* Check the output file. Returns an error text, or NULL if it can be written. Only a PNG or an
 * empty file is overwritten. An empty file may have any name: a thumbnailer creates such a file. */
static const char *check_output(int dirfd, const char *name)
{
	static const uint8_t magic[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
	CLEANUP(close_fd)
	int fd = io_openat(dirfd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0);
	uint8_t begin[sizeof(magic)];
	struct stat st;

	if (fd == -ELOOP || fd == -ENXIO)
		return "is not a regular file";
	if (fd != -ENOENT) {
		if (fd < 0 || fstat(fd, &st) < 0)
			return strerror(fd < 0 ? -fd : errno);
		if (!S_ISREG(st.st_mode))
			return "is not a regular file";
		if (st.st_size == 0)
			return NULL;
		if (pread(fd, begin, sizeof(begin), 0) != (ssize_t)sizeof(begin) ||
			memcmp(begin, magic, sizeof(magic)) != 0)
			return "already exists and is not a PNG; not overwritten";
	}
	return check_picture_name(name);
}

/* Open the directory of the picture, before entering the sandbox, and check the output file. */
static int open_output(struct drawing *d, const char *out)
{
	const char *slash = strrchr(out, '/');
	CLEANUP(free) char *dir = slash ? strndup(out, (size_t)(slash - out) + 1) : strdup(".");
	const char *why;

	d->name = slash ? slash + 1 : out;
	d->out = dir && d->name[0] ? open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	why = d->out >= 0 ? check_output(d->out, d->name) : check_picture_name(d->name);
	if (d->out < 0 && !why)
		why = strerror(errno);
	if (!why)
		return 0;
	print_line(stderr, "mapfs: %s: %s", out, why);
	return -EINVAL;
}

static int open_drawing(struct drawing *d, const char *file)
{
	struct sandbox_rule rules[1 + IMAGES_DIRS_MAX];
	size_t n = images_rules(d->images, rules);

	if (d->out >= 0)
		rules[n++] = (struct sandbox_rule){d->out, SANDBOX_WRITABLE};
	return command_open(&d->command, file, rules, n);
}

static int find_part(struct drawing *d, const char *path)
{
	struct offline_file a;
	int r = offline_find(&d->command.tree, path, &a);

	d->preview.part = r == 0 ? a.dentry.id : d->preview.part;
	return r;
}

/* Open an existing empty file for writing in place: a thumbnailer may have it open to read the
 * picture. -ENOENT also if the file must be replaced: it is another user's, or has hard links. */
static int open_empty(const struct drawing *d)
{
	int fd = io_openat(d->out, d->name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0);
	struct stat st;

	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size == 0 &&
		st.st_uid == geteuid() && st.st_nlink == 1)
		return fd;
	if (fd >= 0)
		close(fd);
	return -ENOENT;
}

static int write_file(struct drawing *d, const struct picture *p, mode_t mode, struct error *e)
{
	CLEANUP(close_fd) int fd = open_empty(d);
	int r;

	if (fd < 0)
		return picture_write(d->out, d->name, p, mode, true, e);
	r = picture_put(fd, p, e);
	if (r < 0)
		(void)io_truncate(fd, 0);
	return r < 0 ? error_set(e, r, "cannot write: %s", strerror(-r)) : 0;
}

static int write_picture(struct drawing *d, const struct picture *p, mode_t mode, struct error *e)
{
	int r;

	if (d->out >= 0)
		return write_file(d, p, mode, e);
	r = picture_put(STDOUT_FILENO, p, e);
	return r < 0 ? error_set(e, r, "%s", strerror(-r)) : 0;
}

/* Find the file at the path d->layer or, if there is none, the part NAME of "X.IMAGESET:NAME". */
static int find_named_part(struct drawing *d)
{
	const char *colon = strchr(d->layer, ':');
	CLEANUP(free) char *path = colon ? strndup(d->layer, (size_t)(colon - d->layer)) : NULL;
	int r = find_part(d, d->layer);

	if (r != -ENOENT || !colon)
		return r;
	d->preview.part_name = colon + 1;
	return path ? find_part(d, path) : -ENOMEM;
}

/* Draw and write the picture. On failure *fault is the file that the error is about. */
static int draw_picture(struct drawing *d, mode_t mode, const char **fault, struct error *e)
{
	const struct snapshot *s = d->command.tree.vol->base;
	const struct format_preview *f = s->format->preview;
	struct picture p;
	int r;

	if (!f)
		return error_set(e, -ENOTSUP, "preview is not supported for this format");
	if (d->layer) {
		r = f->has_named_parts ? find_named_part(d) : find_part(d, d->layer);
		if (r < 0)
			return error_set(e, r, "%s: %s", d->layer, strerror(-r));
	}
	r = f->draw(s, &d->preview, &p, e);
	if (r < 0) {
		if (d->layer)
			error_context(e, "%s", d->layer);
		return r;
	}
	*fault = d->out >= 0 ? d->command.names[d->command.n_names - 1] : "standard output";
	r = write_picture(d, &p, mode, e);
	bytes_unref(p.rgba);
	return r;
}

static int run_drawing(struct drawing *d, const char *out)
{
	const char *fault = d->command.names[0];
	mode_t mask = umask(0);
	struct error e = ERROR_INIT;
	int r;

	(void)umask(mask);
	r = images_open(d->command.map_options.options, &d->images, &e);
	if (r < 0)
		print_line(stderr, "mapfs: %s", error_text(&e));
	d->preview.arg = d->images;
	if (r == 0 && strcmp(out, "-") != 0)
		r = open_output(d, out);
	if (r < 0)
		return OUTCOME_REFUSED;
	r = open_drawing(d, d->command.names[0]);
	if (r < 0)
		return (int)offline_outcome(r);
	r = draw_picture(d, 0666 & ~mask, &fault, &e);
	if (r < 0)
		print_line(stderr, "mapfs: %s: %s", fault, error_text(&e));
	return r < 0 ? OUTCOME_REFUSED : OUTCOME_DONE;
}

static bool parse_size(struct drawing *d)
{
	uint64_t size = PREVIEW_DEFAULT;

	if (d->size && options_size(d->size, &size) < 0)
		return false;
	d->preview.size = (uint32_t)size;
	return size >= PREVIEW_MIN && size <= PREVIEW_MAX;
}

static int run_preview(struct command *c)
{
	struct drawing *d = (struct drawing *)c;
	const char *out = c->n_names > 1 ? c->names[c->n_names - 1] : "-";
	int code;

	if (!parse_size(d))
		return cli_usage("preview: --size must be %d to %d", PREVIEW_MIN, PREVIEW_MAX);
	if (d->layer && c->n_names == 3)
		return cli_usage("preview: --layer cannot be used with a path (%s)", c->names[1]);
	if (c->n_names == 3)
		d->layer = c->names[1];
	if (strcmp(out, "-") == 0 && isatty(STDOUT_FILENO))
		return cli_usage("preview: refusing to write a picture to a terminal; name a file");
	d->preview.note_arg = &c->tree;
	code = run_drawing(d, out);
	images_unref(d->images);
	close_fd_cleanup(&d->out);
	return code;
}

static const struct command_option options[] = {
	{"entities", '\0', COMMAND_FLAG, offsetof(struct drawing, preview.entities)},
	{"layer", '\0', COMMAND_TEXT, offsetof(struct drawing, layer)},
	{"size", '\0', COMMAND_TEXT, offsetof(struct drawing, size)}, {0}};

/* A small cache suffices, because each blob is read once. */
const struct command_line cli_preview = {.options = options,
	.min_names = 1,
	.max_names = 3,
	.operands = "a file, optionally a path in it, and the name of a picture",
	.cache_max = 64 << 20,
	.size = sizeof(struct drawing),
	.initial = &(const struct drawing){.preview = {.image = images_find, .note = print_note},
		.out = -1},
	.run = run_preview};
