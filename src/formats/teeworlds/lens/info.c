/* SPDX-License-Identifier: Zlib */
/* info: author, version, credits, license and settings.cfg (layout rule 9). The files have one
 * line, settings.cfg one for each command. The map stores a NUL for each line feed of the file, so
 * both have the same size. */
#include <errno.h>
#include <string.h>

#include "codec/text/text.h"
#include "formats/teeworlds/lens/kinds.h"
#include "formats/teeworlds/lens/parsed.h"
#include "formats/teeworlds/model/fields.h"
#include "formats/teeworlds/model/store.h"
#include "formats/teeworlds/names/paths.h"

enum { SETTINGS = 4, TEXT_MAX = 16 << 20 };

/* Bytes of a line: from map.h of DDNet's editor, and from twmap for the settings. */
static const size_t line_max[TW_INFO_FILES] = {31, 15, 127, 31, 255};

/* Find the blob of a file. *ret is NULL if the file is empty. */
static int find_text(const struct tw_map *m, entry_id id, struct blob **ret, struct error *e)
{
	const struct tw_item *it = tw_item_at(m, TW_INFO, 0);
	uint32_t field = TW_INFO_AUTHOR + tw_id_index(id);
	int32_t index = it ? tw_get_int(it, field, -1) : -1;

	*ret = it ? tw_get_blob(m, it, field) : NULL;
	if (index != -1 && !*ret)
		return error_set(e, -EIO, "data index is %d (-1 or 0 to %zu)", index,
			m->n_blobs ? m->n_blobs - 1 : 0);
	return 0;
}

static int info_stat(const struct tw_map *m, entry_id id, struct file_attr *ret, struct error *)
{
	struct blob *b;

	if (tw_id_index(id) >= TW_INFO_FILES)
		return -ENOENT;
	if (find_text(m, id, &b, NULL) < 0)
		b = NULL;
	tw_stat_file(ret, b ? b->size : 0, true);
	ret->is_cleared_by_save = true;
	return 0;
}

static int info_get(
	const struct tw_map *m, entry_id id, uint64_t off, void *dst, size_t n, struct error *e)
{
	struct blob *b;
	char *text = dst;
	int r = find_text(m, id, &b, e);

	if (r < 0)
		return r;
	if (!b)
		return off || n ? error_set(e, -EIO, "the file is empty") : 0;
	r = blob_read(b, off, dst, n, e);
	for (size_t i = 0; r == 0 && i < n; i++)
		if (text[i] == '\0')
			text[i] = '\n';
	return r;
}

/* Properties of the old text. A new text may have those that the old one has. */
struct text_traits {
	size_t longest;
	bool is_not_utf8;
	bool has_mark, has_cr; /* a byte order mark; a CR before a line's end */
};

static const uint8_t MARK[] = {0xef, 0xbb, 0xbf};

static bool has_mark(const uint8_t *text, size_t n)
{
	return n >= sizeof(MARK) && memcmp(text, MARK, sizeof(MARK)) == 0;
}

static struct text_traits find_traits(const uint8_t *text, size_t n)
{
	struct text_traits h = {.is_not_utf8 = !utf8_valid(text, n), .has_mark = has_mark(text, n)};

	for (size_t i = 0, begin = 0; i <= n; i++) {
		if (i < n && text[i] != '\0' && text[i] != '\n')
			continue;
		if (i - begin > h.longest)
			h.longest = i - begin;
		h.has_cr |= i < n && i > begin && text[i - 1] == '\r';
		begin = i + 1;
	}
	return h;
}

/* Make the canonical form of a written text, which the file will show. Some editors add a byte
 * order mark, and a CR to each line, which a game reads as part of the command. Remove them if the
 * old text had none. Add a missing last line feed. */
static struct bytes *make_canonical(const struct bytes *text, const struct text_traits *before)
{
	size_t n = 0,
	       begin = !before->has_mark && has_mark(text->data, text->size) ? sizeof(MARK) : 0;
	uint8_t *dst;
	struct bytes *b = bytes_new(text->size + 1, &dst);

	if (!b)
		return NULL;
	for (size_t i = begin; i < text->size; i++) {
		if (text->data[i] == '\n' && !before->has_cr && n && dst[n - 1] == '\r')
			n--;
		dst[n++] = text->data[i];
	}
	if (n && dst[n - 1] != '\n')
		dst[n++] = '\n';
	b->size = n;
	return b;
}

static int check_text(unsigned file, const uint8_t *text, size_t n,
	const struct text_traits *before, struct error *e)
{
	size_t max = line_max[file], line = 1, begin = 0;

	if (before->longest > max)
		max = before->longest;
	for (size_t i = 0; i <= n; i++) {
		if (i < n && text[i] == '\0')
			return error_set(e, -EINVAL, "line %zu: a NUL byte", line);
		if (i < n && text[i] != '\n')
			continue;
		if (file != SETTINGS && line > 1 && (i > begin || i < n))
			return error_set(e, -EINVAL, "line %zu: too many lines (at most 1)", line);
		if (!before->is_not_utf8 && !utf8_valid(text + begin, i - begin))
			return error_set(e, -EINVAL, "line %zu: not UTF-8", line);
		if (i - begin > max)
			return error_set(e, -EINVAL, "line %zu: %zu bytes (at most %zu)", line,
				i - begin, max);
		begin = i + 1;
		line++;
	}
	return 0;
}

