/* SPDX-License-Identifier: Zlib */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "formats/torchlight/text/bindat/bindat.h"
#include "formats/torchlight/text/dattext.h"
#include "formats/torchlight/text/textform.h"

struct decoder {
	const struct names *names;
	struct str stem;
	uint32_t stem_hash;
	struct buffer *out;
	struct error *readonly;
};

static void put_name(struct decoder *d, uint32_t hash)
{
	struct str known;

	if (!names_find(d->names, hash, &known) && d->stem.n && hash == d->stem_hash)
		buffer_str(d->out, d->stem);
	else
		names_put(d->names, hash, d->out);
}

static void put_string(struct decoder *d, const struct bindat_item *item)
{
	CLEANUP_BUFFER struct buffer shown = BUFFER_INIT;

	if (ss_is_line(item->s)) {
		ss_to_utf8(item->s, d->out);
		return;
	}
	ss_to_utf8(item->s, &shown);
	for (size_t i = 0; i < shown.size; i++) {
		if (memchr("\n\r", shown.data[i], 3))
			buffer_text(d->out, "\xEF\xBF\xBD");
		else
			buffer_byte(d->out, shown.data[i]);
	}
	if (!d->readonly->code)
		error_set(d->readonly, -EACCES,
			"string id %" PRIu32
			" has a line break or NUL, which the text form cannot express",
			item->id);
}

static void put_item(struct decoder *d, const struct bindat_item *item)
{
	const struct bindat_type_facts *facts = &bindat_types[item->type];

	dattext_indent(d->out, item->depth + (item->kind == BINDAT_FIELD));
	if (item->kind != BINDAT_FIELD) {
		buffer_text(d->out, item->kind == BINDAT_OPEN ? "[" : "[/");
		put_name(d, item->name);
		buffer_text(d->out, "]\n");
		return;
	}
	buffer_printf(d->out, "<%s>", facts->word);
	put_name(d, item->name);
	buffer_byte(d->out, ':');
	if (bindat_is_string(item->type))
		put_string(d, item);
	else
		number_put(d->out, facts->number, item->value);
	buffer_byte(d->out, '\n');
}

int bindat_decode(const uint8_t *data, size_t size, const struct names *names, struct str stem,
	struct buffer *out, struct error *ret_readonly, struct error *e)
{
	CLEANUP_BINDAT struct bindat_file f = {0};
	struct decoder d = {.names = names, .out = out, .readonly = ret_readonly};
	struct bindat_reader reader;
	struct bindat_item item;
	int r = bindat_file_open(data, size, &f, e);

	if (r < 0)
		return r;
	if (name_is_usable(stem)) {
		d.stem = stem;
		d.stem_hash = name_value(stem);
	}
	bindat_begin(&f, &reader);
	while (bindat_next(&reader, &item, NULL) > 0) {
		put_item(&d, &item);
		if (out->error)
			return error_set(e, out->error, "out of memory");
		if (out->size > TEXT_MAX)
			return error_set(
				e, -EFBIG, "the text would be longer than %d bytes", TEXT_MAX);
	}
	return 0;
}
