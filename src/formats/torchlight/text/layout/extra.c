/* SPDX-License-Identifier: Zlib */
#include "formats/torchlight/text/layout/extra.h"

#include <errno.h>
#include <inttypes.h>

#include "formats/torchlight/text/layout/schema.h"
#include "formats/torchlight/text/layout/text.h"
#include "formats/torchlight/text/number.h"
#include "formats/torchlight/text/textform.h"

/* The game's own order, as its programs have it. */
static const char *const interpolations[] = {"Linear", "Linear Round", "Linear Round Down",
	"Linear Round Up", "Spline", "Quaternion", "No Interpolation", "Use Timeline Default"};
enum { INTERPOLATIONS = sizeof(interpolations) / sizeof(*interpolations) };

struct extra {
	struct cursor c;
	struct buffer *out;
	bool unsound;
};

static void put_ss(struct extra *x, unsigned depth, const char *key, struct ss s)
{
	if (!ss_is_line(s))
		x->unsound = true;
	dattext_field(x->out, depth, "STRING", key);
	ss_to_utf8(s, x->out);
	buffer_byte(x->out, '\n');
}

static void put_float(struct extra *x, unsigned depth, const char *key)
{
	dattext_field(x->out, depth, "FLOAT", key);
	number_put_f32(x->out, cursor_u32(&x->c));
	buffer_byte(x->out, '\n');
}

static void put_id(struct extra *x, unsigned depth, const char *key, int64_t id)
{
	dattext_field(x->out, depth, "INTEGER64", key);
	buffer_printf(x->out, "%" PRId64 "\n", id);
}

static void put_unsigned(
	struct extra *x, unsigned depth, const char *type, const char *key, unsigned v)
{
	dattext_field(x->out, depth, type, key);
	buffer_printf(x->out, "%u\n", v);
}

static void logic_decode(struct extra *x, unsigned depth)
{
	dattext_open(x->out, depth, "LOGICGROUP");
	for (unsigned n = cursor_u8(&x->c); n && !x->c.bad; n--) {
		uint32_t end;

		dattext_open(x->out, depth + 1, "LOGICOBJECT");
		put_unsigned(x, depth + 2, "UNSIGNED INT", "ID", cursor_u8(&x->c));
		put_id(x, depth + 2, "OBJECTID", cursor_i64(&x->c));
		put_float(x, depth + 2, "X");
		put_float(x, depth + 2, "Y");
		end = cursor_u32(&x->c);
		for (unsigned links = cursor_u8(&x->c); links && !x->c.bad; links--) {
			dattext_open(x->out, depth + 2, "LOGICLINK");
			put_unsigned(x, depth + 3, "INTEGER", "LINKINGTO", cursor_u8(&x->c));
			put_ss(x, depth + 3, "OUTPUTNAME", cursor_ss(&x->c));
			put_ss(x, depth + 3, "INPUTNAME", cursor_ss(&x->c));
			dattext_close(x->out, depth + 2, "LOGICLINK");
		}
		if (end != x->c.pos)
			x->unsound = true;
		dattext_close(x->out, depth + 1, "LOGICOBJECT");
	}
	dattext_close(x->out, depth, "LOGICGROUP");
}

static void point_decode(struct extra *x, unsigned depth, bool value)
{
	unsigned interpolation;

	dattext_open(x->out, depth, "TIMELINEPOINT");
	put_float(x, depth + 1, "TIMEPERCENT");
	interpolation = cursor_u8(&x->c);
	dattext_field(x->out, depth + 1, "STRING", "INTERPOLATION");
	if (interpolation < INTERPOLATIONS)
		buffer_printf(x->out, "%s\n", interpolations[interpolation]);
	else
		buffer_printf(x->out, "%u\n", interpolation);
	if (value)
		put_ss(x, depth + 1, "VALUE", cursor_ss(&x->c));
	dattext_close(x->out, depth, "TIMELINEPOINT");
}

