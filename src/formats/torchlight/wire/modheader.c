/* SPDX-License-Identifier: Zlib */
#include "formats/torchlight/wire/modheader.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/refs.h"
#include "formats/torchlight/wire/wire.h"

/* Header bytes that are read, at first and at most: 65535 removed paths of usual length. */
enum { HEAD_FIRST = 64 << 10, HEAD_MAX = 64 << 20, HEAD_LEAST = 40, LEGACY_SIZE = 9 };

bool text_same(const struct text *a, const struct text *b)
{
	return str_equal((struct str){a->s, a->n}, (struct str){b->s, b->n});
}

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

/* Transfers the fields of a header in their order: reads them from in, or writes them to out. */
struct fields {
	struct cursor *in; /* NULL: write */
	struct buffer *out;
	int error;
	struct error *e;
};

static void transfer_u16(struct fields *f, uint16_t *v)
{
	if (f->in)
		*v = cursor_u16(f->in);
	else
		buffer_u16(f->out, *v);
}

static void transfer_u32(struct fields *f, uint32_t *v)
{
	if (f->in)
		*v = cursor_u32(f->in);
	else
		buffer_u32(f->out, *v);
}

static void transfer_u64(struct fields *f, uint64_t *v)
{
	if (f->in)
		*v = cursor_u64(f->in);
	else
		buffer_u64(f->out, *v);
}

static void transfer_text(struct fields *f, struct text *t)
{
	CLEANUP_BUFFER struct buffer utf8 = BUFFER_INIT;

	if (f->error)
		return;
	if (!f->in) {
		f->error = ss_put(f->out, (struct str){t->s, t->n}, f->e);
		return;
	}
	ss_to_utf8(cursor_ss(f->in), &utf8);
	f->error = utf8.error ? utf8.error : text_set(t, utf8.data, utf8.size);
}

static void transfer_legacy(struct fields *f, struct mod_header *h)
{
	size_t n = LEGACY_SIZE * ((size_t)h->mod_version + 1);
	const uint8_t *data = f->in ? cursor_take(f->in, n) : NULL;

	if (data)
		f->error = text_set(&h->legacy, data, n);
	else if (!f->in)
		buffer_append(f->out, h->legacy.s, h->legacy.n);
}

static void transfer_requirements(struct fields *f, struct mod_header *h)
{
	size_t begin;

	transfer_u16(f, &h->n_requirements);
	if (!f->in) {
		buffer_str(f->out, (struct str){h->requirements.s, h->requirements.n});
		return;
	}
	begin = f->in->pos;
	for (uint16_t i = 0; i < h->n_requirements; i++) {
		cursor_ss(f->in);
		cursor_take(f->in, h->version >= 2 ? 8 + 2 : 8);
	}
	if (f->error == 0 && !f->in->is_bad)
		f->error = text_set(&h->requirements, f->in->data + begin, f->in->pos - begin);
}

static void read_removed(struct fields *f, struct mod_header *h)
{
	CLEANUP_BUFFER struct buffer lines = BUFFER_INIT;

	for (uint16_t n = cursor_u16(f->in); n && !f->in->is_bad; n--) {
		size_t at = lines.size;

		ss_to_utf8(cursor_ss(f->in), &lines);
		if (lines.size > at && memchr(lines.data + at, '\n', lines.size - at)) {
			f->error = error_set(f->e, -EINVAL,
				"the header has a removed file with a line break in its path");
			return;
		}
		buffer_byte(&lines, '\n');
	}
	f->error = lines.error ? lines.error : text_set(&h->removed, lines.data, lines.size);
}

static void write_removed(struct fields *f, const struct mod_header *h)
{
	struct str rest = {h->removed.s, h->removed.n};
	size_t at = f->out->size, n = 0;

	buffer_u16(f->out, 0);
	for (; f->error == 0 && rest.n; n++)
		f->error = ss_put(f->out, str_cut(&rest, '\n'), f->e);
	if (f->error == 0 && n > UINT16_MAX)
		f->error =
			error_set(f->e, -EINVAL, "%zu removed files (at most %u)", n, UINT16_MAX);
	buffer_patch_u16(f->out, at, n);
}

