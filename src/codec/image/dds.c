/* SPDX-License-Identifier: Zlib */
#include "codec/image/dds.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "base/cursor.h"

enum { HEADER = 4 + 124, FOURCC_FLAG = 4, RGB_FLAG = 0x40, GRAY_FLAG = 0x20000, ALPHA_ONLY = 2 };
enum { CHANNELS = 4, PIXEL = 4, BLOCK = 4, ALPHA = 3 };

/* A channel of an uncompressed pixel. */
struct channel {
	uint32_t mask;
	unsigned shift;
	uint32_t most; /* largest value; 0: no such channel */
};

struct image {
	uint32_t w, h, flags, bits, masks[CHANNELS];
	char letters[5];
	const uint8_t *data; /* after the header */
	size_t size;
	uint8_t *rgba;
};

/* Expand a color of 5, 6 and 5 bits to 8 bits each. */
static void decode_color(uint32_t v, uint8_t *rgb)
{
	uint32_t r = v >> 11 & 31, g = v >> 5 & 63, b = v & 31;

	rgb[0] = (uint8_t)(r << 3 | r >> 2);
	rgb[1] = (uint8_t)(g << 2 | g >> 4);
	rgb[2] = (uint8_t)(b << 3 | b >> 2);
}

/* Compute the four colors of a block. If punched (DXT1), the last one may be transparent. */
static void make_palette(const uint8_t *p, bool punched, uint8_t colors[4][PIXEL])
{
	uint32_t a = p[0] | (uint32_t)p[1] << 8, b = p[2] | (uint32_t)p[3] << 8;
	bool three = punched && a <= b;

	memset(colors, 0xFF, 4 * PIXEL);
	decode_color(a, colors[0]);
	decode_color(b, colors[1]);
	for (int i = 0; i < 3; i++) {
		unsigned x = colors[0][i], y = colors[1][i];

		colors[2][i] = (uint8_t)(three ? (x + y) / 2 : (2 * x + y) / 3);
		colors[3][i] = (uint8_t)(three ? 0 : (x + 2 * y) / 3);
	}
	colors[3][ALPHA] = three ? 0 : 0xFF;
}

static void put_colors(const uint8_t *p, bool punched, uint8_t *block)
{
	uint8_t colors[4][PIXEL];
	uint32_t which = load_u32(p + 4);

	make_palette(p, punched, colors);
	for (int i = 0; i < BLOCK * BLOCK; i++)
		memcpy(block + i * PIXEL, colors[which >> 2 * i & 3], PIXEL);
}

/* DXT3 alpha: 4 bits for each pixel. */
static void put_alpha_plain(const uint8_t *p, uint8_t *block)
{
	for (int i = 0; i < BLOCK * BLOCK; i++)
		block[i * PIXEL + ALPHA] = (uint8_t)((p[i / 2] >> (i % 2 ? 4 : 0) & 15) * 17);
}

/* DXT5 alpha: two values, and 3 bits for each pixel: one of them, a mean, 0 or 255. */
static void put_alpha_between(const uint8_t *p, uint8_t *block)
{
	uint64_t which = load_u32(p + 4) >> 16;
	unsigned a = p[0], b = p[1], values[8] = {a, b, 0, 0, 0, 0, 0, 0xFF};

	which = which << 32 | load_u32(p + 2);
	for (unsigned i = 1; i < (a > b ? 7 : 5); i++)
		values[i + 1] = a > b ? ((7 - i) * a + i * b) / 7 : ((5 - i) * a + i * b) / 5;
	for (int i = 0; i < BLOCK * BLOCK; i++)
		block[i * PIXEL + ALPHA] = (uint8_t)values[which >> 3 * i & 7];
}

static void put_block(const struct image *m, uint32_t x, uint32_t y, const uint8_t *block)
{
	uint32_t n = m->w - x < BLOCK ? m->w - x : BLOCK;

	for (uint32_t i = 0; i < BLOCK && y + i < m->h; i++)
		memcpy(m->rgba + ((size_t)(y + i) * m->w + x) * PIXEL, block + i * BLOCK * PIXEL,
			(size_t)n * PIXEL);
}

static size_t block_size(const struct image *m)
{
	return m->letters[3] == '1' ? 8 : 16;
}

/* Refuse a truncated file, before memory is allocated for the pixels. */
static int check_size(const struct image *m, struct error *e)
{
	uint64_t across = (m->w + BLOCK - 1) / BLOCK, down = (m->h + BLOCK - 1) / BLOCK;
	uint64_t needed = m->flags & FOURCC_FLAG ? across * down * block_size(m)
						 : (uint64_t)m->w * m->h * (m->bits / 8);

	if (m->size < needed)
		return error_set(e, -EINVAL,
			"the texture is truncated: %zu bytes of pixels (must be %" PRIu64 ")",
			m->size, needed);
	return 0;
}

