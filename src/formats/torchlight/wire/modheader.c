/* SPDX-License-Identifier: Zlib */
#include "formats/torchlight/wire/modheader.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/refs.h"
#include "formats/torchlight/wire/wire.h"

/* Header bytes that are looked at, at first and at most: 65535 removed paths of a usual length. */
enum { HEAD_FIRST = 64 << 10, HEAD_MAX = 64 << 20, HEAD_LEAST = 40, LEGACY_SIZE = 9 };

int text_set(struct text *t, const void *data, size_t n)
{
	char *copy = malloc(n + 1);

	if (!copy)
		return -ENOMEM;
	if (n)
		memcpy(copy, data, n);
	copy[n] = 0;
	free(t->s);
	*t = (struct text){copy, n};
	return 0;
}

static int read_text(struct cursor *c, struct text *ret)
{
	CLEANUP_BUFFER struct buffer utf8 = BUFFER_INIT;

	ss_to_utf8(cursor_ss(c), &utf8);
	return utf8.error ? utf8.error : text_set(ret, utf8.data, utf8.size);
}

static int read_requirements(struct cursor *c, struct mod_header *h)
{
	uint16_t n = cursor_u16(c);
	int r = 0;

	h->requirements = calloc((size_t)n + 1, sizeof(*h->requirements));
	if (!h->requirements)
		return -ENOMEM;
	while (r == 0 && h->n_requirements < n && !c->bad) {
		struct mod_requirement *q = &h->requirements[h->n_requirements++];

		r = read_text(c, &q->name);
		q->id = cursor_i64(c);
		if (h->version >= 2)
			q->version = cursor_u16(c);
	}
	return r;
}

static int read_removed(struct cursor *c, struct mod_header *h)
{
	CLEANUP_BUFFER struct buffer lines = BUFFER_INIT;

	for (uint16_t n = cursor_u16(c); n && !c->bad; n--) {
		ss_to_utf8(cursor_ss(c), &lines);
		buffer_byte(&lines, '\n');
	}
	return lines.error ? lines.error : text_set(&h->removed, lines.data, lines.size);
}

static int read_start(struct cursor *c, struct mod_header *h)
{
	const uint8_t *legacy;
	size_t n;

	h->version = cursor_u16(c);
	h->mod_version = cursor_u16(c);
	if (h->version >= 4)
		for (int i = 0; i < MOD_GAME_VERSION_WORDS; i++)
			h->game_version[i] = cursor_u16(c);
	if (h->version == 1) {
		n = LEGACY_SIZE * ((size_t)h->mod_version + 1);
		legacy = cursor_take(c, n);
		if (legacy && text_set(&h->legacy, legacy, n) < 0)
			return -ENOMEM;
	}
	h->data_offset = cursor_u32(c);
	h->manifest_offset = cursor_u32(c);
	return 0;
}

static int read_fields(struct cursor *c, struct mod_header *h)
{
	int r = read_start(c, h);

	for (int i = 0; r == 0 && i < MOD_STRINGS; i++)
		r = read_text(c, &h->strings[i]);
	h->id = cursor_i64(c);
	h->flags = cursor_u32(c);
	h->requirements_hash = cursor_u64(c);
	if (r == 0)
		r = read_requirements(c, h);
	if (r == 0 && h->version >= 3)
		r = read_removed(c, h);
	return r;
}

bool modheader_sniff(const uint8_t *data, size_t n)
{
	return n >= HEAD_LEAST && data[0] >= 1 && data[0] <= MOD_VERSION && !data[1];
}

static int check(const struct mod_header *h, size_t length, uint64_t size, struct error *e)
{
	if (h->data_offset != length)
		return error_set(e, -EINVAL,
			"the header has %zu bytes and says that the data begin at "
			"%" PRIu32,
			length, h->data_offset);
	if (h->manifest_offset < h->data_offset || h->manifest_offset >= size)
		return error_set(e, -EINVAL,
			"the manifest's offset is %" PRIu32 " (%" PRIu32 "..%" PRIu64 ")",
			h->manifest_offset, h->data_offset, size ? size - 1 : 0);
	return 0;
}

/* 1: more bytes are needed. */
static int read_from(
	const uint8_t *data, size_t n, uint64_t size, struct mod_header **ret, struct error *e)
{
	CLEANUP(modheader_unref) struct mod_header *h = calloc(1, sizeof(*h));
	struct cursor c = cursor_init(data, n);
	int r;

	if (h)
		atomic_init(&h->refs, 1);
	if (!h || read_fields(&c, h) < 0)
		return error_set(e, -ENOMEM, "no memory for the header");
	if (c.bad && n < size && n < HEAD_MAX)
		return 1;
	if (c.bad)
		return error_set(e, -EINVAL, "the header reaches past byte %zu", n);
	r = check(h, c.pos, size, e);
	if (r == 0)
		*ret = TAKE(h);
	return r;
}

