/* SPDX-License-Identifier: Zlib */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "formats/torchlight/text/raw/rawindex.h"
#include "formats/torchlight/text/textform.h"

struct decoder {
	const struct raw_kind *kind;
	struct cursor c;
	struct buffer text; /* scratch */
	struct buffer *out;
	struct error *e;
};

void rawindex_put_text(struct str text, bool in_list, struct buffer *out)
{
	static const char from[] = "\t\n\r\\|", to[] = "tnr\\|0";
	size_t begin = 0;

	if (!text.n) {
		if (in_list)
			buffer_text(out, "\\e");
		return;
	}
	for (size_t i = 0; i < text.n; i++) {
		const char *found = memchr(from, text.s[i], sizeof(from));

		if (!found || (*found == '|' && !in_list))
			continue;
		buffer_append(out, text.s + begin, i - begin);
		buffer_byte(out, '\\');
		buffer_byte(out, (uint8_t)to[found - from]);
		begin = i + 1;
	}
	buffer_str(out, (struct str){text.s + begin, text.n - begin});
}

static void put_one(struct decoder *d, struct cursor *c, const struct raw_type_facts *type)
{
	int64_t v;

	if (!type->size) {
		d->text.size = 0;
		ss_to_utf8(cursor_ss(c), &d->text);
		rawindex_put_text(str_of_buffer(&d->text), type->list, d->out);
		return;
	}
	if (type->size == 8)
		v = cursor_i64(c);
	else if (type->size == 4)
		v = type->min < 0 ? (int64_t)cursor_i32(c) : (int64_t)cursor_u32(c);
	else
		v = cursor_u8(c);
	if (v >= 0 && v < type->n_words)
		buffer_text(d->out, type->words[v]);
	else
		buffer_printf(d->out, "%" PRId64, v);
}

static void put_cell(struct decoder *d, struct cursor *c, const struct raw_type_facts *type)
{
	uint32_t n = !type->list ? 1 : type->list == 1 ? cursor_u8(c) : cursor_u32(c);

	for (uint32_t i = 0; i < n && !c->is_bad; i++) {
		if (i)
			buffer_byte(d->out, '|');
		put_one(d, c, type);
	}
}

static int put_section(struct decoder *d, const char *section)
{
	const struct raw_kind *kind = d->kind;
	uint32_t n = kind->count_bytes == 2 ? cursor_u16(&d->c) : cursor_u32(&d->c);
	struct cursor apart = d->c; /* the first cells, if they are apart */

	for (uint32_t i = 0; kind->first_column_apart && i < n && !d->c.is_bad; i++)
		cursor_ss(&d->c);
	for (uint32_t i = 0; i < n && !d->c.is_bad; i++) {
		if (section)
			buffer_printf(d->out, "%s\t", section);
		for (unsigned k = 0; k < kind->n_columns; k++) {
			put_cell(d, k == 0 && kind->first_column_apart ? &apart : &d->c,
				&raw_types[kind->columns[k].type]);
			buffer_byte(d->out, k + 1 < kind->n_columns ? '\t' : '\n');
		}
		if (d->out->size > TEXT_MAX)
			return error_set(
				d->e, -EFBIG, "the table would be longer than %d bytes", TEXT_MAX);
	}
	if (d->c.is_bad)
		return error_set(d->e, -EIO,
			"record of %s at byte %zu reaches past the end (%zu "
			"bytes)",
			kind->name, d->c.pos, d->c.size);
	return 0;
}

int rawindex_decode(const struct raw_kind *kind, const uint8_t *data, size_t size,
	struct buffer *out, struct error *e)
{
	struct decoder d = {.kind = kind, .c = cursor_init(data, size), .out = out, .e = e};
	int r = 0;

	if (kind->sections)
		buffer_text(out, "list\t");
	for (unsigned i = 0; i < kind->n_columns; i++)
		buffer_printf(
			out, "%s%c", kind->columns[i].name, i + 1 < kind->n_columns ? '\t' : '\n');
	if (!kind->sections)
		r = put_section(&d, NULL);
	for (unsigned i = 0; r == 0 && kind->sections && kind->sections[i]; i++)
		r = put_section(&d, kind->sections[i]);
	if (d.text.error)
		out->error = d.text.error;
	buffer_finish_free(&d.text);
	if (r < 0)
		return r;
	if (d.c.pos != size)
		return error_set(
			e, -EIO, "%zu bytes follow the records of %s", size - d.c.pos, kind->name);
	return out->error ? error_set(e, out->error, "out of memory") : 0;
}