static void decode_blocks(const struct image *m)
{
	char kind = m->letters[3];
	size_t each = block_size(m);
	const uint8_t *p = m->data;
	uint8_t block[BLOCK * BLOCK * PIXEL];

	for (uint32_t y = 0; y < m->h; y += BLOCK) {
		for (uint32_t x = 0; x < m->w; x += BLOCK, p += each) {
			put_colors(p + each - 8, kind == '1', block);
			if (kind == '3')
				put_alpha_plain(p, block);
			else if (kind == '5')
				put_alpha_between(p, block);
			put_block(m, x, y, block);
		}
	}
}

static int read_channels(const struct image *m, struct channel *channels, struct error *e)
{
	for (int i = 0; i < CHANNELS; i++) {
		uint32_t mask = m->masks[i];
		bool used = i == ALPHA ? m->flags & (1 | ALPHA_ONLY) : !(m->flags & ALPHA_ONLY);
		unsigned shift;

		/* Gray pixels have the mask of red alone. */
		if (m->flags & GRAY_FLAG && (i == 1 || i == 2))
			mask = m->masks[0];
		shift = mask ? (unsigned)__builtin_ctz(mask) : 0;
		channels[i] = (struct channel){mask, shift, used ? mask >> shift : 0};
		if (used && (channels[i].most & (channels[i].most + 1ULL)))
			return error_set(e, -EINVAL, "the mask %#x of a texture is not contiguous",
				(unsigned)mask);
	}
	return 0;
}

static uint8_t value_of(const struct channel *c, uint32_t pixel, uint8_t otherwise)
{
	uint64_t v = (pixel & c->mask) >> c->shift;

	if (!c->most)
		return otherwise;
	return (uint8_t)((v * 0xFF + c->most / 2) / c->most);
}

static int decode_plain(const struct image *m, struct error *e)
{
	struct channel channels[CHANNELS];
	size_t n = (size_t)m->w * m->h, each = m->bits / 8;
	int r = read_channels(m, channels, e);

	for (size_t i = 0; r == 0 && i < n; i++) {
		uint32_t pixel = 0;

		for (size_t k = 0; k < each; k++)
			pixel |= (uint32_t)m->data[i * each + k] << 8 * k;
		for (int c = 0; c < CHANNELS; c++)
			m->rgba[i * PIXEL + (size_t)c] =
				value_of(&channels[c], pixel, c == ALPHA ? 0xFF : 0);
	}
	return r;
}

/* Refuse a pixel format that is missing or unknown. */
static int check_kind(const struct image *m, struct error *e)
{
	bool plain = m->flags & (RGB_FLAG | GRAY_FLAG | ALPHA_ONLY);

	if (m->flags & FOURCC_FLAG) {
		if (!strcmp(m->letters, "DXT1") || !strcmp(m->letters, "DXT3") ||
			!strcmp(m->letters, "DXT5"))
			return 0;
		for (const char *c = m->letters; *c; c++)
			if (*c < ' ' || *c > '~')
				return error_set(e, -EINVAL, "the texture has an unknown format");
		return error_set(e, -EINVAL,
			"the texture has the format '%s' (must be DXT1, DXT3, DXT5 or plain "
			"pixels)",
			m->letters);
	}
	if (plain && m->bits >= 8 && m->bits <= 32 && m->bits % 8 == 0)
		return 0;
	return error_set(e, -EINVAL, "the texture's pixels have %u bits (must be 8, 16, 24 or 32)",
		(unsigned)m->bits);
}

static int read_header(struct image *m, const uint8_t *data, size_t size, struct error *e)
{
	int r;

	if (size < HEADER || memcmp(data, "DDS ", 4) != 0 || load_u32(data + 4) != 124 ||
		load_u32(data + 76) != 32)
		return error_set(e, -EINVAL, "not a DDS texture");
	*m = (struct image){.h = load_u32(data + 12),
		.w = load_u32(data + 16),
		.flags = load_u32(data + 80),
		.bits = load_u32(data + 88),
		.data = data + HEADER,
		.size = size - HEADER};
	memcpy(m->letters, data + 84, 4);
	for (int i = 0; i < CHANNELS; i++)
		m->masks[i] = load_u32(data + 92 + 4 * i);
	if (!m->w || !m->h || (uint64_t)m->w * m->h > DDS_PIXELS_MAX)
		return error_set(e, -EINVAL, "the texture has %u x %u pixels (must be 1 to %d)",
			(unsigned)m->w, (unsigned)m->h, DDS_PIXELS_MAX);
	r = check_kind(m, e);
	return r < 0 ? r : check_size(m, e);
}

int dds_decode(const uint8_t *data, size_t size, struct dds *ret, struct error *e)
{
	CLEANUP(bytes_unref) struct bytes *rgba = NULL;
	struct image m;
	int r = read_header(&m, data, size, e);

	if (r < 0)
		return r;
	rgba = bytes_new((uint64_t)m.w * m.h * PIXEL, &m.rgba);
	if (!rgba)
		return error_set(e, -ENOMEM, "out of memory");
	if (m.flags & FOURCC_FLAG)
		decode_blocks(&m);
	else
		r = decode_plain(&m, e);
	if (r == 0)
		*ret = (struct dds){m.w, m.h, TAKE(rgba)};
	return r;
}
