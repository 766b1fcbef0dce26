/* SPDX-License-Identifier: Zlib */
#include "formats/torchlight/wire/manifest.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"

enum {
	STEP_MIN = 15,
	STEP_MAX = 25,
	RECORD_MIN = 2 + 4,
	ENTRY_MIN = 4 + 1 + 2 + 4 + 4 + 8,
	MHASH_AT = 2
};

struct reader {
	struct cursor c;
	struct manifest *m;
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

static int refuse_truncated(struct reader *r, const char *what)
{
	return error_set(r->e, -EINVAL, "manifest: %s at byte %zu reaches past the end (%zu bytes)",
		what, r->c.pos, r->c.size);
}

static void read_name(struct reader *r, uint32_t *ret_at, uint32_t *ret_n)
{
	struct buffer *text = &r->m->text;

	*ret_at = (uint32_t)text->size;
	ss_to_utf8(cursor_ss(&r->c), text);
	*ret_n = (uint32_t)text->size - *ret_at;
	buffer_byte(text, 0);
}

static void add_record(struct manifest *m, struct manifest_record record)
{
	record.first = m->n_entries;
	if (array_reserve(m->records, m->n_records, m->room_records))
		m->records[m->n_records++] = record;
	else
		m->text.error = -ENOMEM;
}

/* Memory grows with the entries that are read, not with the count in the header. */
static void add_entry(struct manifest *m, struct manifest_entry x)
{
	x.record = m->n_records - 1;
	if (m->text.error || !array_reserve(m->entries, m->n_entries, m->room_entries)) {
		m->text.error = -ENOMEM;
		return;
	}
	m->entries[m->n_entries++] = x;
	m->records[x.record].n++;
}

static int read_entry(struct reader *r)
{
	struct manifest_entry x = {0};

	x.crc = cursor_u32(&r->c);
	x.type = cursor_u8(&r->c);
	read_name(r, &x.name_at, &x.name_n);
	x.offset = cursor_u32(&r->c);
	x.usize = cursor_u32(&r->c);
	x.filetime = cursor_u64(&r->c);
	x.handle = x.type == MANIFEST_DIR ? MANIFEST_NO_FILE : r->m->n_entries;
	add_entry(r->m, x);
	return r->c.is_bad ? refuse_truncated(r, "an entry") : r->m->text.error;
}

static int read_record(struct reader *r, uint32_t index)
{
	struct manifest_record record = {0};
	uint32_t n;
	int ret;

	read_name(r, &record.path_at, &record.path_n);
	n = cursor_u32(&r->c);
	if (r->c.is_bad)
		return refuse_truncated(r, "a directory");
	if (n > cursor_left(&r->c) / ENTRY_MIN)
		return error_set(r->e, -EINVAL,
			"manifest: directory %" PRIu32 " has %" PRIu32 " entries (at most %zu)",
			index, n, cursor_left(&r->c) / ENTRY_MIN);
	add_record(r->m, record);
	ret = r->m->text.error;
	while (ret == 0 && n--)
		ret = read_entry(r);
	return ret;
}

static int read_header(struct reader *r, uint32_t *ret_n)
{
	struct manifest *m = r->m;

	m->version = cursor_u16(&r->c);
	if (m->version != 0 && m->version != 2)
		return error_set(
			r->e, -EINVAL, "manifest: version is %u (must be 0 or 2)", m->version);
	if (m->version >= 2) {
		m->mhash = cursor_u32(&r->c);
		m->step = find_step(r->c.data, r->c.size, m->mhash);
	}
	read_name(r, &m->root_at, &m->root_n);
	m->total = cursor_u32(&r->c);
	*ret_n = cursor_u32(&r->c);
	if (r->c.is_bad)
		return refuse_truncated(r, "the header");
	if (!m->root_n || m->text.data[m->root_at + m->root_n - 1] != '/')
		return error_set(r->e, -EINVAL, "manifest: the root does not end in '/'");
	if (*ret_n > cursor_left(&r->c) / RECORD_MIN)
		return error_set(r->e, -EINVAL, "manifest: %" PRIu32 " directories (at most %zu)",
			*ret_n, cursor_left(&r->c) / RECORD_MIN);
	return 0;
}

static int read_all(struct reader *r)
{
	uint32_t n = 0;
	int ret = read_header(r, &n);

	for (uint32_t i = 0; ret == 0 && i < n; i++)
		ret = read_record(r, i);
	if (ret == 0 && r->c.pos != r->c.size)
		ret = error_set(r->e, -EINVAL, "manifest: %zu bytes follow the last directory",
			r->c.size - r->c.pos);
	return ret;
}

int manifest_read(const uint8_t *data, size_t size, struct manifest **ret, struct error *e)
{
	CLEANUP(manifest_free) struct manifest *m = calloc(1, sizeof(*m));
	struct reader r = {.c = cursor_init(data, size), .m = m, .e = e};
	int got = -ENOMEM;

	if (size > UINT32_MAX / 2)
		return error_set(
			e, -EINVAL, "manifest: %zu bytes (at most %u)", size, UINT32_MAX / 2);
	if (m)
		got = read_all(&r);
	if (got == -ENOMEM || (got == 0 && m->text.error))
		return error_set(e, -ENOMEM, "out of memory");
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
	buffer_finish_free(&m->text);
	free(m);
}

static void add_name(struct manifest *m, struct str s, uint32_t *ret_at, uint32_t *ret_n)
{
	if (m->text.size + s.n > UINT32_MAX)
		m->text.error = -ENOMEM;
	*ret_at = (uint32_t)m->text.size;
	*ret_n = (uint32_t)s.n;
	buffer_str(&m->text, s);
	buffer_byte(&m->text, 0);
}

struct manifest *manifest_new(uint16_t version, struct str root)
{
	struct manifest *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->version = version;
	add_name(m, root, &m->root_at, &m->root_n);
	return m;
}

void manifest_add_record(struct manifest *m, struct str path)
{
	struct manifest_record record = {0};

	add_name(m, path, &record.path_at, &record.path_n);
	add_record(m, record);
}

void manifest_add_entry(struct manifest *m, const struct manifest_entry *x, struct str name)
{
	struct manifest_entry copy = *x;

	add_name(m, name, &copy.name_at, &copy.name_n);
	add_entry(m, copy);
}

void manifest_put_path(const struct manifest *m, const struct manifest_entry *x, struct buffer *out)
{
	buffer_str(out, manifest_path(m, &m->records[x->record]));
	buffer_str(out, manifest_name(m, x));
}

static int compare_dirs(const void *x, const void *y)
{
	return str_compare(*(const struct str *)x, *(const struct str *)y);
}

static uint32_t count_slashes(struct str path)
{
	uint32_t n = 0;

	for (size_t i = 0; i < path.n; i++)
		n += path.s[i] == '/';
	return n;
}

static int find_total(const struct manifest *m, uint32_t *ret)
{
	CLEANUP(free) struct str *paths = calloc((size_t)m->n_records + 1, sizeof(*paths));
	size_t n = 0;

	if (!paths)
		return -ENOMEM;
	*ret = 0;
	for (uint32_t i = 0; i < m->n_records; i++) {
		const struct manifest_record *r = &m->records[i];
		uint32_t files = 0;

		for (uint32_t k = r->first; k < r->first + r->n; k++)
			files += m->entries[k].type != MANIFEST_DIR;
		if (files)
			paths[n++] = manifest_path(m, r);
		*ret += files;
	}
	qsort(paths, n, sizeof(*paths), compare_dirs);
	for (size_t i = 0; i < n; i++)
		if (!i || !str_equal(paths[i - 1], paths[i]))
			*ret += count_slashes(paths[i]);
	return 0;
}

static int write_record(const struct manifest *m, const struct manifest_record *record,
	struct buffer *out, struct error *e)
{
	int r = ss_put(out, manifest_path(m, record), e);

