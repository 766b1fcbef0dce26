/* SPDX-License-Identifier: Zlib */
/* Facts of the container: ddnet's datafile.cpp and gamecore's mapitems.h, version 4. */
#include "structure_map.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/buffer.h"
#include "base/cursor.h"
#include "mapview.h"

enum { IMAGE = 2, LAYER = 5, SOUND = 7, INFO = 1 };
enum { TILES_IMAGE = 13, LIST_SOURCE = 6, CELLS = 4 };

const char *const layer_paths[LAYERS] = {
	"groups/0_g/layers/1_deco",
	"groups/0_g/layers/2_q1",
	"groups/0_g/layers/3_q2",
	"groups/0_g/layers/4_snd",
};

struct item {
	uint32_t type, id, n;
	int32_t v[24];
};

struct draw {
	struct buffer blobs;
	uint32_t offs[64], sizes[64];
	unsigned n_blobs;
	struct item items[32];
	unsigned n_items;
};

static int32_t blob_add(struct draw *d, const void *data, size_t n)
{
	uLongf packed = compressBound((uLong)n);
	uint8_t *to = malloc(packed);

	d->offs[d->n_blobs] = (uint32_t)d->blobs.size;
	d->sizes[d->n_blobs] = (uint32_t)n;
	if (to && compress(to, &packed, data, (uLong)n) == Z_OK)
		buffer_append(&d->blobs, to, packed);
	free(to);
	return (int32_t)d->n_blobs++;
}

static int32_t text_add(struct draw *d, const char *text)
{
	return blob_add(d, text, strlen(text) + 1);
}

static struct item *item_add(struct draw *d, uint32_t type, uint32_t n)
{
	struct item *it = &d->items[d->n_items];
	uint32_t id = 0;

	while (d->n_items > id && d->items[d->n_items - id - 1].type == type)
		id++;
	d->n_items++;
	*it = (struct item){.type = type, .id = id, .n = n};
	return it;
}

static void name_ints(int32_t to[3], const char *name)
{
	for (unsigned i = 0; i < 12; i++) {
		uint32_t byte = i < strlen(name) ? (uint8_t)name[i] : 0;

		byte = i == 11 ? 0 : (byte + 128) & 255;
		to[i / 4] = (int32_t)((uint32_t)to[i / 4] << 8 | byte);
	}
}

static void pixels(uint8_t *to, unsigned side, unsigned color)
{
	for (unsigned i = 0; i < 4 * side * side; i++)
		to[i] = (uint8_t)(color + 37 * i);
}

static void image(struct draw *d, const char *name, unsigned side, unsigned color)
{
	uint8_t raw[4 * 16 * 16];
	int32_t name_at = text_add(d, name);
	struct item *it = item_add(d, IMAGE, 6);

	pixels(raw, side, color);
	it->v[0] = 1;
	it->v[1] = it->v[2] = (int32_t)side;
	it->v[3] = color == 0;
	it->v[4] = name_at;
	it->v[5] = color ? blob_add(d, raw, 4 * (size_t)side * side) : -1;
}

static void tiles(struct draw *d, const char *name, int32_t kind, int32_t image_at)
{
	static const uint8_t cells[4 * CELLS];
	const int32_t v[15] = {0, 2, 0, 3, 2, 2, kind, 255, 255, 255, 255, -1, 0, image_at,
		blob_add(d, cells, 16)};
	struct item *it = item_add(d, LAYER, 23);

	memcpy(it->v, v, sizeof(v));
	name_ints(it->v + 15, name);
	for (int i = 18; i < 23; i++)
		it->v[i] = -1;
}

/* One quad or one sound source, without envelopes. */
static void make_list(struct draw *d, const char *name, int32_t type, int32_t source)
{
	int32_t element[38] = {0};
	size_t n = type == 3 ? 38 : 13;
	struct item *it = item_add(d, LAYER, 10);

	element[type == 3 ? 34 : 6] = element[type == 3 ? 36 : 8] = -1;
	it->v[1] = type;
	it->v[3] = 2;
	it->v[4] = 1;
	it->v[5] = blob_add(d, element, 4 * n);
	it->v[6] = source;
	name_ints(it->v + 7, name);
}

static void sound(struct draw *d, const char *name, unsigned seed)
{
	const struct bytes *data = content_bytes(content_opus(seed));
	int32_t name_at = text_add(d, name);
	struct item *it = item_add(d, SOUND, 5);

	it->v[0] = 1;
	it->v[2] = name_at;
	it->v[3] = blob_add(d, data->data, data->size);
	it->v[4] = (int32_t)data->size;
}

