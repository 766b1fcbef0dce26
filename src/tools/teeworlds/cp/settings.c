/* SPDX-License-Identifier: Zlib */
/* settings: append setting lines. They are texts that end in NUL, one after the other. */
#include <errno.h>
#include <string.h>

#include "base/buffer.h"
#include "formats/teeworlds/model/fields.h"
#include "tools/teeworlds/cp/cp.h"

enum { SETTINGS_MAX = 16 << 20 /* bytes */ };

/* Load the settings of a map. *ret is NULL if it has none. */
static int load_settings(const struct tw_map *m, struct bytes **ret, struct error *e)
{
	const struct tw_item *it = tw_item_at(m, TW_INFO, 0);
	struct blob *b = it ? tw_get_blob(m, it, TW_INFO_SETTINGS) : NULL;
	int r;

	*ret = NULL;
	if (!b)
		return 0;
	if (b->size > SETTINGS_MAX)
		return error_set(e, -EINVAL, "info/settings.cfg: has %llu bytes (at most %d)",
			(unsigned long long)b->size, SETTINGS_MAX);
	r = blob_load(b, ret, e);
	if (r < 0)
		error_context(e, "info/settings.cfg");
	return r;
}

/* Has the text this line? n: its length without NUL. */
static bool has_line(const struct buffer *text, const uint8_t *line, size_t n)
{
	for (size_t at = 0, end; at < text->size; at = end + 1) {
		end = at + strnlen((const char *)text->data + at, text->size - at);
		if (end - at == n && memcmp(text->data + at, line, n) == 0)
			return true;
	}
	return false;
}

static void append_lines(struct buffer *text, const struct bytes *from, size_t *ret_n)
{
	if (text->size && text->data[text->size - 1])
		buffer_byte(text, '\0');
	for (size_t at = 0, n; !text->error && at < from->size; at += n + 1) {
		n = strnlen((const char *)from->data + at, from->size - at);
		if (!n || has_line(text, from->data + at, n))
			continue;
		buffer_append(text, from->data + at, n);
		buffer_byte(text, '\0');
		++*ret_n;
	}
}

static void set_settings(struct tw_copying *k, struct bytes *take)
{
	const struct tw_type *t = tw_type(k->to, TW_INFO);
	const struct tw_item *it = tw_item_at(k->to, TW_INFO, 0);
	struct tw_ints *v = tw_ints_copy(it ? it->ints : NULL,
		it && it->ints->n > TW_INFO_LENGTH ? it->ints->n : TW_INFO_LENGTH, -1);
	uint32_t item;

	if (v && (!it || it->ints->n == 0))
		v->v[TW_INFO_VERSION] = 1;
	if (it)
		tw_change_set_ints(k->change, item = t->items[0], v);
	else
		item = tw_change_add_item(k->change, TW_INFO, 0, v);
	if (item != UINT32_MAX)
		tw_change_set_data(k->change, item, TW_INFO_SETTINGS,
			blob_of_bytes(take, k->to->shared->budget));
	else
		bytes_unref(take);
}

int tw_cp_settings(struct tw_copying *k, size_t *ret_n, struct error *e)
{
	CLEANUP(bytes_unref) struct bytes *from = NULL, *to = NULL;
	CLEANUP_BUFFER struct buffer text = BUFFER_INIT;
	struct bytes *joined;
	int r = load_settings(k->from, &from, e);

	*ret_n = 0;
	if (r < 0 || !from)
		return r;
	r = load_settings(k->to, &to, e);
	if (r < 0) {
		error_context(e, "the map to change");
		return r;
	}
	if (to)
		buffer_append(&text, to->data, to->size);
	append_lines(&text, from, ret_n);
	if (!*ret_n && !text.error)
		return 0;
	if (buffer_finish(&text, &joined) < 0)
		return error_set(e, -ENOMEM, "out of memory");
	set_settings(k, joined);
	return 0;
}