	buffer_u32(out, record->n);
	for (uint32_t i = record->first; r == 0 && i < record->first + record->n; i++) {
		const struct manifest_entry *x = &m->entries[i];

		buffer_u32(out, x->crc);
		buffer_byte(out, x->type);
		r = ss_put(out, manifest_name(m, x), e);
		buffer_u32(out, x->offset);
		buffer_u32(out, x->usize);
		buffer_u64(out, x->filetime);
	}
	return r;
}

int manifest_write(const struct manifest *m, struct buffer *out, struct error *e)
{
	uint32_t total = 0;
	int r;

	if (m->text.error || find_total(m, &total) < 0)
		return error_set(e, -ENOMEM, "out of memory");
	buffer_u16(out, m->version);
	if (m->version >= 2)
		buffer_u32(out, 0);
	r = ss_put(out, manifest_root(m), e);
	buffer_u32(out, total);
	buffer_u32(out, m->n_records);
	for (uint32_t i = 0; r == 0 && i < m->n_records; i++)
		r = write_record(m, &m->records[i], out, e);
	if (r == 0 && out->error)
		r = error_set(e, -ENOMEM, "out of memory");
	if (r == 0 && out->size > UINT32_MAX)
		r = error_set(e, -EFBIG, "the manifest would have %zu bytes", out->size);
	if (r == 0 && m->version >= 2)
		store_u32(out->data + MHASH_AT,
			manifest_hash(out->data, out->size, m->step ? m->step : MANIFEST_STEP));
	return r;
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