static void draw_all(struct draw *d)
{
	struct item *it;

	*d = (struct draw){.blobs = BUFFER_INIT};
	item_add(d, 0, 1)->v[0] = 1;
	it = item_add(d, INFO, 6);
	it->v[0] = 1;
	it->v[1] = text_add(d, "alice");
	it->v[2] = text_add(d, "v1");
	it->v[3] = text_add(d, "nobody");
	it->v[4] = text_add(d, "CC0");
	it->v[5] = -1;
	image(d, "grass", 2, 11);
	image(d, "sky", 7, 0);
	image(d, "moon", 1, 22);
	image(d, "", 3, 33);
	it = item_add(d, 4, 15);
	it->v[0] = 3;
	it->v[3] = it->v[4] = 100;
	it->v[6] = 5;
	name_ints(it->v + 12, "g");
	tiles(d, "game", 1, -1);
	tiles(d, "deco", 0, 0);
	make_list(d, "q1", 3, 1);
	make_list(d, "q2", 3, 2);
	make_list(d, "snd", 10, 1);
	item_add(d, 6, 0);
	sound(d, "wind", 1);
	sound(d, "rain", 2);
}

static void put_types(struct buffer *b, const struct draw *d, unsigned *ret_n)
{
	*ret_n = 0;
	for (uint32_t i = 0, n; i < d->n_items; i += n) {
		for (n = 1; i + n < d->n_items && d->items[i + n].type == d->items[i].type; n++)
			;
		buffer_u32(b, d->items[i].type);
		buffer_u32(b, i);
		buffer_u32(b, n);
		++*ret_n;
	}
}

struct bytes *structure_map(void)
{
	struct buffer b = BUFFER_INIT, types = BUFFER_INIT, offs = BUFFER_INIT, items = BUFFER_INIT;
	struct bytes *ret = NULL;
	unsigned n_types;
	uint32_t size;
	struct draw d;

	draw_all(&d);
	put_types(&types, &d, &n_types);
	for (unsigned i = 0; i < d.n_items; i++) {
		buffer_u32(&offs, (uint32_t)items.size);
		buffer_u32(&items, d.items[i].type << 16 | d.items[i].id);
		buffer_u32(&items, 4 * d.items[i].n);
		for (uint32_t k = 0; k < d.items[i].n; k++)
			buffer_u32(&items, (uint32_t)d.items[i].v[k]);
	}
	size = (uint32_t)(MAP_HEADER - 16 + types.size + offs.size + 8 * d.n_blobs + items.size);
	buffer_text(&b, "DATA");
	buffer_u32(&b, 4);
	buffer_u32(&b, size + (uint32_t)d.blobs.size);
	buffer_u32(&b, size);
	buffer_u32(&b, n_types);
	buffer_u32(&b, d.n_items);
	buffer_u32(&b, d.n_blobs);
	buffer_u32(&b, (uint32_t)items.size);
	buffer_u32(&b, (uint32_t)d.blobs.size);
	buffer_append(&b, types.data, types.size);
	buffer_append(&b, offs.data, offs.size);
	for (unsigned i = 0; i < d.n_blobs; i++)
		buffer_u32(&b, d.offs[i]);
	for (unsigned i = 0; i < d.n_blobs; i++)
		buffer_u32(&b, d.sizes[i]);
	buffer_append(&b, items.data, items.size);
	buffer_append(&b, d.blobs.data, d.blobs.size);
	buffer_finish_free(&types);
	buffer_finish_free(&offs);
	buffer_finish_free(&items);
	buffer_finish_free(&d.blobs);
	return buffer_finish(&b, &ret) < 0 ? NULL : ret;
}

void structure_map_content(struct map_content *ret)
{
	*ret = (struct map_content){
		.images = {{"grass", content_png(2, 11, true)}, {"sky", content_json(7, 7, true)},
			{"moon", content_png(1, 22, true)}, {"", content_png(3, 33, true)}},
		.sounds = {{"wind", content_opus(1)}, {"rain", content_opus(2)}},
		.n_images = 4,
		.n_sounds = 2,
		.refs = {0, 1, 2, 1},
		.info = {content_text("alice\n"), content_text("v1\n"), content_text("nobody\n"),
			content_text("CC0\n"), content_text("")},
	};
}

/* Contents by number. */

enum { CONTENTS_MAX = 4096 };

struct sample_content {
	struct bytes *bytes;
	int png, json; /* the canonical form, if there is one */
	bool opus;
};

static struct sample_content contents[CONTENTS_MAX];
static int n_contents;

