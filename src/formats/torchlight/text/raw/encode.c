/* SPDX-License-Identifier: Zlib */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "formats/torchlight/text/number.h"
#include "formats/torchlight/text/raw/kinds.h"
#include "formats/torchlight/text/textform.h"
#include "formats/torchlight/wire/wire.h"

struct encoder {
	const struct raw_kind *kind;
	struct buffer sections[RAW_SECTIONS_MAX]; /* records, without their number */
	struct buffer apart;                      /* the first cells, where they stand apart */
	uint32_t counts[RAW_SECTIONS_MAX];
	struct buffer plain; /* a cell without its escapes; scratch */
	unsigned line;
	const char *line_begin;
	struct error *e;
};

#define FAIL(en, at, ...) text_error((en)->e, (en)->line, column_of((en), (at)), __VA_ARGS__)

static unsigned column_of(const struct encoder *en, const char *at)
{
	unsigned column = 1;

	for (const char *s = en->line_begin; s < at; s++)
		column += ((unsigned char)*s & 0xC0) != 0x80;
	return column;
}

static int unescape(struct encoder *en, struct str s, struct str *ret)
{
	static const char from[] = "tnr\\|0", to[] = "\t\n\r\\|";

	*ret = s;
	if (!s.n || !memchr(s.s, '\\', s.n))
		return 0;
	en->plain.size = 0;
	for (size_t i = 0; i < s.n; i++) {
		const char *found;

		if (s.s[i] != '\\') {
			buffer_byte(&en->plain, (uint8_t)s.s[i]);
			continue;
		}
		i++;
		if (i < s.n && s.s[i] == 'e')
			continue;
		found = i < s.n ? memchr(from, s.s[i], sizeof(from) - 1) : NULL;
		if (!found)
			return FAIL(en, s.s + i - 1, "a backslash before none of t n r 0 e | \\");
		buffer_byte(&en->plain, (uint8_t)to[found - from]);
	}
	*ret = str_of_buffer(&en->plain);
	return en->plain.error;
}

static int put_text(struct encoder *en, struct str cell, struct buffer *out)
{
	struct error why = ERROR_INIT;
	struct str plain;
	int r = unescape(en, cell, &plain);

	if (r == 0 && (r = ss_put(out, plain, &why)) < 0)
		return FAIL(en, cell.s, "%s", error_text(&why));
	return r;
}

/* The next '|'-separated element; an escaped one is part of it. */
static bool next_element(struct str *rest, struct str *ret)
{
	size_t i = 0;

	if (!rest->s)
		return false;
	while (i < rest->n && rest->s[i] != '|')
		i += rest->s[i] == '\\' && i + 1 < rest->n ? 2 : 1;
	*ret = (struct str){rest->s, i};
	*rest = i < rest->n ? (struct str){rest->s + i + 1, rest->n - i - 1} : (struct str){0};
	return true;
}

static int put_list(struct encoder *en, struct str cell, enum raw_type type, struct buffer *out)
{
	struct str rest = cell.n ? cell : (struct str){0}, one;
	uint32_t n = 0, most = type == RAW_TEXTS ? UINT8_MAX : UINT32_MAX;
	size_t at = out->size;
	int64_t id;
	int r = 0;

	if (type == RAW_TEXTS)
		buffer_byte(out, 0);
	else
		buffer_u32(out, 0);
	for (; r == 0 && next_element(&rest, &one); n++) {
		if (n == most)
			return FAIL(en, one.s, "the list has more than %" PRIu32 " elements", most);
		if (type == RAW_TEXTS)
			r = put_text(en, one, out);
		else if (one.n && number_get_i64(one, &id))
			buffer_u64(out, (uint64_t)id);
		else
			return FAIL(en, one.s, "'%.*s' is no 64-bit integer", STR_ARGS(one));
	}
	if (type != RAW_TEXTS)
		buffer_patch_u32(out, at, n);
	else if (!out->error)
		out->data[at] = (uint8_t)n;
	return r;
}

static int put_number(struct encoder *en, struct str cell, enum raw_type type, struct buffer *out)
{
	static const struct {
		int64_t min, max;
	} ranges[RAW_TYPES] = {[RAW_U8] = {0, UINT8_MAX},
		[RAW_I32] = {INT32_MIN, INT32_MAX},
		[RAW_U32] = {0, UINT32_MAX},
		[RAW_MENU] = {0, UINT32_MAX},
		[RAW_STATE] = {0, UINT32_MAX},
		[RAW_I64] = {INT64_MIN, INT64_MAX}};
	int64_t v;

	if (!cell.n || !number_get_i64(cell, &v) || v < ranges[type].min || v > ranges[type].max)
		return FAIL(en, cell.s, "'%.*s' is not %" PRId64 "..%" PRId64, STR_ARGS(cell),
			ranges[type].min, ranges[type].max);
	if (type == RAW_U8)
		buffer_byte(out, (uint8_t)v);
	else if (type == RAW_I64)
		buffer_u64(out, (uint64_t)v);
	else
		buffer_u32(out, (uint32_t)v);
	return 0;
}

