/* SPDX-License-Identifier: Zlib */
#include "formats/torchlight/text/layout/text.h"

#include <errno.h>

#include "formats/torchlight/text/bindat/bindat.h"
#include "formats/torchlight/text/number.h"
#include "formats/torchlight/text/textform.h"

int layout_text_u8(const struct dat_block *b, const char *key, uint32_t *ret, struct error *e)
{
	const struct dat_field *f = dat_find_field(b, str_of(key));

	*ret = 0;
	if (f && (!number_get_u32(f->value, ret) || *ret > UINT8_MAX))
		return dat_field_error(e, f, "%s must be 0 to 255", key);
	return 0;
}

static bool read_numbered(struct str s, struct str prefix, uint8_t *ret)
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
	return layout_type_named(names, f->value, ret) ||
	       read_numbered(f->value, STR("TYPE_"), ret);
}

bool layout_text_is_type(const struct dat_field *f)
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
	if (!read_numbered(f->key, STR("P_"), &ret->code))
		return false;
	for (ret->kind = 0; ret->kind < LAYOUT_KINDS; ret->kind++)
		if (!layout_axes(ret->kind) &&
			str_equal_nocase(f->type, str_of(layout_kinds[ret->kind].word)))
			break;
	return true;
}

bool layout_value_string(const uint8_t *value, size_t n, struct ss *ret)
{
	struct cursor c = cursor_init(value, n);

	*ret = cursor_ss(&c);
	return !c.is_bad && c.pos == n && ss_is_line(*ret);
}

bool layout_value_fits(enum layout_kind kind, const uint8_t *value, size_t n)
{
	struct ss s;

	switch (kind) {
	case LAYOUT_STRING:
	case LAYOUT_TRANSLATE:
		return layout_value_string(value, n, &s);
	case LAYOUT_FLOATLIST:
	case LAYOUT_UINTLIST:
		return n >= 2 && n == 2 + 4 * ((size_t)value[0] | (size_t)value[1] << 8);
	case LAYOUT_HEX:
		return true;
	default:
		return n == layout_kinds[kind].size;
	}
}

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
				"'%.*s' is not a number (a list has numbers and commas)",
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
		return dat_put_string(f, out, e);
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
		  : dat_field_error(e, f, "'%.*s' is not a valid %s", STR_SHORT(f->value, 100),
			    layout_kinds[kind].word);
}

bool layout_text_is_identity(const struct dat_block *b, const struct dat_field *f)
{
	static const char *const keys[] = {"DESCRIPTOR", "NAME", "ID", "PARENTID"};

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (str_equal_nocase(f->key, str_of(keys[i])))
			return dat_find_field(b, f->key) == f;
	return false;
}

static bool is_root(const struct dat_block *b)
{
	return b->blocks || str_equal_nocase(b->name, STR("Layout")) ||
	       str_equal_nocase(b->name, STR("UI")) ||
	       str_equal_nocase(b->name, STR("Particle Creator"));
}

/* Refuse a block or field of b that was not read: it is unknown there, or a duplicate. */
static int refuse_unread(const struct dat_block *b, unsigned line, struct str name, bool is_first,
	const char *brackets[2], struct error *e)
{
	if (is_first)
		return text_error(e, line, 1, "%s%.*s%s is not allowed in [%.*s]", brackets[0],
			STR_ARGS(name), brackets[1], STR_ARGS(b->name));
	return text_error(e, line, 1, "%s%.*s%s is twice in [%.*s]", brackets[0], STR_ARGS(name),
		brackets[1], STR_ARGS(b->name));
}

int layout_text_check_read(const struct dat_block *root, struct error *e)
{
	static const char *none[] = {"", ""}, *square[] = {"[", "]"};

	if (!is_root(root))
		return text_error(
			e, root->line, 1, "[%.*s] has no [OBJECTS]", STR_ARGS(root->name));
	for (const struct dat_block *b = root; b; b = dat_next(b)) {
		for (const struct dat_field *f = b->fields; f; f = f->next)
			if (!f->is_read)
				return refuse_unread(b, f->line, f->key,
					dat_find_field(b, f->key) == f, none, e);
		for (const struct dat_block *c = b->blocks; c; c = c->next)
			if (!c->is_read)
				return refuse_unread(b, c->line, c->name,
					dat_find_block(b, c->name) == c, square, e);
	}
	return 0;
}
