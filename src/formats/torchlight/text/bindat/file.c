/* SPDX-License-Identifier: Zlib */
#include "formats/torchlight/text/bindat/file.h"

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

/* A string of no units needs somewhere to point to. */
static const uint8_t no_units[1];

bool bindat_sniff(const uint8_t *data, size_t size)
{
	return size >= 8 && load_u32(data) == BINDAT_VERSION;
}

static int by_id(const void *a, const void *b)
{
	const struct bindat_string *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

static int truncated(const struct cursor *c, const char *what, struct error *e)
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
	/* Each entry has six bytes at least, so the count is bounded by what is there. */
	if (n > cursor_left(c) / 6)
		return error_set(e, -EIO,
			"the table's number of strings is %" PRIu32 " (at most %zu in %zu bytes)",
			n, cursor_left(c) / 6, c->size);
	f->strings = calloc((size_t)n + 1, sizeof(*f->strings));
	if (!f->strings)
		return error_set(e, -ENOMEM, "no memory for %" PRIu32 " strings", n);
	for (uint32_t i = 0; i < n; i++) {
		f->strings[i].id = cursor_u32(c);
		f->strings[i].s = cursor_ss(c);
		if (c->bad)
			return truncated(c, "a string of the table", e);
	}
	f->n_strings = n;
	qsort(f->strings, n, sizeof(*f->strings), by_id);
	for (uint32_t i = 1; i < n; i++)
		if (f->strings[i].id == f->strings[i - 1].id)
			return error_set(e, -EIO, "string id %" PRIu32 " stands twice in the table",
				f->strings[i].id);
	f->has_empty = n && f->strings[n - 1].id == BINDAT_EMPTY;
	return 0;
}

const struct bindat_string *bindat_find(const struct bindat_file *f, uint32_t id)
{
	struct bindat_string key = {.id = id};

	return f->n_strings ? bsearch(&key, f->strings, f->n_strings, sizeof(key), by_id) : NULL;
}

static int find_string(const struct bindat_file *f, uint32_t id, struct ss *ret, struct error *e)
{
	const struct bindat_string *found = bindat_find(f, id);

	if (!found && id != BINDAT_EMPTY)
		return error_set(e, -EIO, "string id %" PRIu32 " is not in the table", id);
	*ret = found ? found->s : (struct ss){no_units, 0};
	return 0;
}

static int walk_value(const struct bindat_file *f, struct cursor *c, unsigned depth,
	const struct bindat_visitor *v, struct error *e)
{
	struct bindat_value value = {.depth = depth, .name = cursor_u32(c), .type = cursor_u32(c)};
	int r;

	if (c->bad)
		return truncated(c, "a field", e);
	if (value.type < BINDAT_INTEGER || value.type >= BINDAT_TYPES)
		return error_set(e, -EIO, "type %" PRIu32 " of the field at byte %zu (1 to %d)",
			value.type, c->pos - 8, BINDAT_TYPES - 1);
	value.value = cursor_take(c, bindat_value_size(value.type));
	if (!value.value)
		return truncated(c, "a field", e);
	if (bindat_is_string(value.type)) {
		value.id = load_u32(value.value);
		r = find_string(f, value.id, &value.s, e);
		if (r < 0)
			return r;
	}
	return v->value ? v->value(v->arg, &value, e) : 0;
}

static int walk_block(const struct bindat_file *f, struct cursor *c, unsigned depth,
	const struct bindat_visitor *v, struct error *e)
{
	uint32_t name = cursor_u32(c), n = cursor_u32(c);
	int r = 0;

	if (c->bad)
		return truncated(c, "a block", e);
	if (depth >= BINDAT_DEPTH_MAX)
		return error_set(e, -EIO, "blocks are nested more than %d deep", BINDAT_DEPTH_MAX);
	if (v->open)
		r = v->open(v->arg, depth, name, e);
	for (uint32_t i = 0; r == 0 && i < n; i++)
		r = walk_value(f, c, depth, v, e);
	if (r < 0)
		return r;
	n = cursor_u32(c);
	if (c->bad)
		return truncated(c, "a number of blocks", e);
	for (uint32_t i = 0; r == 0 && i < n; i++)
		r = walk_block(f, c, depth + 1, v, e);
	if (r == 0 && v->close)
		r = v->close(v->arg, depth, name, e);
	return r;
}

int bindat_walk(const struct bindat_file *f, const struct bindat_visitor *v, struct error *e)
{
	struct cursor c = cursor_init(f->data, f->size);
	int r;

	c.pos = f->tree;
	r = walk_block(f, &c, 0, v, e);
	if (r == 0 && c.pos != c.size)
		return error_set(e, -EIO, "%zu bytes follow the root block", c.size - c.pos);
	return r;
}

static int note_empty(void *arg, const struct bindat_value *v, struct error *e)
{
	(void)e;
	if (bindat_is_string(v->type) && v->id == BINDAT_EMPTY)
		*(bool *)arg = true;
	return 0;
}

int bindat_file_open(const uint8_t *data, size_t size, struct bindat_file *ret, struct error *e)
{
	CLEANUP_BINDAT struct bindat_file f = {.data = data, .size = size};
	struct bindat_visitor v = {.value = note_empty, .arg = &f.uses_empty};
	struct cursor c = cursor_init(data, size);
	int r = read_table(&f, &c, e);

	if (r < 0)
		return r;
	f.tree = c.pos;
	r = bindat_walk(&f, &v, e);
	if (r < 0 && !f.n_strings && cursor_left(&c) > 4 && !load_u32(data + c.pos)) {
		f.tree += 4;
		if (bindat_walk(&f, &v, NULL) == 0) {
			f.extra_word = true;
			r = 0;
		}
	}
	if (r < 0)
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

int bindat_each(const uint8_t *data, size_t size, bindat_value_fn fn, void *arg, struct error *e)
{
	CLEANUP_BINDAT struct bindat_file f = {0};
	struct bindat_visitor v = {.value = fn, .arg = arg};
	int r = bindat_file_open(data, size, &f, e);

	return r < 0 ? r : bindat_walk(&f, &v, e);
}
