/* SPDX-License-Identifier: Zlib */
/*
 * compiled: one door to the compiled files of an archive and their texts, whatever their kind.
 */
#pragma once

#include "formats/torchlight/text/names.h"
#include "formats/torchlight/text/textform.h"

#include <stdbool.h>

enum compiled_kind { COMPILED_NONE, COMPILED_DAT, COMPILED_LAYOUT, COMPILED_RAW };

/* By the path's name alone: which kind it should be. Cheap; for listing. */
enum compiled_kind compiled_kind_of(const char *path);
/* Would the same bytes and the same text stand for both names? */
bool compiled_alike(const char *a, const char *b);

/* What somebody may have written to a file of a kind. */
enum compiled_form {
	COMPILED_BINARY, /* compiled, or to be taken for that; it may be cut short */
	COMPILED_TEXT,
	COMPILED_XML, /* well-formed; the game reads it as it is */
};

enum compiled_form compiled_form_of(
	enum compiled_kind kind, const char *path, const uint8_t *data, size_t size);

struct compiled_context {
	const char *path;          /* in the archive: "MEDIA/UI/X.LAYOUT" */
	const struct names *names; /* may be NULL */
	enum textform form;        /* of what is shown; a RAW's table is always UTF-8 */
};

/*
 * The text of a compiled file, appended to out. *ret_readonly (code 0 where there is none) is why
 * the text cannot be written: it does not say all that the file holds. That is found out by
 * compiling the text again, so it holds for every file, however odd.
 *
 * -EIO: not a sound file of the kind (a text file where a compiled one should be, for one).
 */
int compiled_decode(enum compiled_kind kind, const struct compiled_context *ctx,
	const uint8_t *data, size_t size, struct buffer *out, struct error *ret_readonly,
	struct error *e);

/* Is it one, to its last byte? -EINVAL: not. */
int compiled_check(enum compiled_kind kind, const struct compiled_context *ctx, const uint8_t *data,
	size_t size, struct error *e);

/* Append a text of a kind, in any form that textform_read takes, to out: UTF-8 with LF. -EINVAL
 * with line and column: it is none. */
int compiled_read_text(
	enum compiled_kind kind, const void *text, size_t n, struct buffer *out, struct error *e);

/*
 * The compiled file of what a person wrote (any form that textform_read takes), appended to out,
 * which is empty. old: the file as it was, or NULL: what no text shows is kept from it. remarks may
 * be NULL. -EINVAL with line and column.
 */
int compiled_encode(enum compiled_kind kind, const struct compiled_context *ctx, const void *text,
	size_t n, const uint8_t *old, size_t old_size, struct compiled_remarks *remarks,
	struct buffer *out, struct error *e);
