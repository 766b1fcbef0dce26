/* SPDX-License-Identifier: Zlib */
#include "formats/torchlight/text/layout/text.h"

#include "formats/torchlight/text/bindat/bindat.h"
#include "formats/torchlight/text/number.h"
#include "formats/torchlight/text/textform.h"

int layout_text_u8(const struct dat_block *b, const char *key, uint32_t *ret, struct error *e)
{
	const struct dat_field *f = dat_find_field(b, str_of(key));

	*ret = 0;
	if (f && (!number_get_u32(f->value, ret) || *ret > UINT8_MAX))
		return dat_field_error(e, f, "%s is not 0..255", key);
	return 0;
}

static bool numbered(struct str s, struct str prefix, uint8_t *ret)
{
	struct str digits = {s.s + prefix.n, s.n - prefix.n};
	uint32_t v;

	if (s.n <= prefix.n || !str_equal_nocase((struct str){s.s, prefix.n}, prefix) ||
		*digits.s < '0' || *digits.s > '9' || !number_get_u32(digits, &v) || v > UINT8_MAX)
		return false;
	*ret = (uint8_t)v;
	return true;
}

bool layout_text_type(const struct dat_field *f, const struct names *names, uint8_t *ret)
{
	return layout_type_named(names, f->value, ret) || numbered(f->value, STR("TYPE_"), ret);
}

bool layout_text_word(const struct dat_field *f)
{
	for (size_t i = 1; i < BINDAT_TYPES; i++)
		if (str_equal_nocase(f->type, str_of(bindat_types[i].word)))
			return true;
	return str_equal_nocase(f->type, str_of(layout_kinds[LAYOUT_HEX].word));
}

bool layout_text_target(const struct dat_field *f, uint8_t type, const struct names *names,
	struct layout_target *ret)
{
	const struct layout_property *p = layout_property_named(names, type, f->key, &ret->axis);

	if (p) {
		ret->code = p->code;
		ret->kind = str_equal_nocase(f->type, STR("HEX")) ? LAYOUT_HEX : p->kind;
		return true;
	}
	if (!numbered(f->key, STR("P_"), &ret->code))
		return false;
	for (ret->kind = 0; ret->kind < LAYOUT_KINDS; ret->kind++)
		if (!layout_axes(ret->kind) &&
			str_equal_nocase(f->type, str_of(layout_kinds[ret->kind].word)))
			break;
	return true;
}
