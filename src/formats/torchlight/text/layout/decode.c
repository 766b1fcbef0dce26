/* SPDX-License-Identifier: Zlib */
#include "formats/torchlight/text/layout/binlayout.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "formats/torchlight/text/layout/extra.h"
#include "formats/torchlight/text/layout/group.h"
#include "formats/torchlight/text/layout/schema.h"
#include "formats/torchlight/text/layout/text.h"
#include "formats/torchlight/text/number.h"
#include "formats/torchlight/text/textform.h"

struct decoder {
	struct cursor c;
	const struct names *names;
	struct buffer *out;
	struct layout_nodes nodes;
	size_t last_node; /* of the last Group read; 0 is the root */
	uint64_t objects; /* number of all objects, for COUNT */
	bool has_widgets, has_particles;
	struct error *e;
};

bool binlayout_sniff(const uint8_t *data, size_t size)
{
	return size >= 8 && data[0] == BINLAYOUT_MAGIC;
}

/* Guess the kind of an unknown property from its bytes. */
static enum layout_kind guess_kind(const uint8_t *value, size_t n)
{
	struct ss s;
	uint32_t bits;
	float f;

	if (n > 4 && layout_value_string(value, n, &s) && s.n)
		return LAYOUT_STRING;
	if (n != 4)
		return LAYOUT_HEX;
	bits = load_u32(value);
	if (bits + 0x10000 < 0x20000)
		return LAYOUT_INTEGER;
	memcpy(&f, &bits, sizeof(f));
	return fabsf(f) > 1e-6F && fabsf(f) < 1e7F ? LAYOUT_FLOAT : LAYOUT_HEX;
}

static void put_value(struct decoder *d, enum layout_kind kind, const uint8_t *value, size_t n)
{
	struct ss s;

	switch (kind) {
	case LAYOUT_STRING:
	case LAYOUT_TRANSLATE:
		if (layout_value_string(value, n, &s))
			ss_to_utf8(s, d->out);
		break;
	case LAYOUT_FLOATLIST:
	case LAYOUT_UINTLIST:
		for (size_t i = 2; i < n; i += 4) {
			buffer_text(d->out, i > 2 ? "," : "");
			number_put(d->out, layout_kinds[kind].number, value + i);
		}
		break;
	case LAYOUT_HEX:
		buffer_hex(d->out, value, n);
		break;
	default:
		number_put(d->out, layout_kinds[kind].number, value);
	}
	buffer_byte(d->out, '\n');
}

/* derived: receives what the properties of a Group say of its node. */
static void put_property(struct decoder *d, unsigned depth, uint8_t type, uint8_t code,
	const uint8_t *value, size_t n, struct layout_node *derived)
{
	const struct layout_property *p = layout_property_find(d->names, type, code);
	enum layout_kind kind = p ? p->kind : guess_kind(value, n);
	struct dat_field f = {.key = p ? p->name : STR("")};
	unsigned axes;
	size_t at;

	if (!layout_value_fits(kind, value, n))
		kind = LAYOUT_HEX;
	axes = layout_axes(kind);
	for (unsigned i = 0; i < (axes ? axes : 1); i++) {
		dattext_put(d->out, depth, "<%s>", layout_kinds[kind].word);
		if (p)
			buffer_str(d->out, p->name);
		else
			buffer_printf(d->out, "P_%u", code);
		if (axes)
			buffer_byte(d->out, (uint8_t)('X' + i));
		buffer_byte(d->out, ':');
		at = d->out->size;
		put_value(d, kind, value + (axes ? 4 * i : 0), n);
	}
	if (type != LAYOUT_GROUP || kind == LAYOUT_HEX || d->out->error)
		return;
	f.value = (struct str){(char *)d->out->data + at, d->out->size - at - 1};
	layout_group_field(&f, derived, NULL);
}

static int refuse_truncated(struct decoder *d, const char *what)
{
	return error_set(d->e, -EIO, "%s at byte %zu reaches past the end (%zu bytes)", what,
		d->c.pos, d->c.size);
}

