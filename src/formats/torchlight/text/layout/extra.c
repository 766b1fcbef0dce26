/* SPDX-License-Identifier: Zlib */
#include "formats/torchlight/text/layout/extra.h"

#include <errno.h>
#include <inttypes.h>

#include "formats/torchlight/text/layout/schema.h"
#include "formats/torchlight/text/layout/text.h"
#include "formats/torchlight/text/number.h"
#include "formats/torchlight/text/textform.h"

/* In the order of the numbers in the game. */
static const char *const interpolations[] = {"Linear", "Linear Round", "Linear Round Down",
	"Linear Round Up", "Spline", "Quaternion", "No Interpolation", "Use Timeline Default"};
enum { INTERPOLATIONS = sizeof(interpolations) / sizeof(*interpolations) };

enum part_kind {
	BLOCKS = 1, /* u8 n, n x block */
	OFFSET,     /* u32 file offset of the block's end; no field of the text */
	OWN_ID,     /* the id of the object, which is not stored here */
	NOWHERE,    /* a field of the text that is not stored */
	U8,
	INDEX,         /* the same as UNSIGNED INT */
	INTERPOLATION, /* u8 */
	I64,
	F32,
	TEXT,  /* SS */
	NAME,  /* SS that is not empty */
	EMPTY, /* SS that is empty; no field of the text */
};

/* A part of a block, in the order of the file. A list ends with kind 0. */
struct part {
	enum part_kind kind;
	const char *key;
	/* The possible blocks, up to one without a name. If there are two, the first begins with a
	 * nonempty string. */
	const struct block {
		const char *name;
		const struct part *parts;
	} * blocks;
};

static const struct part link_parts[] = {
	{U8, "LINKINGTO", NULL}, {TEXT, "OUTPUTNAME", NULL}, {TEXT, "INPUTNAME", NULL}, {0}};
static const struct block links[] = {{"LOGICLINK", link_parts}, {0}};
static const struct part logic_parts[] = {{INDEX, "ID", NULL}, {I64, "OBJECTID", NULL},
	{F32, "X", NULL}, {F32, "Y", NULL}, {OFFSET, NULL, NULL}, {BLOCKS, NULL, links}, {0}};
static const struct block logic_objects[] = {{"LOGICOBJECT", logic_parts}, {0}};
static const struct part logic_group[] = {{BLOCKS, NULL, logic_objects}, {0}};

static const struct part value_point_parts[] = {{F32, "TIMEPERCENT", NULL},
	{INTERPOLATION, "INTERPOLATION", NULL}, {TEXT, "VALUE", NULL}, {0}};
static const struct block value_points[] = {{"TIMELINEPOINT", value_point_parts}, {0}};
static const struct part point_parts[] = {{F32, "TIMEPERCENT", NULL},
	{INTERPOLATION, "INTERPOLATION", NULL}, {NOWHERE, "VALUE", NULL}, {0}};
static const struct block points[] = {{"TIMELINEPOINT", point_parts}, {0}};
static const struct part property_parts[] = {
	{NAME, "OBJECTPROPERTYNAME", NULL}, {EMPTY, NULL, NULL}, {BLOCKS, NULL, value_points}, {0}};
static const struct part event_parts[] = {
	{EMPTY, NULL, NULL}, {NAME, "OBJECTEVENTNAME", NULL}, {BLOCKS, NULL, points}, {0}};
static const struct block rows[] = {
	{"TIMELINEOBJECTPROPERTY", property_parts}, {"TIMELINEOBJECTEVENT", event_parts}, {0}};
static const struct part timeline_parts[] = {{I64, "OBJECTID", NULL}, {BLOCKS, NULL, rows}, {0}};
static const struct block timeline_objects[] = {{"TIMELINEOBJECT", timeline_parts}, {0}};
static const struct part timeline[] = {{OWN_ID, "ID", NULL}, {BLOCKS, NULL, timeline_objects}, {0}};

static const char *const types[] = {[OWN_ID] = "INTEGER64",
	[U8] = "INTEGER",
	[INDEX] = "UNSIGNED INT",
	[INTERPOLATION] = "STRING",
	[I64] = "INTEGER64",
	[F32] = "FLOAT",
	[TEXT] = "STRING",
	[NAME] = "STRING"};

