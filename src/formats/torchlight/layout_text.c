/* SPDX-License-Identifier: Zlib */
#include "formats/torchlight/layout_text.h"

#include "formats/torchlight/number.h"
#include "formats/torchlight/textform.h"

int layout_text_u8(const struct dat_block *b, const char *key, uint32_t *ret, struct error *e)
{
	const struct dat_field *f = dat_find_field(b, str_of(key));

	*ret = 0;
	if (f && (!number_get_u32(f->value, ret) || *ret > UINT8_MAX))
		return dat_field_error(e, f, "%s is not 0..255", key);
	return 0;
}

int layout_text_f32(const struct dat_block *b, const char *key, uint32_t *ret, struct error *e)
{
	const struct dat_field *f = dat_find_field(b, str_of(key));

	*ret = 0;
	if (f && !number_get_f32(f->value, ret))
		return dat_field_error(e, f, "%s is no decimal number", key);
	return 0;
}

int layout_text_i64(const struct dat_block *b, const char *key, int64_t *ret, struct error *e)
{
	const struct dat_field *f = dat_find_field(b, str_of(key));

	*ret = 0;
	if (f && !number_get_i64(f->value, ret))
		return dat_field_error(e, f, "%s is no 64-bit integer", key);
	return 0;
}

int layout_text_each(const struct dat_block *b, const char *name, unsigned width,
	int (*encode)(const struct dat_block *b, struct buffer *out, struct error *e),
	struct buffer *out, struct error *e)
{
	unsigned n = 0, most = width == 1 ? UINT8_MAX : UINT16_MAX;
	int r = 0;

	for (const struct dat_block *c = b->blocks; c; c = c->next) {
		if (name && !str_equal_nocase(c->name, str_of(name)))
			return text_error(e, c->line, 1, "[%.*s] cannot stand in [%.*s]",
				(int)c->name.n, c->name.s, (int)b->name.n, b->name.s);
		n++;
	}
	if (n > most)
		return text_error(e, b->line, 1, "[%.*s] has %u blocks (at most %u)",
			(int)b->name.n, b->name.s, n, most);
	if (width == 1)
		buffer_byte(out, (uint8_t)n);
	else
		buffer_u16(out, (uint16_t)n);
	for (const struct dat_block *c = b->blocks; r == 0 && c; c = c->next)
		r = encode(c, out, e);
	return r;
}
