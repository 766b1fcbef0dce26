/* SPDX-License-Identifier: Zlib */
/* layout_text: read fields of a layout's text. An absent field is 0, as in the modding kit. An
 * invalid field is -EINVAL with line and column. A dictionary (names) may be NULL. */
#pragma once

#include "formats/torchlight/text/dattext.h"
#include "formats/torchlight/text/layout/schema.h"

/* Read the field of b with this key, 0 to 255, and set its is_read. */
int layout_text_u8(const struct dat_block *b, const char *key, uint32_t *ret, struct error *e);

/* Find the type that the DESCRIPTOR f names; TYPE_n is accepted, too. false: it is unknown. */
bool layout_text_type(const struct dat_field *f, const struct names *names, uint8_t *ret);

/* Is f's type one of the kit's types, in any case, or HEX? */
bool layout_text_is_type(const struct dat_field *f);

/* The property that a field gives. */
struct layout_target {
	uint8_t code;
	enum layout_kind kind; /* LAYOUT_KINDS: the type of a P_n is no possible kind */
	int axis;              /* of a vector, from 0; -1: the whole property */
};

/* Find the property that a field gives. false: it is neither a known name of the type nor P_n. */
bool layout_text_target(const struct dat_field *f, uint8_t type, const struct names *names,
	struct layout_target *ret);

/* Read a value that is one UTF-16LE string behind its u16 length, without line breaks or NUL, and
 * nothing else. *ret points into value. false: it is something else. */
bool layout_value_string(const uint8_t *value, size_t n, struct ss *ret);
/* Is the value one of this kind, so that its text compiles to the same bytes? */
bool layout_value_fits(enum layout_kind kind, const uint8_t *value, size_t n);
/* Append f's value as one of that kind, which is no vector. -EINVAL with line and column. */
int layout_value_encode(
	const struct dat_field *f, enum layout_kind kind, struct buffer *out, struct error *e);

/* Is f the first field of b called DESCRIPTOR, NAME, ID or PARENTID? These are no properties. Sets
 * is_read of the first one with f's name. */
bool layout_text_is_identity(const struct dat_block *b, const struct dat_field *f);

/* Refuse blocks and fields without is_read, which dat_find_* or the caller sets: unknown ones and
 * duplicates, which would be lost silently. Also refuse a root that no layout has. -EINVAL. */
int layout_text_check_read(const struct dat_block *root, struct error *e);
