/* SPDX-License-Identifier: Zlib */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "formats/torchlight/text/number.h"
#include "formats/torchlight/text/raw/rawindex.h"
#include "formats/torchlight/text/textform.h"

struct encoder {
	const struct raw_kind *kind;
	struct buffer sections[RAW_SECTIONS_MAX]; /* records, without their number */
	struct buffer apart;                      /* the first cells, if they are apart */
	uint32_t counts[RAW_SECTIONS_MAX];
	struct buffer plain; /* a cell without its escapes; scratch */
	unsigned line;
	const char *line_begin;
	struct error *e;
};

#define FAIL(en, at, ...)                                                                          \
	text_error((en)->e, (en)->line, text_column((en)->line_begin, (at)), __VA_ARGS__)

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
			return FAIL(en, s.s + i - 1,
				"a backslash must be followed by t, n, r, 0, e, | or \\");
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

/* Get the next element between '|'. An escaped '|' does not end it. */
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

static int put_number(
	struct encoder *en, struct str cell, const struct raw_type_facts *type, struct buffer *out)
{
	int64_t v = 0;

	while (v < type->n_words && !str_equal_nocase(cell, str_of(type->words[v])))
		v++;
	if (v == type->n_words &&
		(!cell.n || !number_get_i64(cell, &v) || v < type->min || v > type->max)) {
		if (type->list)
			return FAIL(en, cell.s, "'%.*s' is not a 64-bit integer", STR_ARGS(cell));
		return FAIL(en, cell.s, "'%.*s' must be %" PRId64 " to %" PRId64, STR_ARGS(cell),
			type->min, type->max);
	}
	if (type->size == 1)
		buffer_byte(out, (uint8_t)v);
	else if (type->size == 8)
		buffer_u64(out, (uint64_t)v);
	else
		buffer_u32(out, (uint32_t)v);
	return 0;
}

static int put_one(
	struct encoder *en, struct str cell, const struct raw_type_facts *type, struct buffer *out)
{
	return type->size ? put_number(en, cell, type, out) : put_text(en, cell, out);
}

static int put_list(
	struct encoder *en, struct str cell, const struct raw_type_facts *type, struct buffer *out)
{
	struct str rest = cell.n ? cell : (struct str){0}, one;
	uint32_t n = 0, most = type->list == 1 ? UINT8_MAX : UINT32_MAX;
	size_t at = out->size;
	int r = 0;

	for (unsigned i = 0; i < type->list; i++)
		buffer_byte(out, 0);
	for (; r == 0 && next_element(&rest, &one); n++) {
		if (n == most)
			return FAIL(en, one.s, "the list has more than %" PRIu32 " elements", most);
		r = put_one(en, one, type, out);
	}
	if (type->list == 4)
		buffer_patch_u32(out, at, n);
	else if (!out->error)
		out->data[at] = (uint8_t)n;
	return r;
}

static int find_section(struct encoder *en, struct str cell, unsigned *ret)
{
	for (unsigned i = 0; en->kind->sections[i]; i++) {
		if (str_equal_nocase(cell, str_of(en->kind->sections[i]))) {
			*ret = i;
			return 0;
		}
	}
	return FAIL(en, cell.s, "unknown list '%.*s' (ITEMS, MONSTERS, PLAYERS or PROPS)",
		STR_ARGS(cell));
}

static int put_record(struct encoder *en, struct str line)
{
	const struct raw_kind *kind = en->kind;
	const struct raw_type_facts *type;
	struct str rest = line, cell;
	struct buffer *out;
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
		type = &raw_types[kind->columns[i].type];
		out = !i && kind->first_column_apart ? &en->apart : &en->sections[section];
		r = type->list ? put_list(en, cell, type, out) : put_one(en, cell, type, out);
		if (r < 0)
			return r;
	}
	if (i < kind->n_columns)
		return FAIL(en, line.s + line.n, "the line has %u cells (must be %u)",
			i + (kind->sections ? 1 : 0), kind->n_columns + (kind->sections ? 1 : 0));
	if (rest.s)
		return FAIL(en, rest.s, "too many cells: '%.*s'", STR_ARGS(rest));
	en->counts[section]++;
	if (kind->count_bytes == 2 && en->counts[section] > UINT16_MAX)
		return FAIL(en, line.s, "more than %d records", UINT16_MAX);
	return 0;
}

static int check_header(struct encoder *en, struct str line)
{
	struct str rest = line, cell;

	if (en->kind->sections && !str_equal_nocase(str_cut(&rest, '\t'), STR("list")))
		return FAIL(en, line.s, "the first column must be list");
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

	for (unsigned i = 0; i == 0 || (kind->sections && kind->sections[i]); i++) {
		struct buffer *parts[] = {&en->apart, &en->sections[i]};

		if (kind->count_bytes == 2)
			buffer_u16(out, (uint16_t)en->counts[i]);
		else
			buffer_u32(out, en->counts[i]);
		for (int k = 0; k < 2; k++) {
			buffer_str(out, str_of_buffer(parts[k]));
			if (parts[k]->error)
				out->error = -ENOMEM;
		}
	}
}

static int encode_lines(struct encoder *en, struct str text)
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
	int r = encode_lines(&en, (struct str){text, n});

	if (r == 0) {
		put_sections(&en, out);
		if (out->error)
			r = error_set(e, out->error, "out of memory");
	}
	for (unsigned i = 0; i < RAW_SECTIONS_MAX; i++)
		buffer_finish_free(&en.sections[i]);
	buffer_finish_free(&en.apart);
	buffer_finish_free(&en.plain);
	return r;
}