static int put_properties(
	struct decoder *d, unsigned depth, uint8_t type, struct layout_node *derived)
{
	for (unsigned n = cursor_u8(&d->c); n; n--) {
		size_t len = cursor_u16(&d->c);
		uint8_t code = cursor_u8(&d->c);
		const uint8_t *value = len ? cursor_take(&d->c, len - 1) : NULL;

		if (!value)
			return refuse_truncated(d, "a property");
		put_property(d, depth, type, code, value, len - 1, derived);
	}
	return 0;
}

static int put_extra(struct decoder *d, unsigned depth, uint8_t type, int64_t id)
{
	uint32_t n = cursor_u32(&d->c);
	size_t begin = d->c.pos;

	if (!cursor_take(&d->c, n))
		return refuse_truncated(d, "extra data");
	if (n)
		layout_extra_decode(type, d->c.data, begin, d->c.pos, id, depth, d->out);
	return 0;
}

/* Append DESCRIPTOR, NAME, ID and PARENTID. */
static int put_identity(struct decoder *d, unsigned depth, uint8_t type, int64_t id, int64_t parent)
{
	struct ss name = cursor_ss(&d->c);
	struct str type_name;

	if (!ss_is_line(name))
		return error_set(
			d->e, -EIO, "the name of object %" PRId64 " has a line break or NUL", id);
	for (int i = 0; i < 2; i++) {
		dattext_put(d->out, depth, "<STRING>%s:", i ? "NAME" : "DESCRIPTOR");
		if (i && name.n)
			ss_to_utf8(name, d->out);
		else if (layout_type_name(d->names, type, &type_name))
			buffer_str(d->out, type_name);
		else
			buffer_printf(d->out, "TYPE_%u", type);
		buffer_byte(d->out, '\n');
	}
	dattext_put(d->out, depth, "<INTEGER64>ID:%" PRId64 "\n", id);
	dattext_put(d->out, depth, "<INTEGER64>PARENTID:%" PRId64 "\n", parent);
	return 0;
}

static int put_object(struct decoder *d, unsigned nesting, int64_t parent);

static int put_objects(struct decoder *d, unsigned nesting, int64_t parent)
{
	int r = 0;

	for (unsigned n = cursor_u16(&d->c); r == 0 && n; n--)
		r = put_object(d, nesting, parent);
	return r;
}

/* The node of the Group whose properties were just read, or NULL. */
static const struct layout_node *next_node(struct decoder *d, uint8_t type)
{
	if (type != LAYOUT_GROUP || ++d->last_node >= d->nodes.n)
		return NULL;
	return &d->nodes.all[d->last_node];
}

static int put_object(struct decoder *d, unsigned nesting, int64_t parent)
{
	CLEANUP_NODE struct layout_node derived = layout_node_new(0, 0);
	const struct layout_node *node;
	size_t begin = d->c.pos;
	unsigned depth = 2 + 2 * nesting;
	uint32_t length = cursor_u32(&d->c);
	uint8_t type = cursor_u8(&d->c);
	int64_t id = cursor_i64(&d->c);
	int r;

	if (nesting >= BINLAYOUT_DEPTH_MAX)
		return error_set(
			d->e, -EIO, "objects are nested more than %d deep", BINLAYOUT_DEPTH_MAX);
	d->objects++;
	d->has_widgets |= layout_type_is_widget(d->names, type);
	d->has_particles |= layout_type_is_particle(type);
	dattext_put(d->out, depth, "[BASEOBJECT]\n");
	dattext_put(d->out, depth + 1, "[PROPERTIES]\n");
	if ((r = put_identity(d, depth + 2, type, id, parent)) < 0 ||
		(r = put_properties(d, depth + 2, type, &derived)) < 0)
		return r;
	node = next_node(d, type);
	if (node)
		layout_group_put_fields(node, depth + 2, d->out);
	r = put_extra(d, depth + 2, type, id);
	if (r < 0)
		return r;
	if (node)
		layout_group_decode(node, &derived, depth + 2, d->out);
	dattext_put(d->out, depth + 1, "[/PROPERTIES]\n");
	dattext_put(d->out, depth + 1, "[CHILDREN]\n");
	r = put_objects(d, nesting + 1, id);
	if (r < 0)
		return r;
	if (d->c.is_bad)
		return refuse_truncated(d, "an object");
	if (d->c.pos - begin != length)
		return error_set(d->e, -EIO,
			"object %" PRId64 " has %zu bytes (%" PRIu32 " in its header)", id,
			d->c.pos - begin, length);
	if (d->out->size > TEXT_MAX)
		return error_set(d->e, -EFBIG, "the text would be longer than %d bytes", TEXT_MAX);
	dattext_put(d->out, depth + 1, "[/CHILDREN]\n");
	dattext_put(d->out, depth, "[/BASEOBJECT]\n");
	return 0;
}