struct extra {
	struct cursor c;
	int64_t id; /* of the object */
	struct buffer *out;
	bool unsound;
};

static void decode_field(struct extra *x, unsigned depth, const struct part *p)
{
	unsigned v = p->kind == U8 || p->kind == INDEX || p->kind == INTERPOLATION
			     ? cursor_u8(&x->c)
			     : 0;
	const uint8_t *stored = p->kind == F32 ? cursor_take(&x->c, 4) : NULL;
	struct ss s = {0};

	dattext_put(x->out, depth, "<%s>%s:", types[p->kind], p->key);
	if (p->kind == OWN_ID || p->kind == I64)
		buffer_printf(x->out, "%" PRId64, p->kind == I64 ? cursor_i64(&x->c) : x->id);
	else if (stored)
		number_put(x->out, NUMBER_F32, stored);
	else if (p->kind == TEXT || p->kind == NAME)
		s = cursor_ss(&x->c);
	else if (p->kind == INTERPOLATION && v < INTERPOLATIONS)
		buffer_text(x->out, interpolations[v]);
	else
		buffer_printf(x->out, "%u", v);
	x->unsound |= !ss_is_line(s) || (p->kind == NAME && !s.n);
	ss_to_utf8(s, x->out);
	buffer_byte(x->out, '\n');
}

static void decode_block(struct extra *x, unsigned depth, const struct block *b);

static void decode_blocks(struct extra *x, unsigned depth, const struct block *blocks)
{
	for (unsigned n = cursor_u8(&x->c); n && !x->c.is_bad; n--) {
		struct cursor ahead = x->c;

		decode_block(x, depth, blocks[1].name && !cursor_u16(&ahead) ? &blocks[1] : blocks);
	}
}

static void decode_block(struct extra *x, unsigned depth, const struct block *b)
{
	size_t end = SIZE_MAX;

	dattext_put(x->out, depth, "[%s]\n", b->name);
	for (const struct part *p = b->parts; p->kind; p++) {
		if (p->kind == BLOCKS)
			decode_blocks(x, depth + 1, p->blocks);
		else if (p->kind == OFFSET)
			end = cursor_u32(&x->c);
		else if (p->kind == EMPTY)
			x->unsound |= cursor_ss(&x->c).n != 0;
		else if (p->kind != NOWHERE)
			decode_field(x, depth + 1, p);
	}
	x->unsound |= end != SIZE_MAX && end != x->c.pos;
	dattext_put(x->out, depth, "[/%s]\n", b->name);
}

static const struct block logic_block = {"LOGICGROUP", logic_group};
static const struct block timeline_block = {"TIMELINEDATA", timeline};

void layout_extra_decode(uint8_t type, const uint8_t *file, size_t begin, size_t end, int64_t id,
	unsigned depth, struct buffer *out)
{
	struct extra x = {.c = cursor_init(file, end), .id = id, .out = out};
	size_t at = out->size;

	x.c.pos = begin;
	if (type == LAYOUT_TIMELINE)
		decode_block(&x, depth, &timeline_block);
	else if (type == LAYOUT_LOGIC)
		decode_block(&x, depth, &logic_block);
	if (!x.c.is_bad && !x.unsound && x.c.pos == end)
		return;
	out->size = at;
	dattext_put(out, depth, "[EXTRADATA]\n");
	dattext_put(out, depth + 1, "<HEX>BYTES:");
	buffer_hex(out, file + begin, end - begin);
	buffer_byte(out, '\n');
	dattext_put(out, depth, "[/EXTRADATA]\n");
}

static bool is_called(const struct dat_block *b, const char *name)
{
	return str_equal_nocase(b->name, str_of(name));
}

bool layout_is_extra(const struct dat_block *b)
{
	return is_called(b, logic_block.name) || is_called(b, timeline_block.name) ||
	       is_called(b, "EXTRADATA");
}

