/* SPDX-License-Identifier: Zlib */
#include "formats/torchlight/index/derive.h"

#include <inttypes.h>

#include "formats/torchlight/text/number.h"
#include "formats/torchlight/text/raw/rawindex.h"

void derived_finish(struct derived *d)
{
	buffer_finish_free(&d->line);
	buffer_finish_free(&d->upper);
	buffer_finish_free(&d->lacking);
}

const struct dat_field *derive_field(const struct dat_block *b, const char *name)
{
	uint32_t hash = name_hash(str_of(name));

	for (const struct dat_field *f = b->fields; f; f = f->next)
		if (name_value(f->key) == hash)
			return f;
	return NULL;
}

struct str derive_text(const struct dat_block *b, const char *name)
{
	const struct dat_field *f = derive_field(b, name);

	return f ? f->value : STR("");
}

bool derive_bool(const struct dat_block *b, const char *name)
{
	uint32_t v = 0;

	return number_get_bool(derive_text(b, name), &v) && v;
}

static void next_cell(struct derived *d)
{
	if (d->n_cells++)
		buffer_byte(&d->line, '\t');
}

void derive_put(struct derived *d, struct str text)
{
	next_cell(d);
	rawindex_put_text(text, false, &d->line);
}

struct str derive_upper(struct derived *d, struct str text)
{
	d->upper.size = 0;
	buffer_str(&d->upper, text);
	for (size_t i = 0; i < d->upper.size; i++)
		if (d->upper.data[i] >= 'a' && d->upper.data[i] <= 'z')
			d->upper.data[i] = (uint8_t)(d->upper.data[i] - 'a' + 'A');
	return str_of_buffer(&d->upper);
}

void derive_keep(struct derived *d, struct str cell)
{
	next_cell(d);
	buffer_str(&d->line, cell);
}

void derive_put_list(struct derived *d)
{
	next_cell(d);
	d->list_at = d->line.size;
}

void derive_put_element(struct derived *d, struct str element)
{
	if (d->line.size > d->list_at)
		buffer_byte(&d->line, '|');
	rawindex_put_text(element, true, &d->line);
}

void derive_put_number(struct derived *d, int64_t v)
{
	next_cell(d);
	buffer_printf(&d->line, "%" PRId64, v);
}

void derive_put_field(
	struct derived *d, const struct dat_block *b, const char *name, int64_t otherwise)
{
	const struct dat_field *f = derive_field(b, name);
	int32_t v;

	derive_put_number(d, f && number_get_i32(f->value, &v) ? v : otherwise);
}
