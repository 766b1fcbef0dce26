/* SPDX-License-Identifier: Zlib */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "formats/torchlight/text/bindat/bindat.h"
#include "formats/torchlight/text/dattext.h"

/* A use of a string. */
struct use {
	struct ss s;
	size_t nth; /* among all uses: first the old file's, then the text's */
	uint32_t id;
	bool known;   /* the old file has an id for it */
	size_t first; /* nth of the text's first use of this string */
};

struct encoder {
	const struct names *names;
	struct compiled_remarks *remarks; /* or NULL */
	struct buffer strings;            /* of the text, in its order, as SS */
	struct use *uses;
	size_t n, room;
	size_t n_old;
	size_t next_use; /* for put_value */
	struct buffer *out;
	struct error *e;
};

/* The type of a field, or 0. A type in lower case is a STRING to the modding kit. */
static uint32_t field_type(const struct dat_field *f)
{
	for (uint32_t type = 1; type < BINDAT_TYPES; type++)
		if (str_equal_nocase(f->type, str_of(bindat_types[type].word)))
			return str_equal(f->type, str_of(bindat_types[type].word)) ? type
										   : BINDAT_STRING;
	return 0;
}

static void note_small(struct encoder *en, const struct dat_field *f)
{
	struct compiled_remarks *r = en->remarks;

	if (r && !str_equal_nocase(f->type, str_of(bindat_types[field_type(f)].word)) &&
		(!r->small_line || f->line < r->small_line))
		r->small_line = f->line;
}

static int collect_strings(struct encoder *en, const struct dat_block *b)
{
	int r = 0;

	for (const struct dat_field *f = b->fields; r == 0 && f; f = f->next) {
		if (!field_type(f))
			return dat_field_error(en->e, f, "<%.*s> is not a type", STR_ARGS(f->type));
		note_small(en, f);
		if (bindat_is_string(field_type(f)))
			r = dat_put_string(f, &en->strings, en->e);
	}
	for (const struct dat_block *c = b->blocks; r == 0 && c; c = c->next)
		r = collect_strings(en, c);
	return r;
}

static int add_use(struct encoder *en, struct ss s, uint32_t id)
{
	if (!array_reserve(en->uses, en->n, en->room))
		return error_set(en->e, -ENOMEM, "out of memory");
	en->uses[en->n] = (struct use){.s = s, .nth = en->n, .id = id};
	en->n++;
	return 0;
}

static int collect_uses(struct encoder *en, const struct bindat_file *old)
{
	struct cursor c = cursor_init(en->strings.data, en->strings.size);
	struct bindat_reader reader;
	struct bindat_item item;
	int r = 0;

	if (old->data) {
		bindat_begin(old, &reader);
		while (r == 0 && bindat_next(&reader, &item, NULL) > 0)
			if (bindat_is_string(item.type))
				r = add_use(en, item.s, item.id);
	}
	en->n_old = en->next_use = en->n;
	while (r == 0 && c.pos < c.size)
		r = add_use(en, cursor_ss(&c), 0);
	return r;
}

static int compare_strings(struct ss a, struct ss b)
{
	return array_compare(a.n, b.n) ?: a.n ? memcmp(a.units, b.units, 2 * (size_t)a.n) : 0;
}

static int by_string(const void *a, const void *b)
{
	const struct use *x = a, *y = b;

	return compare_strings(x->s, y->s) ?: array_compare(x->nth, y->nth);
}

static int by_place(const void *a, const void *b)
{
	const struct use *x = a, *y = b;

	return array_compare(x->nth, y->nth);
}

static int by_id(const void *a, const void *b)
{
	const struct use *x = a, *y = b;

	return array_compare(x->id, y->id);
}

/* Give the text's uses the ids of the old uses. Uses are sorted by string, old ones first. */
static void match_old(struct encoder *en, bool anew)
{
	size_t begin = 0, n_old = 0;

	for (size_t i = 0; i < en->n; i++) {
		struct use *use = &en->uses[i];
		size_t k;

		if (i && compare_strings(en->uses[i - 1].s, use->s)) {
			begin = i;
			n_old = 0;
		}
		if (use->nth < en->n_old) {
			n_old++;
			continue;
		}
		k = i - begin - n_old;
		use->first = en->uses[begin + n_old].nth;
		use->known = n_old && !anew;
		if (use->known)
			use->id = en->uses[begin + (k < n_old ? k : n_old - 1)].id;
	}
}

static uint64_t first_free_id(const struct bindat_file *old)
{
	for (size_t i = old->n_strings; i > 0; i--)
		if (old->strings[i - 1].id != BINDAT_EMPTY)
			return (uint64_t)old->strings[i - 1].id + 1;
	return 0;
}

