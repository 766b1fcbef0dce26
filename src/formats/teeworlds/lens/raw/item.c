/* SPDX-License-Identifier: Zlib */
/* item: the integers of an item, one signed decimal number a line (layout rule 22). */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/teeworlds/lens/kinds.h"

enum { NUMBER_MAX = 13, STAT_INTS_MAX = 1 << 16, TEXT_MAX = 16 << 20 };

static const struct tw_item *find_any_item(const struct tw_map *m, entry_id id)
{
	uint32_t i = tw_id_index(id);

	return i < m->n_items && (!m->items[i].is_removed || m->items[i].is_reserved) ? &m->items[i]
										      : NULL;
}

/* Find an item that has content. */
static int find_item(
	const struct tw_map *m, entry_id id, const struct tw_item **ret, struct error *e)
{
	const struct tw_item *it = find_any_item(m, id);

	if (!it)
		return error_set(e, -ENOENT, "no such item");
	if (it->is_reserved)
		return error_set(e, -ENODATA, "the item has no content yet");
	*ret = it;
	return 0;
}

static unsigned line_length(int32_t v)
{
	uint32_t rest = v < 0 ? 0 - (uint32_t)v : (uint32_t)v;
	unsigned n = v < 0 ? 3 : 2;

	for (; rest >= 10; rest /= 10)
		n++;
	return n;
}

static uint64_t text_size(const struct tw_ints *ints)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < ints->n; i++)
		n += line_length(ints->v[i]);
	return n;
}

static int item_stat(const struct tw_map *m, entry_id id, struct file_attr *ret, struct error *e)
{
	const struct tw_item *it;
	int r = find_item(m, id, &it, e);

	if (r < 0)
		return r;
	tw_stat_raw(ret, m, 0);
	ret->has_size = it->ints->n <= STAT_INTS_MAX;
	if (ret->has_size)
		ret->size = text_size(it->ints);
	return 0;
}

static int item_size(const struct tw_map *m, entry_id id, uint64_t *ret, struct error *e)
{
	const struct tw_item *it;
	int r = find_item(m, id, &it, e);

	if (r < 0)
		return r;
	*ret = text_size(it->ints);
	return 0;
}

static int item_get(
	const struct tw_map *m, entry_id id, uint64_t off, void *dst, size_t n, struct error *e)
{
	uint64_t at = 0, end = off + n;
	const struct tw_item *it;
	char line[NUMBER_MAX];
	int r = find_item(m, id, &it, e);

	if (r < 0)
		return r;
	for (uint32_t i = 0; i < it->ints->n && at < end; i++) {
		uint64_t len = line_length(it->ints->v[i]);

		if (at + len > off) {
			sprintf(line, "%d\n", it->ints->v[i]);
			for (uint64_t k = 0; k < len; k++)
				if (at + k >= off && at + k < end)
					((char *)dst)[at + k - off] = line[k];
		}
		at += len;
	}
	return at < end ? error_set(e, -EIO, "the file ends at byte %llu", (unsigned long long)at)
			: 0;
}

/* Parse the line [s, end): one number, with blanks around it. */
static int parse_line(
	const uint8_t *s, const uint8_t *end, size_t line, int32_t *ret, struct error *e)
{
	char text[64] = "", *after = text;
	size_t n = (size_t)(end - s);
	long long v = 0;

	if (n && n < sizeof(text)) {
		memcpy(text, s, n);
		v = strtoll(text, &after, 10);
	}
	if (after == text || after + strspn(after, " \t\r") != text + n)
		return error_set(e, -EINVAL, "line %zu: must be one decimal number", line);
	if (v > INT32_MAX || v < INT32_MIN)
		return error_set(e, -EINVAL, "line %zu: the number does not fit 32 bits (%d to %d)",
			line, INT32_MIN, INT32_MAX);
	*ret = (int32_t)v;
	return 0;
}

static int parse_ints(const struct bytes *text, struct tw_ints **ret, struct error *e)
{
	const uint8_t *p = text->data, *end = p + text->size;
	CLEANUP(tw_ints_unref) struct tw_ints *ints = NULL;
	size_t lines = 0;

	for (const uint8_t *s = p; s < end; s++)
		lines += *s == '\n' || s + 1 == end;
	ints = tw_ints_new((uint32_t)lines);
	if (!ints)
		return error_set(e, -ENOMEM, "out of memory");
	for (size_t i = 0; i < lines; i++) {
		const uint8_t *lf = memchr(p, '\n', (size_t)(end - p));
		int r = parse_line(p, lf ? lf : end, i + 1, &ints->v[i], e);

		if (r < 0)
			return r;
		p = lf ? lf + 1 : end;
	}
	*ret = TAKE(ints);
	return 0;
}

struct parsed_item {
	struct parsed parsed; /* first */
	struct tw_ints *ints;
};

static void finish_parsed(struct parsed *p)
{
	tw_ints_unref(((struct parsed_item *)p)->ints);
}

static int item_parse(const struct tw_map *m, entry_id id, struct content *in, struct parsed **ret,
	struct error *e)
{
	const struct tw_item *it = find_any_item(m, id);
	CLEANUP(tw_ints_unref) struct tw_ints *ints = NULL;
	CLEANUP(bytes_unref) struct bytes *text = NULL;
	struct parsed_item *p;
	int r;

	if (!it)
		return error_set(e, -ENOENT, "no such item");
	if (m->shared->raw != TW_RAW_RW)
		return error_set(e, -EROFS, "raw/ is read-only (use -o raw=rw)");
	r = extent_load(&in->bytes, TEXT_MAX, &text, e);
	if (r == -EFBIG)
		return error_set(e, -EINVAL, "the file has more than %d bytes", TEXT_MAX);
	if (r == 0)
		r = parse_ints(text, &ints, e);
	if (r < 0)
		return r;
	p = parsed_new(sizeof(*p), in, finish_parsed);
	if (!p)
		return error_set(e, -ENOMEM, "out of memory");
	p->parsed.is_unchanged = !it->is_reserved && tw_ints_same(ints, it->ints);
	p->ints = TAKE(ints);
	*ret = &p->parsed;
	return 0;
}

static int item_apply(struct tw_change *c, entry_id id, const struct parsed *p, struct error *e)
{
	const struct tw_item *it = find_any_item(c->base, id);
	uint32_t item = tw_id_index(id);
	struct tw_map *to;

	if (!it)
		return error_set(e, -ENOENT, "no such item");
	tw_change_set_ints(c, item, tw_ints_ref(((const struct parsed_item *)p)->ints));
	to = it->is_reserved ? tw_change_map(c) : NULL;
	if (to)
		to->items[item].is_removed = to->items[item].is_reserved = false;
	return 0;
}

const struct tw_kind tw_kind_raw_item = {
	.label = "raw item",
	.stat = item_stat,
	.size = item_size,
	.get = item_get,
	.max_size = TEXT_MAX,
	.parse = item_parse,
	.apply = item_apply,
};