static int encode_interpolation(const struct dat_field *f, struct buffer *out, struct error *e)
{
	uint32_t v = 0;

	while (f && v < INTERPOLATIONS && !str_equal_nocase(f->value, str_of(interpolations[v])))
		v++;
	if (v == INTERPOLATIONS && (!number_get_u32(f->value, &v) || v > 255))
		return dat_field_error(e, f,
			"unknown interpolation (Linear, Linear Round, "
			"Linear Round Down, Linear Round Up, Spline, Quaternion, "
			"No Interpolation, Use Timeline Default or 0..255)");
	buffer_byte(out, (uint8_t)v);
	return 0;
}

/* Append a field; an absent one is 0 or empty, as in the modding kit. */
static int encode_field(
	const struct dat_block *b, const struct part *p, struct buffer *out, struct error *e)
{
	const struct dat_field *f = dat_find_field(b, str_of(p->key));
	struct str value = f ? f->value : STR("");
	uint32_t v;
	int r;

	switch (p->kind) {
	case U8:
	case INDEX:
		r = layout_text_u8(b, p->key, &v, e);
		buffer_byte(out, (uint8_t)v);
		return r;
	case INTERPOLATION:
		return encode_interpolation(f, out, e);
	case I64:
	case F32:
		if (!number_get(value, p->kind == I64 ? NUMBER_I64 : NUMBER_F32, out))
			return dat_field_error(e, f, "%s is not a %s", p->key,
				p->kind == I64 ? "64-bit integer" : "decimal number");
		return 0;
	case TEXT:
		if (f)
			return dat_put_string(f, out, e);
		buffer_u16(out, 0);
		return 0;
	case NAME:
		return value.n ? ss_put(out, value, e) : text_error(e, b->line, 1, "no %s", p->key);
	default: /* OWN_ID, NOWHERE */
		return 0;
	}
}

static int encode_parts(
	const struct dat_block *b, const struct part *parts, struct buffer *out, struct error *e);

static const struct part *parts_of(const struct dat_block *b, const struct block *blocks)
{
	for (; blocks->name; blocks++)
		if (is_called(b, blocks->name))
			return blocks->parts;
	return NULL;
}

static int encode_blocks(
	const struct dat_block *b, const struct block *blocks, struct buffer *out, struct error *e)
{
	unsigned n = 0;
	int r = 0;

	for (struct dat_block *c = b->blocks; c; c = c->next, n++) {
		c->is_read = true;
		if (!parts_of(c, blocks))
			return text_error(e, c->line, 1, "[%.*s] is not allowed in [%.*s]",
				STR_ARGS(c->name), STR_ARGS(b->name));
	}
	if (n > UINT8_MAX)
		return text_error(e, b->line, 1, "[%.*s] has %u blocks (at most %u)",
			STR_ARGS(b->name), n, UINT8_MAX);
	buffer_byte(out, (uint8_t)n);
	for (const struct dat_block *c = b->blocks; r == 0 && c; c = c->next)
		r = encode_parts(c, parts_of(c, blocks), out, e);
	return r;
}

static int encode_parts(
	const struct dat_block *b, const struct part *parts, struct buffer *out, struct error *e)
{
	size_t end = 0;
	int r = 0;

	for (const struct part *p = parts; r == 0 && p->kind; p++) {
		if (p->kind == BLOCKS)
			r = encode_blocks(b, p->blocks, out, e);
		else if (p->kind == EMPTY)
			buffer_u16(out, 0);
		else if (p->kind != OFFSET)
			r = encode_field(b, p, out, e);
		else {
			end = out->size;
			buffer_u32(out, 0);
		}
	}
	if (r == 0 && end)
		buffer_patch_u32(out, end, out->size);
	return r;
}

int layout_extra_encode(
	const struct dat_block *b, uint8_t type, struct buffer *out, struct error *e)
{
	const struct dat_field *f;

	if (is_called(b, "EXTRADATA")) {
		f = dat_find_field(b, STR("BYTES"));
		if (f && !hex_read(f->value, out))
			return dat_field_error(e, f, "not pairs of hexadecimal digits");
		return 0;
	}
	if (type == LAYOUT_LOGIC && is_called(b, logic_block.name))
		return encode_parts(b, logic_group, out, e);
	if (type == LAYOUT_TIMELINE && is_called(b, timeline_block.name))
		return encode_parts(b, timeline, out, e);
	return text_error(e, b->line, 1, "[%.*s] is not allowed in this object", STR_ARGS(b->name));
}