static void timeline_row_decode(struct extra *x, unsigned depth)
{
	struct ss property = cursor_ss(&x->c), event = cursor_ss(&x->c);
	const char *block = property.n ? "TIMELINEOBJECTPROPERTY" : "TIMELINEOBJECTEVENT";

	if (!property.n == !event.n)
		x->unsound = true;
	dattext_open(x->out, depth, block);
	if (property.n)
		put_ss(x, depth + 1, "OBJECTPROPERTYNAME", property);
	else
		put_ss(x, depth + 1, "OBJECTEVENTNAME", event);
	for (unsigned n = cursor_u8(&x->c); n && !x->c.bad; n--)
		point_decode(x, depth + 1, property.n > 0);
	dattext_close(x->out, depth, block);
}

static void timeline_decode(struct extra *x, int64_t id, unsigned depth)
{
	dattext_open(x->out, depth, "TIMELINEDATA");
	put_id(x, depth + 1, "ID", id);
	for (unsigned n = cursor_u8(&x->c); n && !x->c.bad; n--) {
		dattext_open(x->out, depth + 1, "TIMELINEOBJECT");
		put_id(x, depth + 2, "OBJECTID", cursor_i64(&x->c));
		for (unsigned rows = cursor_u8(&x->c); rows && !x->c.bad; rows--)
			timeline_row_decode(x, depth + 2);
		dattext_close(x->out, depth + 1, "TIMELINEOBJECT");
	}
	dattext_close(x->out, depth, "TIMELINEDATA");
}

void layout_extra_decode(uint8_t type, const uint8_t *file, size_t begin, size_t end, int64_t id,
	unsigned depth, struct buffer *out)
{
	struct extra x = {.c = cursor_init(file, end), .out = out};
	size_t at = out->size;

	x.c.pos = begin;
	if (type == LAYOUT_TIMELINE)
		timeline_decode(&x, id, depth);
	else if (type == LAYOUT_LOGIC)
		logic_decode(&x, depth);
	if (!x.c.bad && !x.unsound && x.c.pos == end)
		return;
	out->size = at;
	dattext_open(out, depth, "EXTRADATA");
	dattext_field(out, depth + 1, "HEX", "BYTES");
	buffer_hex(out, file + begin, end - begin);
	buffer_byte(out, '\n');
	dattext_close(out, depth, "EXTRADATA");
}

bool layout_extra_is(const struct dat_block *b)
{
	return str_equal_nocase(b->name, STR("LOGICGROUP")) ||
	       str_equal_nocase(b->name, STR("TIMELINEDATA")) ||
	       str_equal_nocase(b->name, STR("EXTRADATA"));
}

static int put_field_ss(
	const struct dat_block *b, const char *key, struct buffer *out, struct error *e)
{
	const struct dat_field *f = dat_find_field(b, str_of(key));

	if (f && dat_check_string(f, e) < 0)
		return -EINVAL;
	return ss_put(out, f ? f->value : STR(""), e);
}

static int logic_link(const struct dat_block *b, struct buffer *out, struct error *e)
{
	uint32_t to;
	int r = layout_text_u8(b, "LINKINGTO", &to, e);

	if (r < 0)
		return r;
	buffer_byte(out, (uint8_t)to);
	r = put_field_ss(b, "OUTPUTNAME", out, e);
	return r < 0 ? r : put_field_ss(b, "INPUTNAME", out, e);
}