/* *ret_offsets: position of the two offsets in out. */
static void transfer_fields(struct fields *f, struct mod_header *h, size_t *ret_offsets)
{
	transfer_u16(f, &h->version);
	transfer_u16(f, &h->mod_version);
	for (int i = 0; h->version >= 4 && i < MOD_GAME_VERSION_WORDS; i++)
		transfer_u16(f, &h->game_version[i]);
	if (h->version == 1)
		transfer_legacy(f, h);
	*ret_offsets = f->in ? 0 : f->out->size;
	transfer_u32(f, &h->data_offset);
	transfer_u32(f, &h->manifest_offset);
	for (int i = 0; i < MOD_STRINGS; i++)
		transfer_text(f, &h->strings[i]);
	transfer_u64(f, (uint64_t *)&h->id);
	transfer_u32(f, &h->flags);
	transfer_u64(f, &h->requirements_hash);
	transfer_requirements(f, h);
	if (f->error || h->version < 3)
		return;
	if (f->in)
		read_removed(f, h);
	else
		write_removed(f, h);
}

bool modheader_sniff(const uint8_t *data, size_t n)
{
	return n >= HEAD_LEAST && data[0] >= 1 && data[0] <= MOD_VERSION && !data[1];
}

static int check_offsets(const struct mod_header *h, size_t length, uint64_t size, struct error *e)
{
	if (h->data_offset != length)
		return error_set(e, -EINVAL,
			"the header has %zu bytes (the data begin at byte %" PRIu32 ")", length,
			h->data_offset);
	if (h->manifest_offset < h->data_offset || h->manifest_offset >= size)
		return error_set(e, -EINVAL,
			"the manifest's offset is %" PRIu32 " (%" PRIu32 "..%" PRIu64 ")",
			h->manifest_offset, h->data_offset, size ? size - 1 : 0);
	return 0;
}

/* Parse a header from its first n bytes. Returns 1 if more bytes are needed. */
static int read_from(
	const uint8_t *data, size_t n, uint64_t size, struct mod_header **ret, struct error *e)
{
	CLEANUP(modheader_unref) struct mod_header *h = calloc(1, sizeof(*h));
	struct cursor c = cursor_init(data, n);
	struct fields f = {.in = &c, .e = e};
	size_t offsets;
	int r;

	if (h) {
		atomic_init(&h->refs, 1);
		transfer_fields(&f, h, &offsets);
	}
	if (!h || f.error == -ENOMEM)
		return error_set(e, -ENOMEM, "out of memory");
	if (f.error)
		return f.error;
	if (c.is_bad && n < size && n < HEAD_MAX)
		return 1;
	if (c.is_bad)
		return error_set(e, -EINVAL, "the header reaches past byte %zu", n);
	r = check_offsets(h, c.pos, size, e);
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
			return error_set(e, -ENOMEM, "out of memory");
		r = extent_read(mod, 0, data, n, e);
		if (r < 0)
			return r;
		if (n < HEAD_LEAST)
			return error_set(e, -EINVAL,
				"the header of the mod has %zu bytes (at least %d)", n, HEAD_LEAST);
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
	free(h->requirements.s);
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

int modheader_write(
	const struct mod_header *h, uint64_t section_size, struct buffer *out, struct error *e)
{
	struct fields f = {.out = out, .e = e};
	size_t begin = out->size, offsets;

	/* Writing does not change h. */
	transfer_fields(&f, (struct mod_header *)h, &offsets);
	if (f.error)
		return f.error;
	if (out->error)
		return error_set(e, out->error, "out of memory");
	if (out->size - begin + section_size > UINT32_MAX)
		return error_set(e, -EFBIG,
			"the mod's data would end at byte %" PRIu64 " (at most %u)",
			out->size - begin + section_size, UINT32_MAX);
	store_u32(out->data + offsets, (uint32_t)(out->size - begin));
	store_u32(out->data + offsets + 4, (uint32_t)(out->size - begin + section_size));
	return 0;
}
