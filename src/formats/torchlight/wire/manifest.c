/* SPDX-License-Identifier: Zlib */
#include "formats/torchlight/wire/manifest.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"

enum { STEP_MIN = 15, STEP_MAX = 25, RECORD_MIN = 2 + 4, ENTRY_MIN = 4 + 1 + 2 + 4 + 4 + 8 };

struct reader {
	struct cursor c;
	struct manifest *m;
	struct buffer text;
	size_t room; /* of m->entries */
	struct error *e;
};

uint32_t manifest_hash(const uint8_t *data, size_t size, unsigned step)
{
	uint32_t h = 0x202A;

	for (size_t k = 0; k < size; k += step)
		h = h * 33 + hash_byte(data[k]);
	return h;
}

static unsigned find_step(const uint8_t *data, size_t size, uint32_t mhash)
{
	if (manifest_hash(data, size, MANIFEST_STEP) == mhash)
		return MANIFEST_STEP;
	for (unsigned step = STEP_MIN; step <= STEP_MAX; step++)
		if (manifest_hash(data, size, step) == mhash)
			return step;
	return 0;
}

static int truncated(struct reader *r, const char *what)
{
	return error_set(r->e, -EINVAL, "manifest: %s at byte %zu reaches past the end (%zu bytes)",
		what, r->c.pos, r->c.size);
}

static void read_name(struct reader *r, uint32_t *ret_at, uint32_t *ret_n)
{
	struct ss s = cursor_ss(&r->c);

	*ret_at = (uint32_t)r->text.size;
	ss_to_utf8(s, &r->text);
	*ret_n = (uint32_t)r->text.size - *ret_at;
}

/* The count that a header claims is bounded by the bytes that are there; room grows with what is
 * really read. */
static struct manifest_entry *new_entry(struct reader *r)
{
	struct manifest *m = r->m;

	if (!array_room(m->entries, m->n_entries, r->room))
		return NULL;
	return &m->entries[m->n_entries++];
}

static int read_entry(struct reader *r, uint32_t record)
{
	struct manifest_entry *x = new_entry(r);

	if (!x)
		return error_set(r->e, -ENOMEM, "no memory for the manifest");
	*x = (struct manifest_entry){.record = record};
	x->crc = cursor_u32(&r->c);
	x->type = cursor_u8(&r->c);
	read_name(r, &x->name_at, &x->name_n);
	x->offset = cursor_u32(&r->c);
	x->usize = cursor_u32(&r->c);
	x->filetime = cursor_u64(&r->c);
	return r->c.bad ? truncated(r, "an entry") : 0;
}

static int read_record(struct reader *r, uint32_t index)
{
	struct manifest_record *record = &r->m->records[index];
	uint32_t n;
	int ret = 0;

	read_name(r, &record->path_at, &record->path_n);
	n = cursor_u32(&r->c);
	if (r->c.bad)
		return truncated(r, "a directory");
	if (n > cursor_left(&r->c) / ENTRY_MIN)
		return error_set(r->e, -EINVAL,
			"manifest: directory %" PRIu32 " has %" PRIu32 " entries (at most %zu)",
			index, n, cursor_left(&r->c) / ENTRY_MIN);
	record->first = r->m->n_entries;
	record->n = n;
	while (ret == 0 && n--)
		ret = read_entry(r, index);
	return ret;
}

static int read_header(struct reader *r)
{
	struct manifest *m = r->m;

	m->version = cursor_u16(&r->c);
	if (m->version != 0 && m->version != 2)
		return error_set(r->e, -EINVAL, "manifest: version is %u (not 0 or 2)", m->version);
	if (m->version >= 2) {
		m->mhash = cursor_u32(&r->c);
		m->step = find_step(r->c.data, r->c.size, m->mhash);
	}
	read_name(r, &m->root_at, &m->root_n);
	m->total = cursor_u32(&r->c);
	m->n_records = cursor_u32(&r->c);
	if (r->c.bad)
		return truncated(r, "the header");
	if (!r->text.size || r->text.data[m->root_at + m->root_n - 1] != '/')
		return error_set(r->e, -EINVAL, "manifest: the root does not end in '/'");
	if (m->n_records > cursor_left(&r->c) / RECORD_MIN)
		return error_set(r->e, -EINVAL, "manifest: %" PRIu32 " directories (at most %zu)",
			m->n_records, cursor_left(&r->c) / RECORD_MIN);
	m->records = calloc((size_t)m->n_records + 1, sizeof(*m->records));
	return m->records ? 0 : error_set(r->e, -ENOMEM, "no memory for the manifest");
}

static int read_all(struct reader *r)
{
	int ret = read_header(r);

	for (uint32_t i = 0; ret == 0 && i < r->m->n_records; i++)
		ret = read_record(r, i);
	if (ret < 0)
		return ret;
	if (r->c.pos != r->c.size)
		return error_set(r->e, -EINVAL, "manifest: %zu bytes follow the last directory",
			r->c.size - r->c.pos);
	if (buffer_finish(&r->text, &r->m->text_bytes) < 0)
		return error_set(r->e, -ENOMEM, "no memory for the manifest");
	r->m->text = (const char *)r->m->text_bytes->data;
	return 0;
}

int manifest_read(const uint8_t *data, size_t size, struct manifest **ret, struct error *e)
{
	CLEANUP(manifest_free) struct manifest *m = calloc(1, sizeof(*m));
	struct reader r = {.c = cursor_init(data, size), .m = m, .e = e};
	int got;

	if (!m)
		return error_set(e, -ENOMEM, "no memory for the manifest");
	if (size > UINT32_MAX / 2)
		return error_set(
			e, -EINVAL, "manifest: %zu bytes (at most %u)", size, UINT32_MAX / 2);
	got = read_all(&r);
	buffer_finish_free(&r.text);
	if (got == 0)
		*ret = TAKE(m);
	return got;
}

void manifest_free(struct manifest *m)
{
	if (!m)
		return;
	free(m->records);
	free(m->entries);
	bytes_unref(m->text_bytes);
	free(m);
}

uint8_t manifest_type(struct str name)
{
	static const struct {
		const char *ending;
		uint8_t type;
	} types[] = {{"DAT", 0}, {"TEMPLATE", 0}, {"LAYOUT", 1}, {"MESH", 2}, {"SKELETON", 3},
		{"DDS", 4}, {"PNG", 5}, {"WAV", 6}, {"OGG", 6}, {"MATERIAL", 8}, {"RAW", 9},
		{"UILAYOUT", 10}, {"IMAGESET", 11}, {"TTF", 12}, {"TTC", 12}, {"FONT", 13},
		{"ANIMATION", 16}, {"HIE", 17}, {"SCHEME", 19}, {"LOOKNFEEL", 20}, {"MPP", 21},
		{"MPD", 21}, {"BIK", 23}, {"JPG", MANIFEST_JPG}};
	size_t dot = name.n;

	if (name.n && name.s[name.n - 1] == '/')
		return MANIFEST_DIR;
	while (dot && name.s[dot - 1] != '.')
		dot--;
	for (size_t i = 0; dot && i < sizeof(types) / sizeof(*types); i++)
		if (str_equal_nocase(
			    (struct str){name.s + dot, name.n - dot}, str_of(types[i].ending)))
			return types[i].type;
	return MANIFEST_OTHER;
}
