/* SPDX-License-Identifier: Zlib */
/*
 * layout_text: reading the small fields of a layout's text. What is absent is 0, as in the modding
 * kit; what is there and wrong is -EINVAL with line and column.
 */
#ifndef FORMATS_TORCHLIGHT_LAYOUT_TEXT_H
#define FORMATS_TORCHLIGHT_LAYOUT_TEXT_H

#include "formats/torchlight/dattext.h"

int layout_text_u8(const struct dat_block *b, const char *key, uint32_t *ret, struct error *e);
int layout_text_f32(const struct dat_block *b, const char *key, uint32_t *ret, struct error *e);
int layout_text_i64(const struct dat_block *b, const char *key, int64_t *ret, struct error *e);

/*
 * The number of b's blocks, in `width` bytes (1 or 2), then encode for each. Each must be called
 * name, or any name where that is NULL. Too many for the width: -EINVAL.
 */
int layout_text_each(const struct dat_block *b, const char *name, unsigned width,
	int (*encode)(const struct dat_block *b, struct buffer *out, struct error *e),
	struct buffer *out, struct error *e);

#endif
