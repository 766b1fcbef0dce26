/* SPDX-License-Identifier: Zlib */
/*
 * layout_text: reading the small fields of a layout's text. What is absent is 0, as in the modding
 * kit; what is there and wrong is -EINVAL with line and column.
 */
#pragma once

#include "formats/torchlight/text/dattext.h"
#include "formats/torchlight/text/layout/schema.h"

int layout_text_u8(const struct dat_block *b, const char *key, uint32_t *ret, struct error *e);

/* The type that a DESCRIPTOR names, TYPE_n among them. false: none that is known. */
bool layout_text_type(const struct dat_field *f, const struct names *names, uint8_t *ret);

/* Is f's type one of the words of the kit (in any case), or HEX? */
bool layout_text_word(const struct dat_field *f);

/* Which property a field is for. */
struct layout_target {
	uint8_t code;
	enum layout_kind kind; /* LAYOUT_KINDS: none that P_n could have */
	int axis;              /* -1: all of it */
};

/* false: no property that is known, and not P_n. */
bool layout_text_target(const struct dat_field *f, uint8_t type, const struct names *names,
	struct layout_target *ret);

/* A string that fills the value exactly and can stand in a line. */
bool layout_value_string(const uint8_t *value, size_t n, struct ss *ret);
/* Is the value one of this kind, so that its text compiles to the same bytes? */
bool layout_value_fits(enum layout_kind kind, const uint8_t *value, size_t n);
/* Appends f's value as one of that kind (no vector). -EINVAL with line and column. */
int layout_value_encode(
	const struct dat_field *f, enum layout_kind kind, struct buffer *out, struct error *e);

/* Is f one of the fields of an object that are no properties: DESCRIPTOR, NAME, ID, PARENTID? */
bool layout_text_is_identity(const struct dat_block *b, const struct dat_field *f);

/*
 * A compiled layout has a place for some blocks and fields alone: what is called otherwise, or
 * stands twice, would be gone without a word. So it is -EINVAL, with line and column, where
 * something was not read.
 */
int layout_text_check_read(const struct dat_block *root, struct error *e);
