/* SPDX-License-Identifier: Zlib */
#include "tools/torchlight/index/derive.h"

#include <inttypes.h>

#include "formats/torchlight/text/number.h"
#include "formats/torchlight/text/raw/rawindex.h"

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

static void next_cell(struct job *j)
{
	if (j->n_cells++)
		buffer_byte(&j->line, '\t');
}

void derive_put(struct job *j, struct str text)
{
	next_cell(j);
	rawindex_put_text(text, false, &j->line);
}

struct str derive_upper(struct str text, struct buffer *out)
{
	for (size_t i = 0; i < text.n; i++)
		buffer_byte(out, (uint8_t)char_upper(text.s[i]));
	return str_of_buffer(out);
}

void derive_put_upper(struct job *j, struct str text)
{
	CLEANUP_BUFFER struct buffer upper = BUFFER_INIT;

	derive_put(j, derive_upper(text, &upper));
	if (upper.error)
		j->line.error = upper.error;
}

void derive_keep_cell(struct job *j, unsigned cell)
{
	next_cell(j);
	buffer_str(&j->line, j->old->cells[cell]);
}

void derive_put_list(struct job *j)
{
	next_cell(j);
	j->list_at = j->line.size;
}

void derive_put_element(struct job *j, struct str element)
{
	if (j->line.size > j->list_at)
		buffer_byte(&j->line, '|');
	rawindex_put_text(element, true, &j->line);
}

void derive_put_number(struct job *j, int64_t v)
{
	next_cell(j);
	buffer_printf(&j->line, "%" PRId64, v);
}