static int logic_object(const struct dat_block *b, struct buffer *out, struct error *e)
{
	uint32_t id, x, y;
	int64_t object;
	size_t end;
	int r;

	if ((r = layout_text_u8(b, "ID", &id, e)) < 0 ||
		(r = layout_text_i64(b, "OBJECTID", &object, e)) < 0 ||
		(r = layout_text_f32(b, "X", &x, e)) < 0 ||
		(r = layout_text_f32(b, "Y", &y, e)) < 0)
		return r;
	buffer_byte(out, (uint8_t)id);
	buffer_u64(out, (uint64_t)object);
	buffer_u32(out, x);
	buffer_u32(out, y);
	end = out->size;
	buffer_u32(out, 0);
	r = layout_text_each(b, "LOGICLINK", 1, logic_link, out, e);
	if (r == 0)
		buffer_patch_u32(out, end, out->size);
	return r;
}

static int timeline_point(const struct dat_block *b, struct buffer *out, struct error *e)
{
	const struct dat_field *f = dat_find_field(b, STR("INTERPOLATION"));
	uint32_t percent, interpolation = 0;
	int r = layout_text_f32(b, "TIMEPERCENT", &percent, e);

	if (r < 0)
		return r;
	if (f) {
		while (interpolation < INTERPOLATIONS &&
			!str_equal_nocase(f->value, str_of(interpolations[interpolation])))
			interpolation++;
		if (interpolation == INTERPOLATIONS &&
			(!number_get_u32(f->value, &interpolation) || interpolation > 255))
			return dat_field_error(e, f,
				"no such interpolation (Linear, Linear Round, "
				"Linear Round Down, Linear Round Up, Spline, Quaternion, "
				"No Interpolation, Use Timeline Default or 0..255)");
	}
	buffer_u32(out, percent);
	buffer_byte(out, (uint8_t)interpolation);
	if (str_equal_nocase(b->parent->name, STR("TIMELINEOBJECTPROPERTY")))
		return put_field_ss(b, "VALUE", out, e);
	return 0;
}

static int timeline_row(const struct dat_block *b, struct buffer *out, struct error *e)
{
	bool property = str_equal_nocase(b->name, STR("TIMELINEOBJECTPROPERTY"));
	const char *key = property ? "OBJECTPROPERTYNAME" : "OBJECTEVENTNAME";
	const struct dat_field *f = dat_find_field(b, str_of(key));
	int r;

	if (!property && !str_equal_nocase(b->name, STR("TIMELINEOBJECTEVENT")))
		return text_error(e, b->line, 1, "[%.*s] cannot stand in a [TIMELINEOBJECT]",
			(int)b->name.n, b->name.s);
	if (!f || !f->value.n)
		return text_error(e, b->line, 1, "no %s", key);
	r = ss_put(out, property ? f->value : STR(""), e);
	if (r == 0)
		r = ss_put(out, property ? STR("") : f->value, e);
	return r < 0 ? r : layout_text_each(b, "TIMELINEPOINT", 1, timeline_point, out, e);
}

static int timeline_object(const struct dat_block *b, struct buffer *out, struct error *e)
{
	int64_t object;
	int r = layout_text_i64(b, "OBJECTID", &object, e);

	if (r < 0)
		return r;
	buffer_u64(out, (uint64_t)object);
	return layout_text_each(b, NULL, 1, timeline_row, out, e);
}

int layout_extra_encode(
	const struct dat_block *b, uint8_t type, struct buffer *out, struct error *e)
{
	const struct dat_field *f;

	if (str_equal_nocase(b->name, STR("EXTRADATA"))) {
		f = dat_find_field(b, STR("BYTES"));
		if (f && !hex_read(f->value, out))
			return dat_field_error(e, f, "not pairs of hexadecimal digits");
		return 0;
	}
	if (str_equal_nocase(b->name, STR("LOGICGROUP"))) {
		if (type == LAYOUT_LOGIC)
			return layout_text_each(b, "LOGICOBJECT", 1, logic_object, out, e);
	} else if (type == LAYOUT_TIMELINE) {
		return layout_text_each(b, "TIMELINEOBJECT", 1, timeline_object, out, e);
	}
	return text_error(
		e, b->line, 1, "[%.*s] cannot stand in such an object", (int)b->name.n, b->name.s);
}