int modheader_read(const struct extent *mod, struct mod_header **ret, struct error *e)
{
	int r;

	for (size_t room = HEAD_FIRST;; room *= 8) {
		size_t n = mod->size < room ? (size_t)mod->size : room;
		__attribute__((cleanup(free_cleanup))) uint8_t *data = malloc(n + 1);

		if (!data)
			return error_set(e, -ENOMEM, "no memory for the header");
		r = extent_read(mod, 0, data, n, e);
		if (r < 0)
			return r;
		if (n < HEAD_LEAST)
			return error_set(e, -EINVAL,
				"%zu bytes are no header of a mod (%d or more)", n, HEAD_LEAST);
		if (!modheader_sniff(data, n))
			return error_set(e, -EINVAL, "the version is %u (1 to %d)",
				n >= 2 ? data[0] | data[1] << 8 : 0, MOD_VERSION);
		r = read_from(data, n, mod->size, ret, e);
		if (r <= 0)
			return r;
	}
}

DEFINE_REF(struct mod_header, modheader_ref)

void modheader_unref(struct mod_header *h)
{
	if (!h || !refs_drop(&h->refs))
		return;
	free(h->legacy.s);
	for (int i = 0; i < MOD_STRINGS; i++)
		free(h->strings[i].s);
	for (unsigned i = 0; i < h->n_requirements; i++)
		free(h->requirements[i].name.s);
	free(h->requirements);
	free(h->removed.s);
	free(h);
}

struct mod_header *modheader_copy(const struct mod_header *h)
{
	CLEANUP_BUFFER struct buffer out = BUFFER_INIT;
	struct mod_header *copy = NULL;

	if (modheader_write(h, 0, &out, NULL) == 0)
		(void)read_from(out.data, out.size, UINT64_MAX, &copy, NULL);
	return copy;
}

static int write_text(struct buffer *out, const struct text *t, struct error *e)
{
	return ss_put(out, (struct str){t->s, t->n}, e);
}

static int write_removed(const struct text *removed, struct buffer *out, struct error *e)
{
	struct str rest = {removed->s, removed->n};
	size_t at = out->size, n = 0;
	int r = 0;

	buffer_u16(out, 0);
	for (; r == 0 && rest.n; n++)
		r = ss_put(out, str_cut(&rest, '\n'), e);
	if (r == 0 && n > UINT16_MAX)
		return error_set(e, -EINVAL, "%zu removed files (at most %u)", n, UINT16_MAX);
	buffer_patch_u16(out, at, n);
	return r;
}

static int write_requirements(const struct mod_header *h, struct buffer *out, struct error *e)
{
	int r = 0;

	buffer_u16(out, h->n_requirements);
	for (unsigned i = 0; r == 0 && i < h->n_requirements; i++) {
		r = write_text(out, &h->requirements[i].name, e);
		buffer_u64(out, (uint64_t)h->requirements[i].id);
		if (h->version >= 2)
			buffer_u16(out, h->requirements[i].version);
	}
	return r;
}

int modheader_write(
	const struct mod_header *h, uint64_t section_size, struct buffer *out, struct error *e)
{
	size_t begin = out->size, offsets;
	int r = 0;

	buffer_u16(out, h->version);
	buffer_u16(out, h->mod_version);
	for (int i = 0; h->version >= 4 && i < MOD_GAME_VERSION_WORDS; i++)
		buffer_u16(out, h->game_version[i]);
	if (h->version == 1 && h->legacy.n)
		buffer_append(out, h->legacy.s, h->legacy.n);
	offsets = out->size;
	buffer_u64(out, 0);
	for (int i = 0; r == 0 && i < MOD_STRINGS; i++)
		r = write_text(out, &h->strings[i], e);
	buffer_u64(out, (uint64_t)h->id);
	buffer_u32(out, h->flags);
	buffer_u64(out, h->requirements_hash);
	if (r == 0)
		r = write_requirements(h, out, e);
	if (r == 0 && h->version >= 3)
		r = write_removed(&h->removed, out, e);
	if (r < 0)
		return r;
	if (out->error)
		return error_set(e, out->error, "no memory for the header");
	if (out->size - begin + section_size > UINT32_MAX)
		return error_set(e, -EFBIG,
			"the mod's data would end at byte %" PRIu64 " (at most %u)",
			out->size - begin + section_size, UINT32_MAX);
	store_u32(out->data + offsets, (uint32_t)(out->size - begin));
	store_u32(out->data + offsets + 4, (uint32_t)(out->size - begin + section_size));
	return 0;
}
