/* SPDX-License-Identifier: Zlib */
#include "formats/torchlight/text/bindat/bindat.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

const struct bindat_type_facts bindat_types[BINDAT_TYPES] = {
	[BINDAT_INTEGER] = {"INTEGER", NUMBER_I32, "-2147483648..2147483647"},
	[BINDAT_FLOAT] = {"FLOAT", NUMBER_F32, "a decimal number"},
	[BINDAT_DOUBLE] = {"DOUBLE", NUMBER_F64, "a decimal number"},
	[BINDAT_UNSIGNED] = {"UNSIGNED INT", NUMBER_U32, "0..4294967295"},
	[BINDAT_STRING] = {"STRING", .range = NULL},
	[BINDAT_BOOL] = {"BOOL", NUMBER_BOOL, "true, false or a number"},
	[BINDAT_INTEGER64] = {"INTEGER64", NUMBER_I64, "-9223372036854775808..9223372036854775807"},
	[BINDAT_TRANSLATE] = {"TRANSLATE", .range = NULL},
	[BINDAT_NOTE] = {"NOTE", .range = NULL},
};

bool bindat_sniff(const uint8_t *data, size_t size)
{
	return size >= 8 && load_u32(data) == BINDAT_VERSION;
}

static int by_id(const void *a, const void *b)
{
	const struct bindat_string *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

static int refuse_truncated(const struct cursor *c, const char *what, struct error *e)
{
	return error_set(e, -EIO, "%s at byte %zu reaches past the end of the file (%zu bytes)",
		what, c->pos, c->size);
}

static int read_table(struct bindat_file *f, struct cursor *c, struct error *e)
{
	uint32_t n;

	if (cursor_u32(c) != BINDAT_VERSION)
		return error_set(e, -EIO, "the first word is not %d", BINDAT_VERSION);
	n = cursor_u32(c);
	/* An entry has at least six bytes, which bounds n. */
	if (n > cursor_left(c) / 6)
		return error_set(e, -EIO,
			"the table's number of strings is %" PRIu32 " (at most %zu in %zu bytes)",
			n, cursor_left(c) / 6, c->size);
	f->strings = calloc((size_t)n + 1, sizeof(*f->strings));
	if (!f->strings)
		return error_set(e, -ENOMEM, "out of memory");
	for (uint32_t i = 0; i < n; i++) {
		f->strings[i].id = cursor_u32(c);
		f->strings[i].s = cursor_ss(c);
		if (c->is_bad)
			return refuse_truncated(c, "a string of the table", e);
	}
	f->n_strings = n;
	qsort(f->strings, n, sizeof(*f->strings), by_id);
	for (uint32_t i = 1; i < n; i++)
		if (f->strings[i].id == f->strings[i - 1].id)
			return error_set(e, -EIO, "string id %" PRIu32 " is twice in the table",
				f->strings[i].id);
	f->has_empty = n && f->strings[n - 1].id == BINDAT_EMPTY;
	return 0;
}

static int read_string(const struct bindat_file *f, struct bindat_item *item, struct error *e)
{
	struct bindat_string key = {.id = load_u32(item->value)}, *found = NULL;

	if (f->n_strings)
		found = bsearch(&key, f->strings, f->n_strings, sizeof(key), by_id);
	if (!found && key.id != BINDAT_EMPTY)
		return error_set(e, -EIO, "string id %" PRIu32 " is not in the table", key.id);
	item->id = key.id;
	item->s = found ? found->s : (struct ss){0};
	return 1;
}

static int read_field(struct bindat_reader *r, struct bindat_item *item, struct error *e)
{
	uint32_t type;

	item->kind = BINDAT_FIELD;
	item->name = cursor_u32(&r->c);
	item->type = type = cursor_u32(&r->c);
	if (r->c.is_bad)
		return refuse_truncated(&r->c, "a field", e);
	if (type < BINDAT_INTEGER || type >= BINDAT_TYPES)
		return error_set(e, -EIO, "type %" PRIu32 " of the field at byte %zu (1 to %d)",
			type, r->c.pos - 8, BINDAT_TYPES - 1);
	item->value = cursor_take(&r->c, type == BINDAT_DOUBLE || type == BINDAT_INTEGER64 ? 8 : 4);
	if (!item->value)
		return refuse_truncated(&r->c, "a field", e);
	return bindat_is_string(type) ? read_string(r->file, item, e) : 1;
}

static int open_block(struct bindat_reader *r, struct bindat_item *item, struct error *e)
{
	uint32_t name = cursor_u32(&r->c), fields = cursor_u32(&r->c);

	if (r->c.is_bad)
		return refuse_truncated(&r->c, "a block", e);
	if (r->depth == BINDAT_DEPTH_MAX)
		return error_set(e, -EIO, "blocks are nested more than %d deep", BINDAT_DEPTH_MAX);
	*item = (struct bindat_item){.kind = BINDAT_OPEN, .depth = r->depth, .name = name};
	r->depth++;
	r->open[r->depth].name = name;
	r->open[r->depth].fields = fields;
	r->open[r->depth].counted = false;
	return 1;
}

void bindat_begin(const struct bindat_file *f, struct bindat_reader *ret)
{
	ret->file = f;
	ret->c = cursor_init(f->data, f->size);
	ret->c.pos = f->tree;
	ret->depth = 0;
	/* The root is the only block of an outermost level. */
	ret->open[0].fields = 0;
	ret->open[0].blocks = 1;
	ret->open[0].counted = true;
}

int bindat_next(struct bindat_reader *r, struct bindat_item *ret, struct error *e)
{
	unsigned depth = r->depth ? r->depth - 1 : 0;

	*ret = (struct bindat_item){.kind = BINDAT_CLOSE, .depth = depth};
	if (r->open[r->depth].fields) {
		r->open[r->depth].fields--;
		return read_field(r, ret, e);
	}
	if (!r->open[r->depth].counted) {
		r->open[r->depth].counted = true;
		r->open[r->depth].blocks = cursor_u32(&r->c);
		if (r->c.is_bad)
			return refuse_truncated(&r->c, "a number of blocks", e);
	}
	if (r->open[r->depth].blocks) {
		r->open[r->depth].blocks--;
		return open_block(r, ret, e);
	}
	if (r->depth) {
		ret->name = r->open[r->depth--].name;
		return 1;
	}
	if (r->c.pos != r->c.size)
		return error_set(e, -EIO, "%zu bytes follow the root block", r->c.size - r->c.pos);
	return 0;
}

static int check_tree(struct bindat_file *f, struct error *e)
{
	struct bindat_reader reader;
	struct bindat_item item;
	int r;

	bindat_begin(f, &reader);
	while ((r = bindat_next(&reader, &item, e)) > 0)
		f->uses_empty |= bindat_is_string(item.type) && item.id == BINDAT_EMPTY;
	return r;
}

int bindat_file_open(const uint8_t *data, size_t size, struct bindat_file *ret, struct error *e)
{
	CLEANUP_BINDAT struct bindat_file f = {.data = data, .size = size};
	struct cursor c = cursor_init(data, size);
	int r = read_table(&f, &c, e);

	if (r < 0)
		return r;
	f.tree = c.pos;
	r = check_tree(&f, e);
	if (r < 0 && !f.n_strings && cursor_left(&c) > 4 && !load_u32(data + c.pos)) {
		f.tree += 4;
		f.extra_word = check_tree(&f, NULL) == 0;
	}
	if (r < 0 && !f.extra_word)
		return r;
	*ret = f;
	f.strings = NULL;
	return 0;
}

void bindat_file_close(struct bindat_file *f)
{
	free(f->strings);
	f->strings = NULL;
}