/* Copy a text and replace one byte. Returns NULL if memory is exhausted. */
static struct bytes *copy_replacing(const struct bytes *text, char from, char to)
{
	uint8_t *dst;
	struct bytes *b = bytes_new(text->size, &dst);

	for (size_t i = 0; b && i < text->size; i++)
		dst[i] = text->data[i] == (uint8_t)from ? (uint8_t)to : text->data[i];
	return b;
}

/* Find the info item, and lengthen or add it if it lacks the field. Returns its handle. */
static uint32_t get_item(const struct tw_map *m, struct tw_change *c, uint32_t field)
{
	const struct tw_item *it = tw_item_at(m, TW_INFO, 0);
	struct tw_ints *ints;

	if (it && field < it->ints->n)
		return (uint32_t)(it - m->items);
	ints = tw_ints_copy(it ? it->ints : NULL, TW_INFO_LENGTH, -1);
	if (ints && (!it || it->ints->n == 0))
		ints->v[0] = 1;
	if (!it)
		return tw_change_add_item(c, TW_INFO, 0, ints);
	tw_change_set_ints(c, (uint32_t)(it - m->items), ints);
	return (uint32_t)(it - m->items);
}

/* Compose the blob of a canonical text. Leaves *ret NULL if the text is empty. */
static int make_blob(const struct tw_map *m, unsigned file, const struct bytes *text,
	const struct text_traits *before, struct blob **ret, struct error *e)
{
	CLEANUP(content_unref) struct content *c = NULL;
	CLEANUP_EXTENT struct extent x = EXTENT_INIT;
	struct bytes *stored;
	int r;

	if (text->size == 0)
		return 0;
	r = check_text(file, text->data, text->size, before, e);
	if (r < 0)
		return r;
	stored = copy_replacing(text, '\n', '\0');
	if (stored) {
		x = extent_of_bytes(stored);
		c = content_new(&x);
	}
	return c ? tw_compose_content(m, c, ret, e) : error_set(e, -ENOMEM, "out of memory");
}

static int info_parse(const struct tw_map *m, entry_id id, struct content *in, struct parsed **ret,
	struct error *e)
{
	CLEANUP(bytes_unref) struct bytes *written = NULL, *text = NULL, *old = NULL, *shown = NULL;
	CLEANUP(blob_unref) struct blob *fresh = NULL;
	struct text_traits before = {0};
	struct blob *b;
	int r = find_text(m, id, &b, NULL);
	bool none = r == 0 && !b, same;

	if (in->bytes.size > TEXT_MAX)
		return error_set(e, -EINVAL, "the file has %llu bytes (at most %d)",
			(unsigned long long)in->bytes.size, TEXT_MAX);
	/* An unreadable text may be replaced. */
	if (b && b->size <= TEXT_MAX && blob_load(b, &old, NULL) == 0) {
		before = find_traits(old->data, old->size);
		shown = copy_replacing(old, '\0', '\n');
	}
	r = extent_load(&in->bytes, TEXT_MAX, &written, e);
	if (r < 0)
		return r;
	text = make_canonical(written, &before);
	if (!text || (old && !shown))
		return error_set(e, -ENOMEM, "out of memory");
	same = bytes_equal(shown, written) || bytes_equal(shown, text) || (none && text->size == 0);
	if (same)
		fresh = blob_ref(b);
	else
		r = make_blob(m, tw_id_index(id), text, &before, &fresh, e);
	return r < 0 ? r : tw_parsed_blob(in, same, TAKE(fresh), ret, e);
}

static int info_apply(struct tw_change *c, entry_id id, const struct parsed *p, struct error *)
{
	struct blob *fresh = tw_blob_of_parsed(p), *b = NULL;
	uint32_t field = TW_INFO_AUTHOR + tw_id_index(id);

	if (find_text(c->base, id, &b, NULL) == 0 && b == fresh)
		return 0;
	tw_change_set_data(c, get_item(c->base, c, field), field, blob_ref(fresh));
	return 0;
}

static void info_touch(const struct tw_map *m, uint32_t item, struct touched *t)
{
	const struct tw_item *first = tw_item_at(m, TW_INFO, 0);

	if (m->items[item].type == TW_INFO && first == &m->items[item])
		for (uint32_t i = 0; i < TW_INFO_FILES; i++)
			touched_add(t, tw_id(TW_K_INFO, i, 0));
}

const struct tw_kind tw_kind_info_dir = {
	.label = "info/",
	.stat = tw_stat_fixed,
	.child = tw_fixed_child,
};

const struct tw_kind tw_kind_info = {
	.label = "info",
	.stat = info_stat,
	.get = info_get,
	.max_size = TEXT_MAX,
	.parse = info_parse,
	.apply = info_apply,
	.touch = info_touch,
};