static const char *root_name(const struct decoder *d, const char *path)
{
	static const char ui[] = "MEDIA/UI/", particles[] = "MEDIA/PARTICLES/";

	if (d->has_widgets || (path && !strncasecmp(path, ui, sizeof(ui) - 1)))
		return "UI";
	if (d->has_particles || (path && !strncasecmp(path, particles, sizeof(particles) - 1)))
		return "Particle Creator";
	return "Layout";
}

static int read_header(struct decoder *d, unsigned *ret_version, uint32_t *ret_group)
{
	uint8_t magic = cursor_u8(&d->c), version = cursor_u8(&d->c);

	*ret_group = cursor_u32(&d->c);
	if (d->c.is_bad || magic != BINLAYOUT_MAGIC)
		return error_set(d->e, -EIO, "the first byte is not %d", BINLAYOUT_MAGIC);
	if (*ret_group && *ret_group >= d->c.size)
		return error_set(d->e, -EIO, "the data group's offset is %" PRIu32 " (at most %zu)",
			*ret_group, d->c.size - 1);
	*ret_version = version == BINLAYOUT_VERSION ? LAYOUT_KIT_VERSION : version;
	return 0;
}

/* COUNT and the name of the root are known only after all objects. */
static int put_frame(
	const struct decoder *d, unsigned version, const char *path, struct buffer *out)
{
	const char *root = root_name(d, path);

	buffer_printf(out,
		"[%s]\n\t<INTEGER>VERSION:%u\n\t<UNSIGNED INT>COUNT:%" PRIu64 "\n\t[OBJECTS]\n",
		root, version, d->objects);
	buffer_str(out, str_of_buffer(d->out));
	buffer_printf(out, "\t[/OBJECTS]\n[/%s]\n", root);
	return out->error || d->out->error ? error_set(d->e, -ENOMEM, "out of memory") : 0;
}

static int decode_layout(struct decoder *d, const char *path, struct buffer *out)
{
	unsigned version = 0;
	uint32_t group = 0;
	int r = read_header(d, &version, &group);

	if (r == 0 && group)
		r = layout_nodes_read(d->c.data, d->c.size, group, &d->nodes, d->e);
	if (r == 0)
		r = put_objects(d, 0, -1);
	if (r < 0)
		return r;
	if (d->c.is_bad)
		return refuse_truncated(d, "the number of objects");
	if (d->c.pos != (group ? group : d->c.size))
		return error_set(d->e, -EIO, "the objects end at byte %zu (not %zu)", d->c.pos,
			group ? (size_t)group : d->c.size);
	return put_frame(d, version, path, out);
}

int binlayout_decode(const uint8_t *data, size_t size, const char *path, const struct names *names,
	struct buffer *out, struct error *e)
{
	CLEANUP_BUFFER struct buffer objects = BUFFER_INIT;
	struct decoder d = {.c = cursor_init(data, size), .names = names, .out = &objects, .e = e};
	int r = decode_layout(&d, path, out);

	layout_nodes_finish(&d.nodes);
	return r;
}
