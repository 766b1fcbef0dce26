/* SPDX-License-Identifier: Zlib */
#include "formats/torchlight/text/layout/value.h"

#include <errno.h>

#include "formats/torchlight/text/number.h"

static int put_list(
	const struct dat_field *f, enum layout_kind kind, struct buffer *out, struct error *e)
{
	struct str rest = f->value, one;
	size_t at = out->size, n = 0;
	uint32_t v;

	buffer_u16(out, 0);
	for (; number_list_next(&rest, &one); n++) {
		if (kind == LAYOUT_FLOATLIST ? !number_get_f32(one, &v) : !number_get_u32(one, &v))
			return dat_field_error(e, f,
				"'%.*s' is no number (the list has numbers "
				"and commas)",
				(int)one.n, one.s);
		buffer_u32(out, v);
	}
	if (n > UINT16_MAX)
		return dat_field_error(e, f, "the list has %zu numbers (at most 65535)", n);
	if (!out->error) {
		out->data[at] = (uint8_t)n;
		out->data[at + 1] = (uint8_t)(n >> 8);
	}
	return 0;
}

static int refuse(const struct dat_field *f, enum layout_kind kind, struct error *e)
{
	return dat_field_error(e, f, "'%.*s' is no %s", f->value.n < 100 ? (int)f->value.n : 100,
		f->value.s, layout_kind_words[kind]);
}

int layout_value_encode(
	const struct dat_field *f, enum layout_kind kind, struct buffer *out, struct error *e)
{
	uint32_t v;
	int32_t i;
	int64_t wide;

	switch (kind) {
	case LAYOUT_STRING:
	case LAYOUT_TRANSLATE:
		return dat_check_string(f, e) < 0 ? -EINVAL : ss_put(out, f->value, e);
	case LAYOUT_FLOATLIST:
	case LAYOUT_UINTLIST:
		return put_list(f, kind, out, e);
	case LAYOUT_HEX:
		return hex_read(f->value, out) ? 0 : refuse(f, kind, e);
	case LAYOUT_INTEGER64:
		if (!number_get_i64(f->value, &wide))
			return refuse(f, kind, e);
		buffer_u64(out, (uint64_t)wide);
		return 0;
	case LAYOUT_INTEGER:
		if (!number_get_i32(f->value, &i))
			return refuse(f, kind, e);
		v = (uint32_t)i;
		break;
	case LAYOUT_BOOL:
		if (!number_get_bool(f->value, &v))
			return refuse(f, kind, e);
		break;
	case LAYOUT_UNSIGNED:
		if (!number_get_u32(f->value, &v))
			return refuse(f, kind, e);
		break;
	default:
		if (!number_get_f32(f->value, &v))
			return refuse(f, kind, e);
	}
	buffer_u32(out, v);
	return 0;
}
