/* SPDX-License-Identifier: Zlib */
#include "vfs/offline/reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "codec/text/text.h"

/* Bounds of one read. Large files need larger pieces: each read may decode the blob again. */
enum { LEAST = 256 << 10, MOST = 1 << 20, PIECES = 16, TEXT_MAX = 1 << 30 };
enum { PIECE = 64 << 10 /* for reading a whole text */ };

static size_t piece_size(const struct reader *r)
{
	uint64_t n = r->size / PIECES;

	return n < LEAST ? LEAST : n > MOST ? MOST : (size_t)n;
}

int reader_open(struct offline *t, const char *path, struct reader *ret)
{
	struct offline_file a;
	int r = offline_find(t, path, &a);

	*ret = (struct reader){0};
	if (r == 0 && a.dentry.is_dir)
		r = -EISDIR;
	if (r == 0)
		*ret = (struct reader){.t = t, .file = a, .size = a.size};
	return r;
}

struct reader reader_from_extent(struct extent in)
{
	return (struct reader){.extent = in, .size = in.size};
}

int reader_replace_lines(struct reader *r, reader_change change, void *arg)
{
	struct reader *from = malloc(sizeof(*from));

	if (!from) {
		free(arg);
		return -ENOMEM;
	}
	*from = *r;
	*r = (struct reader){.from = from, .change = change, .arg = arg, .size = from->size};
	return 0;
}

void reader_close(struct reader *r)
{
	if (r->from)
		reader_close(r->from);
	free(r->from);
	extent_finish(&r->extent);
	free(r->arg);
	free(r->text);
	*r = (struct reader){0};
}

void reader_rewind(struct reader *r)
{
	r->at = r->next = r->have = 0;
	if (r->from)
		reader_rewind(r->from);
}

/* Make room for n bytes behind the unread ones. */
static int make_room(struct reader *r, size_t n)
{
	char *text;

	if (r->next) {
		memmove(r->text, r->text + r->next, r->have - r->next);
		r->have -= r->next;
		r->next = 0;
	}
	if (r->have > TEXT_MAX)
		return -EFBIG;
	if (r->room - r->have >= n)
		return 0;
	text = realloc(r->text, r->have + n);
	if (!text)
		return -ENOMEM;
	r->text = text;
	r->room = r->have + n;
	return 0;
}

static ssize_t read_changed(struct reader *r)
{
	CLEANUP_BUFFER struct buffer out = BUFFER_INIT;
	const char *line;
	size_t n;
	int got = 1;

	while (out.size < LEAST && (got = reader_next(r->from, MOST, &line, &n)) > 0) {
		got = r->change(r->arg, line, n, &out);
		if (got < 0)
			break;
	}
	if (got >= 0)
		got = out.error ? out.error : make_room(r, out.size);
	if (got < 0)
		return got;
	if (out.size)
		memcpy(r->text + r->have, out.data, out.size);
	r->have += out.size;
	r->at += out.size;
	return (ssize_t)out.size;
}

static ssize_t read_at(struct reader *r, void *dst, size_t n)
{
	int got;

	if (r->t)
		return offline_read_at(r->t, &r->file, r->at, dst, n);
	n = n < r->size - r->at ? n : (size_t)(r->size - r->at);
	got = extent_read(&r->extent, r->at, dst, n, NULL);
	return got < 0 ? got : (ssize_t)n;
}

/* Append more bytes to the buffer. Returns their number, 0 at the end, or -errno. */
static ssize_t read_more(struct reader *r)
{
	size_t piece = piece_size(r);
	ssize_t n;
	int got;

	if (r->from)
		return read_changed(r);
	got = make_room(r, piece);
	if (got < 0)
		return got;
	n = read_at(r, r->text + r->have, piece);
	if (n > 0) {
		r->have += (size_t)n;
		r->at += (uint64_t)n;
	}
	return n;
}

