/* SPDX-License-Identifier: Zlib */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "formats/torchlight/text/bindat/file.h"
#include "formats/torchlight/text/dattext.h"
#include "formats/torchlight/text/number.h"
#include "formats/torchlight/text/textform.h"

struct decoder {
	const struct names *names;
	struct str stem;
	uint32_t stem_hash;
	struct buffer *out;
	struct error *readonly;
};

static int check_size(const struct decoder *d, struct error *e)
{
	if (d->out->error)
		return error_set(e, d->out->error, "no memory for the text");
	if (d->out->size > TEXT_MAX)
		return error_set(e, -EFBIG, "the text would be longer than %d bytes", TEXT_MAX);
	return 0;
}

static void put_name(struct decoder *d, uint32_t hash)
{
	struct str known;

	if (!names_find(d->names, hash, &known) && d->stem.n && hash == d->stem_hash)
		buffer_str(d->out, d->stem);
	else
		names_put(d->names, hash, d->out);
}

static int put_tag(
	struct decoder *d, unsigned depth, const char *begin, uint32_t name, struct error *e)
{
	dattext_indent(d->out, depth);
	buffer_text(d->out, begin);
	put_name(d, name);
	buffer_text(d->out, "]\n");
	return check_size(d, e);
}

static int open_block(void *arg, unsigned depth, uint32_t name, struct error *e)
{
	return put_tag(arg, depth, "[", name, e);
}

static int close_block(void *arg, unsigned depth, uint32_t name, struct error *e)
{
	return put_tag(arg, depth, "[/", name, e);
}

static void put_string(struct decoder *d, const struct bindat_value *v)
{
	size_t at = d->out->size;
	CLEANUP_BUFFER struct buffer shown = BUFFER_INIT;

	ss_to_utf8(v->s, d->out);
	if (ss_is_line(v->s) || d->out->error)
		return;
	buffer_append(&shown, d->out->data + at, d->out->size - at);
	d->out->size = at;
	for (size_t i = 0; i < shown.size; i++) {
		if (shown.data[i] && shown.data[i] != '\n' && shown.data[i] != '\r')
			buffer_byte(d->out, shown.data[i]);
		else
			buffer_text(d->out, "\xEF\xBF\xBD");
	}
	if (!d->readonly->code)
		error_set(d->readonly, -EACCES,
			"string id %" PRIu32 " holds a line break or NUL, which the text form "
			"cannot say",
			v->id);
}

static int put_field(void *arg, const struct bindat_value *v, struct error *e)
{
	struct decoder *d = arg;

	dattext_indent(d->out, v->depth + 1);
	buffer_printf(d->out, "<%s>", bindat_types[v->type].word);
	put_name(d, v->name);
	buffer_byte(d->out, ':');
	if (bindat_is_string(v->type))
		put_string(d, v);
	else
		number_put(d->out, bindat_types[v->type].number, v->value);
	buffer_byte(d->out, '\n');
	return check_size(d, e);
}

int bindat_decode(const uint8_t *data, size_t size, const struct names *names, const char *stem,
	struct buffer *out, struct error *ret_readonly, struct error *e)
{
	CLEANUP_BINDAT struct bindat_file f = {0};
	struct error readonly = ERROR_INIT;
	struct decoder d = {.names = names, .out = out, .readonly = &readonly};
	struct bindat_visitor v = {open_block, put_field, close_block, &d};
	int r = bindat_file_open(data, size, &f, e);

	if (r < 0)
		return r;
	if (stem && name_is_usable(str_of(stem))) {
		d.stem = str_of(stem);
		d.stem_hash = name_hash(d.stem);
	}
	r = bindat_walk(&f, &v, e);
	if (r == 0 && ret_readonly)
		*ret_readonly = readonly;
	return r;
}
