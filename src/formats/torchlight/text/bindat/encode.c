/* SPDX-License-Identifier: Zlib */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "formats/torchlight/text/bindat/file.h"
#include "formats/torchlight/text/dattext.h"
#include "formats/torchlight/text/number.h"
#include "formats/torchlight/text/bindat/uses.h"

struct encoder {
	const struct names *names;
	struct buffer *new_names; /* or NULL */
	struct uses uses;
	size_t next_use; /* while the tree is written */
	struct buffer *out;
	struct error *e;
};

/* 0: no such type. A word in lower case is a STRING to the modding kit. */
static uint32_t field_type(const struct dat_field *f)
{
	for (uint32_t type = 1; type < BINDAT_TYPES; type++)
		if (str_equal_nocase(f->type, str_of(bindat_types[type].word)))
			return str_equal(f->type, str_of(bindat_types[type].word)) ? type
										   : BINDAT_STRING;
	return 0;
}

static int collect_strings(struct encoder *en, const struct dat_block *b)
{
	int r = 0;

	for (const struct dat_field *f = b->fields; r == 0 && f; f = f->next) {
		if (!field_type(f))
			return dat_field_error(en->e, f, "<%.*s> is no type", STR_ARGS(f->type));
		if (!bindat_is_string(field_type(f)))
			continue;
		r = dat_check_string(f, en->e);
		if (r == 0)
			r = uses_add(&en->uses, f->value, 0, en->e);
	}
	for (const struct dat_block *c = b->blocks; r == 0 && c; c = c->next)
		r = collect_strings(en, c);
	return r;
}

static void put_name(struct encoder *en, struct str name)
{
	uint32_t hash = name_value(name);
	struct str known;

	buffer_u32(en->out, hash);
	if (!en->new_names || names_find(en->names, hash, &known) || !name_is_usable(name))
		return;
	buffer_str(en->new_names, name);
	buffer_byte(en->new_names, '\n');
}

static int put_value(struct encoder *en, const struct dat_field *f, uint32_t type)
{
	if (bindat_is_string(type))
		buffer_u32(en->out, en->uses.all[en->next_use++].id);
	else if (!number_get(f->value, bindat_types[type].number, en->out))
		return dat_field_error(en->e, f, "'%.*s' is no %s (%s)", STR_SHORT(f->value, 100),
			bindat_types[type].word, bindat_types[type].range);
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

static int put_table(struct encoder *en, const struct bindat_file *old)
{
	struct uses *u = &en->uses;
	size_t kept = 0;
	int r;

	uses_sort(u, USES_BY_ID);
	for (size_t i = 0; i < u->n; i++) {
		/* The other tool's files have no entry for "". */
		if (u->all[i].id == BINDAT_EMPTY && old->data && !old->has_empty && old->uses_empty)
			continue;
		if (!kept || u->all[kept - 1].id != u->all[i].id)
			u->all[kept++] = u->all[i];
	}
	buffer_u32(en->out, BINDAT_VERSION);
	buffer_u32(en->out, (uint32_t)kept);
	for (size_t i = 0; i < kept; i++) {
		buffer_u32(en->out, u->all[i].id);
		r = ss_put(en->out, u->all[i].s, en->e);
		if (r < 0)
			return r;
	}
	if (!kept && old->extra_word)
		buffer_u32(en->out, 0);
	return 0;
}

static int encode_tree(
	struct encoder *en, const struct dat_block *root, const struct bindat_file *old)
{
	CLEANUP_BUFFER struct buffer tree = BUFFER_INIT;
	struct buffer *out = en->out;
	int r = collect_strings(en, root);

	if (r < 0)
		return r;
	r = uses_number(&en->uses, old, en->e);
	if (r < 0)
		return r;
	en->out = &tree;
	r = put_block(en, root, 0);
	en->out = out;
	if (r == 0)
		r = put_table(en, old);
	if (r < 0)
		return r;
	buffer_append(out, tree.data, tree.size);
	if (out->error || tree.error)
		return error_set(en->e, -ENOMEM, "no memory for the compiled file");
	return 0;
}

int bindat_encode(const char *text, size_t n, const uint8_t *old, size_t old_size,
	const struct names *names, struct buffer *new_names, struct buffer *out, struct error *e)
{
	CLEANUP(dattext_free) struct dattext *tree = NULL;
	CLEANUP_BINDAT struct bindat_file before = {0};
	struct encoder en = {.names = names, .new_names = new_names, .out = out, .e = e};
	int r = dattext_parse(text, n, &tree, e);

	if (r < 0)
		return r;
	/* What cannot be read has no ids that are worth keeping. */
	if (old && bindat_file_open(old, old_size, &before, NULL) < 0)
		before = (struct bindat_file){0};
	r = encode_tree(&en, tree->root, &before);
	uses_free(&en.uses);
	return r;
}