/* Number of bytes without an incomplete UTF-8 character at the end. */
static size_t whole_characters(const char *text, size_t n)
{
	for (size_t k = 1; k <= 3 && k <= n; k++) {
		uint8_t c = (uint8_t)text[n - k];

		if (c >= 0xc0)
			return k < (c >= 0xf0 ? 4u : c >= 0xe0 ? 3u : 2u) ? n - k : n;
		if (c < 0x80)
			break;
	}
	return n;
}

/* The unread bytes; "" before the first read. */
static const char *unread_text(const struct reader *r)
{
	return r->text ? r->text + r->next : "";
}

int reader_next(struct reader *r, size_t most, const char **ret, size_t *ret_n)
{
	size_t seen = 0;

	for (;;) {
		const char *from = unread_text(r);
		size_t n = r->have - r->next < most ? r->have - r->next : most;
		const char *end = n > seen ? memchr(from + seen, '\n', n - seen) : NULL;
		ssize_t got = 0;

		seen = n;
		if (end)
			n = (size_t)(end - from) + 1;
		else if (n == most)
			n = whole_characters(from, n);
		else
			got = read_more(r);
		if (got < 0)
			return (int)got;
		if (got > 0)
			continue;
		*ret = unread_text(r); /* the buffer may have moved */
		*ret_n = n;
		r->next += n;
		return n > 0;
	}
}

int reader_line(struct reader *r, const char **ret, size_t *ret_n)
{
	int got = reader_next(r, SIZE_MAX, ret, ret_n);

	if (got > 0 && (*ret)[*ret_n - 1] == '\n')
		--*ret_n;
	return got;
}

ssize_t reader_read(void *arg, void *dst, size_t n)
{
	struct reader *r = arg;
	ssize_t got = r->next == r->have ? read_more(r) : 0;

	if (got < 0)
		return r->error = (int)got;
	if (n > r->have - r->next)
		n = r->have - r->next;
	if (n)
		memcpy(dst, r->text + r->next, n);
	r->next += n;
	return (ssize_t)n;
}

int reader_read_fn(void *arg, uint64_t, void *dst, size_t n, struct error *e)
{
	uint8_t *to = dst;

	while (n) {
		ssize_t got = reader_read(arg, to, n);

		if (got <= 0)
			return error_set(e, got < 0 ? (int)got : -EIO, "cannot read the file");
		to += got;
		n -= (size_t)got;
	}
	return 0;
}

int reader_all(struct reader *r, size_t most, struct bytes **ret)
{
	CLEANUP_BUFFER struct buffer out = BUFFER_INIT;
	const char *text;
	size_t n;
	int got;

	while ((got = reader_next(r, PIECE, &text, &n)) > 0) {
		if (n > most - out.size)
			return -EFBIG;
		buffer_append(&out, text, n);
	}
	/* regexec may need a NUL. */
	buffer_append(&out, "", 1);
	if (got == 0)
		got = buffer_finish(&out, ret);
	if (got == 0)
		(*ret)->size--;
	return got;
}

int offline_read_all(
	struct offline *t, const struct offline_file *file, size_t most, struct bytes **ret)
{
	struct reader r = {.t = t, .file = *file, .size = file->size};
	int got = reader_all(&r, most, ret);

	reader_close(&r);
	return got;
}

int reader_is_text(struct reader *r)
{
	const char *text;
	size_t n;
	int got;

	reader_rewind(r);
	while ((got = reader_next(r, PIECE, &text, &n)) > 0)
		if (memchr(text, '\0', n) || !utf8_valid(text, n))
			return 0;
	return got < 0 ? got : 1;
}

int reader_grid(struct reader *r, struct shape *ret)
{
	const char *line;
	size_t n, width = 1;
	int got;

	reader_rewind(r);
	got = reader_line(r, &line, &n);
	if (got <= 0)
		return got;
	for (size_t i = 0; i < n; i++) {
		if (!memchr(", -0123456789", line[i], 13))
			return 0;
		width += line[i] == ',';
	}
	/* All lines must have the same length. */
	if (r->size / (n + 1) > SIZE_MAX)
		return 0;
	*ret = (struct shape){width, (size_t)(r->size / (n + 1)), (n + 1) / width};
	return r->size % (n + 1) == 0 && (n + 1) % width == 0 && n + 1 > width;
}