static int put_cell(struct encoder *en, struct str cell, enum raw_type type, struct buffer *out)
{
	const char *const *words = type == RAW_MENU ? raw_menus : raw_states;
	uint32_t n = type == RAW_MENU ? RAW_MENUS : RAW_STATES;

	switch (type) {
	case RAW_TEXT:
		return put_text(en, cell, out);
	case RAW_TEXTS:
	case RAW_IDS:
		return put_list(en, cell, type, out);
	case RAW_MENU:
	case RAW_STATE:
		for (uint32_t i = 0; i < n; i++) {
			if (!str_equal_nocase(cell, str_of(words[i])))
				continue;
			buffer_u32(out, i);
			return 0;
		}
		return put_number(en, cell, type, out);
	default:
		return put_number(en, cell, type, out);
	}
}

static int find_section(struct encoder *en, struct str cell, unsigned *ret)
{
	for (unsigned i = 0; en->kind->sections[i]; i++) {
		if (str_equal_nocase(cell, str_of(en->kind->sections[i]))) {
			*ret = i;
			return 0;
		}
	}
	return FAIL(
		en, cell.s, "no list '%.*s' (ITEMS, MONSTERS, PLAYERS or PROPS)", STR_ARGS(cell));
}

static int put_record(struct encoder *en, struct str line)
{
	const struct raw_kind *kind = en->kind;
	struct str rest = line, cell;
	unsigned section = 0, i;
	int r;

	if (kind->sections) {
		cell = str_cut(&rest, '\t');
		r = find_section(en, cell, &section);
		if (r < 0)
			return r;
	}
	for (i = 0; i < kind->n_columns && rest.s; i++) {
		cell = str_cut(&rest, '\t');
		r = put_cell(en, cell, kind->columns[i].type,
			!i && kind->first_column_apart ? &en->apart : &en->sections[section]);
		if (r < 0)
			return r;
	}
	if (i < kind->n_columns)
		return FAIL(en, line.s + line.n, "the line has %u cells (not %u)",
			i + (kind->sections ? 1 : 0), kind->n_columns + (kind->sections ? 1 : 0));
	if (rest.s)
		return FAIL(en, rest.s, "a cell too many: '%.*s'", STR_ARGS(rest));
	en->counts[section]++;
	if (kind->count_bytes == 2 && en->counts[section] > UINT16_MAX)
		return FAIL(en, line.s, "more than %d records", UINT16_MAX);
	return 0;
}

static int check_header(struct encoder *en, struct str line)
{
	struct str rest = line, cell;

	if (en->kind->sections && !str_equal_nocase(str_cut(&rest, '\t'), STR("list")))
		return FAIL(en, line.s, "the first column is not called list");
	for (unsigned i = 0; i < en->kind->n_columns; i++) {
		cell = str_cut(&rest, '\t');
		if (!str_equal_nocase(cell, str_of(en->kind->columns[i].name)))
			return FAIL(en, rest.s ? cell.s : line.s + line.n,
				"the header line lacks the column %s", en->kind->columns[i].name);
	}
	if (rest.s)
		return FAIL(
			en, rest.s, "the header line has the unknown column %.*s", STR_ARGS(rest));
	return 0;
}

static void put_sections(struct encoder *en, struct buffer *out)
{
	const struct raw_kind *kind = en->kind;

	for (unsigned i = 0; i < RAW_SECTIONS_MAX; i++) {
		if (kind->sections ? !kind->sections[i] : i > 0)
			break;
		if (kind->count_bytes == 2)
			buffer_u16(out, (uint16_t)en->counts[i]);
		else
			buffer_u32(out, en->counts[i]);
		if (en->apart.size)
			buffer_append(out, en->apart.data, en->apart.size);
		if (en->sections[i].size)
			buffer_append(out, en->sections[i].data, en->sections[i].size);
		if (en->sections[i].error || en->apart.error)
			out->error = -ENOMEM;
	}
}

static int encode(struct encoder *en, struct str text)
{
	int r = 0;

	while (r == 0 && text.n) {
		struct str line = str_cut(&text, '\n');

		en->line++;
		en->line_begin = line.s;
		if (en->line == 1)
			r = check_header(en, line);
		else if (line.n)
			r = put_record(en, line);
	}
	if (r == 0 && !en->line)
		return text_error(en->e, 1, 1, "no header line");
	return r;
}

int rawindex_encode(const struct raw_kind *kind, const char *text, size_t n, struct buffer *out,
	struct error *e)
{
	struct encoder en = {.kind = kind, .e = e};
	int r = encode(&en, (struct str){text, n});

	if (r == 0) {
		put_sections(&en, out);
		if (out->error)
			r = error_set(e, out->error, "no memory for the index");
	}
	for (unsigned i = 0; i < RAW_SECTIONS_MAX; i++)
		buffer_finish_free(&en.sections[i]);
	buffer_finish_free(&en.apart);
	buffer_finish_free(&en.plain);
	return r;
}
