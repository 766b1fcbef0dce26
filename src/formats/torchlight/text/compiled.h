/* SPDX-License-Identifier: Zlib */
/* compiled: convert compiled files of an archive to text and back, whatever their kind, which the
 * name of the file gives. -EFBIG: a text is longer than TEXT_MAX (textform.h). */
#pragma once

#include "formats/torchlight/text/names.h"
#include "formats/torchlight/text/textform.h"

#include <stdbool.h>

enum compiled_kind { COMPILED_NONE, COMPILED_DAT, COMPILED_LAYOUT, COMPILED_RAW };

/* The kind of file that a path or a name means. Cheap, for listings. */
enum compiled_kind compiled_kind_of(const char *path);
/* Do both names have the same kind (of RAW, too)? True for two names of COMPILED_NONE. */
bool compiled_alike(const char *a, const char *b);

/* The form of bytes that were written to a file of a compiled kind. */
enum compiled_form {
	COMPILED_BINARY, /* compiled, judged by its first bytes (a RAW by all); may be invalid */
	COMPILED_TEXT,
	COMPILED_XML, /* well-formed; the game reads it uncompiled */
};

/* kind: not COMPILED_NONE. path: which RAW it is; else ignored. */
enum compiled_form compiled_form_of(
	enum compiled_kind kind, const char *path, const uint8_t *data, size_t size);

struct compiled_context {
	const char *path;          /* in the archive: "MEDIA/UI/X.LAYOUT" */
	const struct names *names; /* may be NULL */
	enum textform form;        /* of the text; the table of a RAW is always UTF-8 */
};

/*
 * Append the text of a compiled file to out. *ret_readonly (may be NULL) is set to the reason why
 * the text, compiled again, does not give the same file. Its code is 0 if it does.
 *
 * -EIO: the bytes are no valid file of this kind; they may be text, for example. -EFBIG.
 */
int compiled_decode(enum compiled_kind kind, const struct compiled_context *ctx,
	const uint8_t *data, size_t size, struct buffer *out, struct error *ret_readonly,
	struct error *e);

/* Check that the bytes are a valid file of this kind, to the last byte. -EINVAL if not. -EFBIG. */
int compiled_check(enum compiled_kind kind, const struct compiled_context *ctx, const uint8_t *data,
	size_t size, struct error *e);

/* Append a text that is COMPILED_TEXT, in any form that textform_read accepts, to out: UTF-8 with
 * LF. -EINVAL with line and column: it is no text; without them: it begins with '<' like XML, but
 * is not well-formed. -EFBIG. */
int compiled_read_text(
	enum compiled_kind kind, const void *text, size_t n, struct buffer *out, struct error *e);

/*
 * Compile a text, in any form that textform_read accepts, and append the file to out, which must be
 * empty. old: the previous compiled file, or NULL; the result keeps its data that no text shows.
 * remarks may be NULL. -EINVAL, -EFBIG: as compiled_read_text; -EINVAL also if the text is invalid.
 */
int compiled_encode(enum compiled_kind kind, const struct compiled_context *ctx, const void *text,
	size_t n, const uint8_t *old, size_t old_size, struct compiled_remarks *remarks,
	struct buffer *out, struct error *e);