int content_of(const void *data, size_t n)
{
	for (int i = 0; i < n_contents; i++)
		if (contents[i].bytes->size == n && memcmp(contents[i].bytes->data, data, n) == 0)
			return i;
	if (n_contents == CONTENTS_MAX)
		abort();
	contents[n_contents] = (struct sample_content){
		bytes_copy(n ? data : "", n), NO_CONTENT, NO_CONTENT, false};
	return n_contents++;
}

const struct bytes *content_bytes(int content)
{
	return contents[content].bytes;
}

int content_text(const char *text)
{
	return content_of(text, strlen(text));
}

int content_cut(int content, size_t n)
{
	return content_of(contents[content].bytes->data, n);
}

static void be32(struct buffer *b, uint32_t v)
{
	uint8_t raw[4] = {(uint8_t)(v >> 24), (uint8_t)(v >> 16), (uint8_t)(v >> 8), (uint8_t)v};

	buffer_append(b, raw, 4);
}

static void chunk(struct buffer *b, const char *type, const void *data, size_t n)
{
	uLong crc = crc32(crc32(0, NULL, 0), (const uint8_t *)type, 4);

	if (n)
		crc = crc32(crc, data, (uInt)n);
	be32(b, (uint32_t)n);
	buffer_append(b, type, 4);
	if (n)
		buffer_append(b, data, n);
	be32(b, (uint32_t)crc);
}

/* The form of layout rule 10; or a compressed PNG, as other programs write it. */
static int png_of(uint32_t w, uint32_t h, const uint8_t *raw, bool canonical)
{
	struct buffer b = BUFFER_INIT, head = BUFFER_INIT, lines = BUFFER_INIT, z = BUFFER_INIT;
	uint8_t packed[4096];
	uLongf n = sizeof(packed);
	int ret;

	be32(&head, w);
	be32(&head, h);
	buffer_append(&head, "\10\6\0\0\0", 5);
	for (uint32_t y = 0; y < h; y++) {
		buffer_append(&lines, "", 1);
		buffer_append(&lines, raw + 4 * (size_t)w * y, 4 * (size_t)w);
	}
	if (canonical) {
		const uint8_t stored[7] = {0x78, 1, 1, (uint8_t)lines.size,
			(uint8_t)(lines.size >> 8), (uint8_t)~lines.size,
			(uint8_t)(~lines.size >> 8)};

		buffer_append(&z, stored, 7);
		buffer_append(&z, lines.data, lines.size);
		be32(&z, (uint32_t)adler32(1, lines.data, (uInt)lines.size));
	} else {
		compress2(packed, &n, lines.data, (uLong)lines.size, 9);
		buffer_append(&z, packed, n);
	}
	buffer_append(&b, "\x89PNG\r\n\x1a\n", 8);
	chunk(&b, "IHDR", head.data, head.size);
	chunk(&b, "IDAT", z.data, z.size);
	chunk(&b, "IEND", NULL, 0);
	ret = content_of(b.data, b.size);
	buffer_finish_free(&b);
	buffer_finish_free(&head);
	buffer_finish_free(&lines);
	buffer_finish_free(&z);
	if (canonical)
		contents[ret].png = ret;
	else
		contents[ret].png = png_of(w, h, raw, true);
	return ret;
}

int content_png(unsigned side, unsigned color, bool canonical)
{
	uint8_t raw[4 * 16 * 16];

	pixels(raw, side, color);
	return png_of(side, side, raw, canonical);
}

int content_json(unsigned width, unsigned height, bool canonical)
{
	char text[128];
	int ret;

	snprintf(text, sizeof(text),
		canonical ? "{\n  \"external\": true,\n  \"width\": %u,\n  \"height\": %u\n}\n"
			  : "{\"external\":1,\"height\":%2$u,\"width\":%1$u}",
		width, height);
	ret = content_text(text);
	contents[ret].json = canonical ? ret : content_json(width, height, true);
	if (!canonical) {
		/* The form in which a text of info is shown. */
		strcat(text, "\n");
		contents[content_text(text)].json = contents[ret].json;
	}
	return ret;
}

int content_opus(unsigned seed)
{
	uint8_t raw[64] = "OggS";
	int ret;

	memcpy(raw + 28, "OpusHead\1\2", 10);
	for (size_t i = 40; i < sizeof(raw); i++)
		raw[i] = (uint8_t)(seed * i);
	ret = content_of(raw, sizeof(raw));
	contents[ret].opus = true;
	return ret;
}

