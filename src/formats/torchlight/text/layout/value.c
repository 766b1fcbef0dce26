/* SPDX-License-Identifier: Zlib */
#include "formats/torchlight/text/layout/value.h"

#include <errno.h>

#include "formats/torchlight/text/number.h"

static int put_list(
	const struct dat_field *f, enum layout_kind kind, struct buffer *out, struct error *e)
{
	struct str rest = f->value, one;
	size_t at = out->size, n = 0;

	buffer_u16(out, 0);
	for (; rest.n; n++) {
		one = str_cut(&rest, ',');
		if (!number_get(one, layout_kinds[kind].number, out))
			return dat_field_error(e, f,
				"'%.*s' is no number (the list has numbers "
				"and commas)",
				STR_ARGS(one));
	}
	if (n > UINT16_MAX)
		return dat_field_error(e, f, "the list has %zu numbers (at most 65535)", n);
	buffer_patch_u16(out, at, n);
	return 0;
}

int layout_value_encode(
	const struct dat_field *f, enum layout_kind kind, struct buffer *out, struct error *e)
{
	bool ok;

	switch (kind) {
	case LAYOUT_STRING:
	case LAYOUT_TRANSLATE:
		return dat_check_string(f, e) < 0 ? -EINVAL : ss_put(out, f->value, e);
	case LAYOUT_FLOATLIST:
	case LAYOUT_UINTLIST:
		return put_list(f, kind, out, e);
	case LAYOUT_HEX:
		ok = hex_read(f->value, out);
		break;
	default:
		ok = number_get(f->value, layout_kinds[kind].number, out);
	}
	return ok ? 0
		  : dat_field_error(e, f, "'%.*s' is no %s", STR_SHORT(f->value, 100),
			    layout_kinds[kind].word);
}
