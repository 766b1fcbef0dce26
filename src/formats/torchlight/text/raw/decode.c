/* SPDX-License-Identifier: Zlib */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "formats/torchlight/text/raw/kinds.h"
#include "formats/torchlight/text/textform.h"
#include "formats/torchlight/wire/wire.h"

struct decoder {
	const struct raw_kind *kind;
	struct cursor c;
	struct cursor apart; /* the first cells, where they stand apart */
	struct buffer *out;
	struct error *e;
};

/* What stands in out from `at` on becomes a cell, or an element of a list in one. */
static void escape(struct buffer *out, size_t at, bool in_list)
{
	CLEANUP_BUFFER struct buffer plain = BUFFER_INIT;

	if (out->error)
		return;
	if (in_list && out->size == at) {
		buffer_text(out, "\\e");
		return;
	}
	/* Nearly no string has anything to escape. */
	for (size_t i = at; i < out->size; i++)
		if (memchr("\t\n\r\\|", out->data[i], 6))
			goto escape;
	return;
escape:
	buffer_append(&plain, out->data + at, out->size - at);
	out->size = at;
	for (size_t i = 0; i < plain.size; i++) {
		static const char from[] = "\t\n\r\\|", to[] = "tnr\\|0";
		const char *found = memchr(from, plain.data[i], sizeof(from));

		if (found && (*found != '|' || in_list)) {
			buffer_byte(out, '\\');
			buffer_byte(out, (uint8_t)to[found - from]);
		} else {
			buffer_byte(out, plain.data[i]);
		}
	}
	if (plain.error)
		out->error = plain.error;
}

static void put_escaped(struct ss s, bool in_list, struct buffer *out)
{
	size_t at = out->size;

	ss_to_utf8(s, out);
	escape(out, at, in_list);
}

void rawindex_put_text(struct str text, bool in_list, struct buffer *out)
{
	size_t at = out->size;

	buffer_str(out, text);
	escape(out, at, in_list);
}

static void put_word(uint32_t v, const char *const *words, uint32_t n, struct buffer *out)
{
	if (v < n)
		buffer_text(out, words[v]);
	else
		buffer_printf(out, "%" PRIu32, v);
}

static void put_lists(struct decoder *d, enum raw_type type)
{
	uint32_t n = type == RAW_TEXTS ? cursor_u8(&d->c) : cursor_u32(&d->c);

	for (uint32_t i = 0; i < n && !d->c.bad; i++) {
		if (i)
			buffer_byte(d->out, '|');
		if (type == RAW_TEXTS)
			put_escaped(cursor_ss(&d->c), true, d->out);
		else
			buffer_printf(d->out, "%" PRId64, cursor_i64(&d->c));
	}
}

static void put_cell(struct decoder *d, enum raw_type type)
{
	switch (type) {
	case RAW_TEXT:
		put_escaped(cursor_ss(&d->c), false, d->out);
		break;
	case RAW_U8:
		buffer_printf(d->out, "%u", cursor_u8(&d->c));
		break;
	case RAW_I32:
		buffer_printf(d->out, "%" PRId32, cursor_i32(&d->c));
		break;
	case RAW_U32:
		buffer_printf(d->out, "%" PRIu32, cursor_u32(&d->c));
		break;
	case RAW_I64:
		buffer_printf(d->out, "%" PRId64, cursor_i64(&d->c));
		break;
	case RAW_MENU:
		put_word(cursor_u32(&d->c), raw_menus, RAW_MENUS, d->out);
		break;
	case RAW_STATE:
		put_word(cursor_u32(&d->c), raw_states, RAW_STATES, d->out);
		break;
	default:
		put_lists(d, type);
	}
}

static void put_record(struct decoder *d, const char *section)
{
	struct cursor rest;

	if (section)
		buffer_printf(d->out, "%s\t", section);
	for (unsigned i = 0; i < d->kind->n_columns; i++) {
		if (i)
			buffer_byte(d->out, '\t');
		if (i || !d->kind->first_column_apart) {
			put_cell(d, d->kind->columns[i].type);
			continue;
		}
		rest = d->c;
		d->c = d->apart;
		put_cell(d, d->kind->columns[i].type);
		d->apart = d->c;
		d->c = rest;
		d->c.bad |= d->apart.bad;
	}
	buffer_byte(d->out, '\n');
}

static int put_section(struct decoder *d, const char *section)
{
	uint32_t n = d->kind->count_bytes == 2 ? cursor_u16(&d->c) : cursor_u32(&d->c);

	if (d->kind->first_column_apart) {
		d->apart = d->c;
		for (uint32_t i = 0; i < n && !d->c.bad; i++)
			cursor_ss(&d->c);
	}
	for (uint32_t i = 0; i < n && !d->c.bad; i++) {
		put_record(d, section);
		if (d->out->size > TEXT_MAX)
			return error_set(
				d->e, -EFBIG, "the table would be longer than %d bytes", TEXT_MAX);
	}
	if (d->c.bad)
		return error_set(d->e, -EIO,
			"record of %s at byte %zu reaches past the end (%zu "
			"bytes)",
			d->kind->name, d->c.pos, d->c.size);
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
	if (r < 0)
		return r;
	if (d.c.pos != size)
		return error_set(
			e, -EIO, "%zu bytes follow the records of %s", size - d.c.pos, kind->name);
	return out->error ? error_set(e, out->error, "no memory for the table") : 0;
}
