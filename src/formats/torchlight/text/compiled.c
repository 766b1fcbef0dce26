/* SPDX-License-Identifier: Zlib */
#include "formats/torchlight/text/compiled.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "codec/text/xml.h"
#include "formats/torchlight/text/bindat/bindat.h"
#include "formats/torchlight/text/layout/binlayout.h"
#include "formats/torchlight/text/raw/rawindex.h"

static const char *file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

enum compiled_kind compiled_kind_of(const char *path)
{
	static const char *const dat[] = {".DAT", ".TEMPLATE", ".ANIMATION", ".HIE"};
	const char *name = file_name(path), *ending = strrchr(name, '.');

	if (!ending)
		return COMPILED_NONE;
	for (size_t i = 0; i < sizeof(dat) / sizeof(*dat); i++)
		if (!strcasecmp(ending, dat[i]))
			return COMPILED_DAT;
	if (!strcasecmp(ending, ".LAYOUT"))
		return COMPILED_LAYOUT;
	return raw_kind_find(name) ? COMPILED_RAW : COMPILED_NONE;
}

bool compiled_alike(const char *a, const char *b)
{
	enum compiled_kind kind = compiled_kind_of(a);

	return kind == compiled_kind_of(b) &&
	       (kind != COMPILED_RAW || raw_kind_find(file_name(a)) == raw_kind_find(file_name(b)));
}

/* Does it begin with '<' like XML, after a byte order mark and blanks? Texts begin with '['. */
static bool begins_with_tag(const uint8_t *data, size_t size)
{
	size_t i = 0, step = 1;

	if (size >= 2 && data[0] == 0xFF && data[1] == 0xFE) {
		i = step = 2;
	} else if (size >= 3 && !memcmp(data, "\xEF\xBB\xBF", 3)) {
		i = 3;
	}
	while (i < size && data[i] && strchr(" \t\r\n", data[i]))
		i += step;
	return i < size && data[i] == '<';
}

enum compiled_form compiled_form_of(
	enum compiled_kind kind, const char *path, const uint8_t *data, size_t size)
{
	CLEANUP_BUFFER struct buffer table = BUFFER_INIT;
	bool utf16 = size >= 2 && data[0] == 0xFF && data[1] == 0xFE;

	if (kind == COMPILED_RAW)
		return rawindex_decode(raw_kind_find(file_name(path)), data, size, &table, NULL) ==
					       0 ||
				       (!utf16 && memchr(data, 0, size))
			       ? COMPILED_BINARY
			       : COMPILED_TEXT;
	if (kind == COMPILED_LAYOUT ? binlayout_sniff(data, size) : bindat_sniff(data, size))
		return COMPILED_BINARY;
	return begins_with_tag(data, size) && xml_read(data, size, NULL, NULL, NULL) == 0
		       ? COMPILED_XML
		       : COMPILED_TEXT;
}

static int decode_utf8(enum compiled_kind kind, const struct compiled_context *ctx,
	const uint8_t *data, size_t size, struct buffer *utf8, struct error *ret_readonly,
	struct error *e)
{
	const char *name = file_name(ctx->path), *dot = strrchr(name, '.');
	struct str stem = {name, dot ? (size_t)(dot - name) : strlen(name)};

	switch (kind) {
	case COMPILED_DAT:
		return bindat_decode(data, size, ctx->names, stem, utf8, ret_readonly, e);
	case COMPILED_LAYOUT:
		return binlayout_decode(data, size, ctx->path, ctx->names, utf8, e);
	case COMPILED_RAW:
		return rawindex_decode(raw_kind_find(name), data, size, utf8, e);
	default:
		return error_set(e, -EINVAL, "not a compiled file");
	}
}

static int encode_utf8(enum compiled_kind kind, const struct compiled_context *ctx,
	const struct buffer *utf8, const uint8_t *old, size_t old_size,
	struct compiled_remarks *remarks, struct buffer *out, struct error *e)
{
	const char *text = utf8->size ? (const char *)utf8->data : "";

	switch (kind) {
	case COMPILED_DAT:
		return bindat_encode(text, utf8->size, old, old_size, ctx->names, remarks, out, e);
	case COMPILED_LAYOUT:
		return binlayout_encode(
			text, utf8->size, old, old_size, ctx->names, remarks, out, e);
	case COMPILED_RAW:
		return rawindex_encode(
			raw_kind_find(file_name(ctx->path)), text, utf8->size, out, e);
	default:
		return error_set(e, -EINVAL, "not a compiled file");
	}
}

/* Does the text hold all of the file? Compile it and compare. */
static void find_readonly(enum compiled_kind kind, const struct compiled_context *ctx,
	const uint8_t *data, size_t size, const struct buffer *utf8, struct error *ret)
{
	CLEANUP_BUFFER struct buffer again = BUFFER_INIT;
	struct error why = ERROR_INIT;
	size_t same = 0;

	if (ret->code)
		return;
	if (encode_utf8(kind, ctx, utf8, data, size, NULL, &again, &why) < 0) {
		error_set(ret, -EACCES, "cannot compile the text again: %s", error_text(&why));
		return;
	}
	while (same < size && same < again.size && data[same] == again.data[same])
		same++;
	if (same < size || same < again.size)
		error_set(ret, -EACCES,
			"the text does not describe the whole file (byte %zu would differ)", same);
}

int compiled_decode(enum compiled_kind kind, const struct compiled_context *ctx,
	const uint8_t *data, size_t size, struct buffer *out, struct error *ret_readonly,
	struct error *e)
{
	CLEANUP_BUFFER struct buffer utf8 = BUFFER_INIT;
	struct error readonly = ERROR_INIT;
	int r = decode_utf8(kind, ctx, data, size, &utf8, &readonly, e);

	if (r < 0)
		return r;
	if (ret_readonly) {
		find_readonly(kind, ctx, data, size, &utf8, &readonly);
		*ret_readonly = readonly;
	}
	return textform_write(
		utf8.data, utf8.size, kind == COMPILED_RAW ? TEXTFORM_UTF8 : ctx->form, out, e);
}

int compiled_check(enum compiled_kind kind, const struct compiled_context *ctx, const uint8_t *data,
	size_t size, struct error *e)
{
	CLEANUP_BUFFER struct buffer utf8 = BUFFER_INIT;
	struct error readonly = ERROR_INIT;
	int r = decode_utf8(kind, ctx, data, size, &utf8, &readonly, e);

	if (r == -EIO && e)
		e->code = -EINVAL;
	return r == -EIO ? -EINVAL : r;
}

int compiled_read_text(
	enum compiled_kind kind, const void *text, size_t n, struct buffer *out, struct error *e)
{
	struct error why = ERROR_INIT;

	if (kind == COMPILED_RAW || !begins_with_tag(text, n))
		return textform_read(text, n, out, e);
	(void)xml_read(text, n, NULL, NULL, &why);
	return error_set(e, -EINVAL,
		"neither text, which begins with [BLOCK], nor well-formed XML (%s)",
		error_text(&why));
}

int compiled_encode(enum compiled_kind kind, const struct compiled_context *ctx, const void *text,
	size_t n, const uint8_t *old, size_t old_size, struct compiled_remarks *remarks,
	struct buffer *out, struct error *e)
{
	CLEANUP_BUFFER struct buffer utf8 = BUFFER_INIT;
	int r = compiled_read_text(kind, text, n, &utf8, e);

	return r < 0 ? r : encode_utf8(kind, ctx, &utf8, old, old_size, remarks, out, e);
}