/* Give the text's uses their ids. Uses are sorted by nth before and after. */
static void number_uses(struct encoder *en, const struct bindat_file *old)
{
	uint64_t next = first_free_id(old);
	/* No ids left above the highest one: renumber. No real file comes close. */
	bool anew = next + (en->n - en->n_old) >= BINDAT_EMPTY, taken = false;

	if (!en->n)
		return;
	qsort(en->uses, en->n, sizeof(*en->uses), by_string);
	match_old(en, anew);
	qsort(en->uses, en->n, sizeof(*en->uses), by_place);
	if (anew)
		next = 0;
	/* A file can give the id of "" to another string, which keeps it while it is used. */
	for (size_t i = en->n_old; i < en->n; i++)
		taken |= en->uses[i].known && en->uses[i].id == BINDAT_EMPTY && en->uses[i].s.n;
	for (size_t i = en->n_old; i < en->n; i++) {
		struct use *use = &en->uses[i];

		if (use->known)
			continue;
		if (!use->s.n && !taken)
			use->id = BINDAT_EMPTY;
		else
			use->id = use->first == i ? (uint32_t)next++ : en->uses[use->first].id;
	}
}

static void put_name(struct encoder *en, struct str name)
{
	uint32_t hash = name_value(name);
	struct str known;

	buffer_u32(en->out, hash);
	if (!en->remarks || names_find(en->names, hash, &known) || !name_is_usable(name))
		return;
	buffer_str(&en->remarks->names, name);
	buffer_byte(&en->remarks->names, '\n');
}

static int put_value(struct encoder *en, const struct dat_field *f, uint32_t type)
{
	if (bindat_is_string(type))
		buffer_u32(en->out, en->uses[en->next_use++].id);
	else if (!number_get(f->value, bindat_types[type].number, en->out))
		return dat_field_error(en->e, f, "'%.*s' is not a valid %s (%s)",
			STR_SHORT(f->value, 100), bindat_types[type].word,
			bindat_types[type].range);
	return 0;
}

static int put_block(struct encoder *en, const struct dat_block *b, unsigned depth)
{
	uint32_t n = 0, type;
	int r = 0;

	if (depth >= BINDAT_DEPTH_MAX)
		return error_set(en->e, -EINVAL, "line %u: blocks are nested more than %d deep",
			b->line, BINDAT_DEPTH_MAX);
	put_name(en, b->name);
	for (const struct dat_field *f = b->fields; f; f = f->next)
		n++;
	buffer_u32(en->out, n);
	for (const struct dat_field *f = b->fields; r == 0 && f; f = f->next) {
		type = field_type(f);
		put_name(en, f->key);
		buffer_u32(en->out, type);
		r = put_value(en, f, type);
	}
	n = 0;
	for (const struct dat_block *c = b->blocks; c; c = c->next)
		n++;
	buffer_u32(en->out, n);
	for (const struct dat_block *c = b->blocks; r == 0 && c; c = c->next)
		r = put_block(en, c, depth + 1);
	return r;
}

static void put_table(struct encoder *en, const struct bindat_file *old)
{
	struct use *uses = en->uses ? en->uses + en->n_old : NULL;
	size_t n = en->n - en->n_old, kept = 0;

	if (n)
		qsort(uses, n, sizeof(*uses), by_id);
	for (size_t i = 0; i < n; i++) {
		/* Files of one other tool have no entry for "". */
		if (uses[i].id == BINDAT_EMPTY && old->data && !old->has_empty && old->uses_empty)
			continue;
		if (!kept || uses[kept - 1].id != uses[i].id)
			uses[kept++] = uses[i];
	}
	buffer_u32(en->out, BINDAT_VERSION);
	buffer_u32(en->out, (uint32_t)kept);
	for (size_t i = 0; i < kept; i++) {
		buffer_u32(en->out, uses[i].id);
		buffer_u16(en->out, uses[i].s.n);
		buffer_append(en->out, uses[i].s.units, 2 * (size_t)uses[i].s.n);
	}
	if (!kept && old->extra_word)
		buffer_u32(en->out, 0);
}

static int encode_tree(
	struct encoder *en, const struct dat_block *root, const struct bindat_file *old)
{
	CLEANUP_BUFFER struct buffer tree = BUFFER_INIT;
	struct buffer *out = en->out;
	int r = collect_strings(en, root);

	if (r == 0)
		r = collect_uses(en, old);
	if (r < 0)
		return r;
	number_uses(en, old);
	en->out = &tree;
	r = put_block(en, root, 0);
	en->out = out;
	if (r < 0)
		return r;
	put_table(en, old);
	buffer_append(out, tree.data, tree.size);
	if (out->error || tree.error)
		return error_set(en->e, -ENOMEM, "out of memory");
	return 0;
}

int bindat_encode(const char *text, size_t n, const uint8_t *old, size_t old_size,
	const struct names *names, struct compiled_remarks *remarks, struct buffer *out,
	struct error *e)
{
	CLEANUP(dattext_free) struct dattext *tree = NULL;
	CLEANUP_BINDAT struct bindat_file before = {0};
	struct encoder en = {.names = names, .remarks = remarks, .out = out, .e = e};
	int r = dattext_parse(text, n, &tree, e);

	if (r < 0)
		return r;
	/* The ids of an unreadable file are not kept. */
	if (old && bindat_file_open(old, old_size, &before, NULL) < 0)
		before = (struct bindat_file){0};
	r = encode_tree(&en, tree->root, &before);
	buffer_finish_free(&en.strings);
	free(en.uses);
	return r;
}
