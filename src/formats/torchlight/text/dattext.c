/* SPDX-License-Identifier: Zlib */
#include "formats/torchlight/text/dattext.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/torchlight/text/textform.h"

struct parser {
	struct dattext *tree;
	size_t n_fields, n_blocks;
	struct dat_block *open;
	unsigned depth;
	unsigned line;
	const char *line_begin;
	struct error *e;
};

#define FAIL(p, at, ...)                                                                           \
	text_error((p)->e, (p)->line, text_column((p)->line_begin, (at)), __VA_ARGS__)

static int open_block(struct parser *p, struct str name)
{
	struct dat_block *b = &p->tree->all_blocks[p->n_blocks++];

	if (p->depth == DATTEXT_DEPTH_MAX)
		return FAIL(p, name.s, "blocks are nested more than %d deep", DATTEXT_DEPTH_MAX);
	b->name = name;
	b->line = p->line;
	b->parent = p->open;
	b->fields_end = &b->fields;
	b->blocks_end = &b->blocks;
	if (p->open) {
		*p->open->blocks_end = b;
		p->open->blocks_end = &b->next;
	} else if (p->tree->root) {
		return FAIL(p, name.s, "a second root [%.*s] after [%.*s]", STR_ARGS(name),
			STR_ARGS(p->tree->root->name));
	} else {
		p->tree->root = b;
	}
	p->open = b;
	p->depth++;
	return 0;
}

static int close_block(struct parser *p, struct str name)
{
	if (!p->open)
		return FAIL(p, name.s, "[/%.*s] without an open block", STR_ARGS(name));
	if (!str_equal_nocase(p->open->name, name))
		return FAIL(p, name.s, "[/%.*s] instead of the end of [%.*s] of line %u",
			STR_ARGS(name), STR_ARGS(p->open->name), p->open->line);
	p->open = p->open->parent;
	p->depth--;
	return 0;
}

static int parse_block_line(struct parser *p, struct str s)
{
	struct str name = {s.s + 1, s.n - 1};
	const char *end = memchr(name.s, ']', name.n);

	if (!end)
		return FAIL(p, s.s + s.n, "no ']' after '['");
	for (const char *rest = end + 1; rest < s.s + s.n; rest++) {
		if (*rest == '/')
			break; /* a comment */
		if (*rest != ' ' && *rest != '\t')
			return FAIL(p, rest, "text after ']'");
	}
	name.n = (size_t)(end - name.s);
	if (name.n && *name.s == '/')
		return close_block(p, (struct str){name.s + 1, name.n - 1});
	return open_block(p, name);
}

static int parse_field_line(struct parser *p, struct str s)
{
	struct dat_field *f = &p->tree->all_fields[p->n_fields++];
	const char *end = memchr(s.s, '>', s.n), *colon;

	if (!p->open)
		return FAIL(p, s.s, "a field outside a [BLOCK]");
	if (!end)
		return FAIL(p, s.s + s.n, "no '>' after '<'");
	f->type = (struct str){s.s + 1, (size_t)(end - s.s - 1)};
	f->key.s = end + 1;
	colon = memchr(f->key.s, ':', (size_t)(s.s + s.n - f->key.s));
	if (!colon)
		return FAIL(p, s.s + s.n, "no ':' after the name of the field");
	f->key.n = (size_t)(colon - f->key.s);
	f->value = (struct str){colon + 1, (size_t)(s.s + s.n - colon - 1)};
	f->line = p->line;
	f->column = text_column(p->line_begin, f->value.s);
	*p->open->fields_end = f;
	p->open->fields_end = &f->next;
	return 0;
}

static int parse_line(struct parser *p, struct str s)
{
	p->line_begin = s.s;
	while (s.n && (*s.s == ' ' || *s.s == '\t')) {
		s.s++;
		s.n--;
	}
	if (!s.n)
		return 0;
	if (*s.s == '[')
		return parse_block_line(p, s);
	if (*s.s == '<')
		return parse_field_line(p, s);
	return 0;
}

/* Allocate all fields and blocks at once, so that pointers stay valid. */
static int make_room(struct dattext *t, const char *text, size_t n, struct error *e)
{
	size_t fields = 1, blocks = 1;
	bool begin = true;

	for (size_t i = 0; i < n; i++) {
		fields += begin && text[i] == '<';
		blocks += begin && text[i] == '[';
		begin = text[i] == '\n' || (begin && (text[i] == ' ' || text[i] == '\t'));
	}
	t->all_fields = calloc(fields, sizeof(*t->all_fields));
	t->all_blocks = calloc(blocks, sizeof(*t->all_blocks));
	if (!t->all_fields || !t->all_blocks)
		return error_set(e, -ENOMEM, "out of memory");
	return 0;
}

int dattext_parse(const char *text, size_t n, struct dattext **ret, struct error *e)
{
	CLEANUP(dattext_free) struct dattext *t = calloc(1, sizeof(*t));
	struct parser p = {.tree = t, .e = e};
	struct str rest = {text, n};
	int r;

	if (!t)
		return error_set(e, -ENOMEM, "out of memory");
	r = make_room(t, text, n, e);
	while (r == 0 && rest.n) {
		p.line++;
		r = parse_line(&p, str_cut(&rest, '\n'));
	}
	if (r < 0)
		return r;
	if (p.open)
		return text_error(
			e, p.open->line, 1, "[%.*s] is not closed", STR_ARGS(p.open->name));
	if (!t->root)
		return text_error(e, 1, 1, "no [BLOCK]");
	*ret = TAKE(t);
	return 0;
}

void dattext_free(struct dattext *t)
{
	if (!t)
		return;
	free(t->all_fields);
	free(t->all_blocks);
	free(t);
}

const struct dat_field *dat_find_field(const struct dat_block *b, struct str key)
{
	struct dat_field *f = b->fields;

	while (f && !str_equal_nocase(f->key, key))
		f = f->next;
	if (f)
		f->is_read = true;
	return f;
}

const struct dat_block *dat_find_block(const struct dat_block *b, struct str name)
{
	struct dat_block *c = b->blocks;

	while (c && !str_equal_nocase(c->name, name))
		c = c->next;
	if (c)
		c->is_read = true;
	return c;
}

const struct dat_block *dat_next(const struct dat_block *b)
{
	if (b->blocks)
		return b->blocks;
	while (b && !b->next)
		b = b->parent;
	return b ? b->next : NULL;
}

int dat_field_error(struct error *e, const struct dat_field *f, const char *fmt, ...)
{
	char text[800];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return text_error(e, f->line, f->column, "%s", text);
}

int dat_check_string(const struct dat_field *f, struct error *e)
{
	size_t n = f->value.n > UINT16_MAX ? str_units(f->value) : 0;

	if (n > UINT16_MAX)
		return dat_field_error(
			e, f, "the string has %zu UTF-16 units (at most %d)", n, UINT16_MAX);
	return 0;
}

int dat_put_string(const struct dat_field *f, struct buffer *out, struct error *e)
{
	int r = dat_check_string(f, e);

	return r < 0 ? r : ss_put(out, f->value, e);
}

void dattext_indent(struct buffer *out, unsigned depth)
{
	while (depth--)
		buffer_byte(out, '\t');
}