/* One line, or several for settings; a line feed is added at the end. */
static int judge_text(int content, bool lines, size_t max)
{
	const struct bytes *b = contents[content].bytes;
	const uint8_t *lf = b->size ? memchr(b->data, '\n', b->size) : NULL;
	char text[256];

	if (b->size > max || (b->size && memchr(b->data, '\0', b->size)))
		return NO_CONTENT;
	for (size_t i = 0; i < b->size; i++)
		if (b->data[i] >= 0x80)
			return NO_CONTENT;
	if (!lines && lf && lf + 1 != b->data + b->size)
		return NO_CONTENT;
	memcpy(text, b->data, b->size);
	text[b->size] = '\n';
	return content_of(text, b->size + (b->size && text[b->size - 1] != '\n'));
}

int content_judge(enum form form, int content)
{
	switch (form) {
	case FORM_PNG:
		return contents[content].png;
	case FORM_JSON:
		return contents[content].json;
	case FORM_OPUS:
		return contents[content].opus ? content : NO_CONTENT;
	default:
		return judge_text(content, form == FORM_SETTINGS,
			form == FORM_SETTINGS ? 255
			: form == FORM_LONG   ? 127
					      : 15);
	}
}

/* The reader. Every value is checked against the file's size before use. */

static bool read_name(const struct mapview *v, int32_t at, char ret[NAME_SIZE])
{
	size_t size;
	char *text = (char *)mapview_blob(v, at, &size);
	bool fits =
		text && size && size <= NAME_SIZE && memchr(text, '\0', size) == text + size - 1;

	if (fits)
		memcpy(ret, text, size);
	free(text);
	return fits;
}

static bool read_image(const struct mapview *v, const uint8_t *it, struct map_object *ret)
{
	uint32_t w = load_u32(it + 4), h = load_u32(it + 8);
	bool external = load_u32(it + 12) != 0;
	uint8_t *raw;
	size_t size;

	if (w > 16 || h > 16 || !read_name(v, load_i32(it + 16), ret->name))
		return false;
	if (external) {
		ret->content = content_json(w, h, true);
		return load_i32(it + 20) == -1;
	}
	raw = mapview_blob(v, load_i32(it + 20), &size);
	if (raw && size == 4 * (size_t)w * h)
		ret->content = png_of(w, h, raw, true);
	free(raw);
	return raw && size == 4 * (size_t)w * h;
}

static bool read_sound(const struct mapview *v, const uint8_t *it, struct map_object *ret)
{
	uint8_t *raw;
	size_t size;

	if (load_u32(it + 4) || !read_name(v, load_i32(it + 8), ret->name))
		return false;
	raw = mapview_blob(v, load_i32(it + 12), &size);
	if (raw)
		ret->content = content_of(raw, size);
	free(raw);
	return raw && (int32_t)size == load_i32(it + 16);
}

static bool read_info(const struct mapview *v, int ret[FIELDS])
{
	const uint8_t *it = mapview_item(v, INFO, 0);

	for (int i = 0; it && i < FIELDS; i++) {
		int32_t at = load_i32(it + 4 + 4 * i);
		size_t size = 0;
		char *text = at == -1 ? calloc(1, 1) : (char *)mapview_blob(v, at, &size);

		if (!text)
			return false;
		for (size_t k = 0; k < size; k++)
			text[k] = text[k] ? text[k] : '\n';
		ret[i] = content_of(text, size);
		free(text);
	}
	return it;
}

bool map_read(const struct bytes *map, struct map_content *ret)
{
	const uint8_t *it;
	struct mapview v;

	memset(ret, 0, sizeof(*ret));
	if (!map || !mapview_init(map, &v) || !read_info(&v, ret->info))
		return false;
	for (uint64_t i = 0; i < v.n_items; i++) {
		uint32_t off = load_u32(v.p + v.offs + 4 * i);
		uint32_t type = load_u32(v.p + v.items + off) >> 16;

		ret->n_images += type == IMAGE;
		ret->n_sounds += type == SOUND;
	}
	for (unsigned i = 0; i < ret->n_images; i++)
		if (!(it = mapview_item(&v, IMAGE, i)) || !read_image(&v, it, &ret->images[i]))
			return false;
	for (unsigned i = 0; i < ret->n_sounds; i++)
		if (!(it = mapview_item(&v, SOUND, i)) || !read_sound(&v, it, &ret->sounds[i]))
			return false;
	for (unsigned i = 0; i < LAYERS; i++) {
		it = mapview_item(&v, LAYER, i + 1);
		if (!it)
			return false;
		ret->refs[i] = load_i32(it + 4 * (i == 0 ? TILES_IMAGE : LIST_SOURCE));
	}
	return true;
}
