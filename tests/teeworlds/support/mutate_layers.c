/* SPDX-License-Identifier: Zlib */
/* mutate for files below groups/ and envelopes/. Integers are counted as in libtw2's doc/map.md. */
#include "mutate_layers.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { ENVELOPE_START = 2, TILES_FLAGS = 6, TILES_DATA = 14, LIST_DATA = 5 };

static struct bytes *replaced(
	const struct bytes *whole, size_t at, size_t n, const void *text, size_t n_text)
{
	uint8_t *dst;
	struct bytes *b = bytes_new(whole->size - n + n_text, &dst);

	memcpy(dst, whole->data, at);
	memcpy(dst + at, text, n_text);
	memcpy(dst + at + n_text, whole->data + at + n, whole->size - at - n);
	return b;
}

/* The text with `by` added to the integer at an offset. */
static struct bytes *other_integer(const struct bytes *whole, size_t at, int by)
{
	char number[16] = "", text[16];
	size_t n = 0;

	while (at + n < whole->size && n < sizeof(number) - 1 &&
		(isdigit(whole->data[at + n]) || (n == 0 && whole->data[at] == '-'))) {
		number[n] = (char)whole->data[at + n];
		n++;
	}
	if (n == 0)
		return NULL;
	sprintf(text, "%ld", atol(number) + (atol(number) < 100 ? by : -by));
	return replaced(whole, at, n, text, strlen(text));
}

/* The offset after the last occurrence of a key; 0 if there is none. */
static size_t after_key(const struct bytes *whole, const char *key)
{
	size_t n = strlen(key);

	for (size_t i = whole->size; i-- > n;)
		if (memcmp(whole->data + i - n, key, n) == 0)
			return i;
	return 0;
}

static struct bytes *other_value(const struct bytes *whole, const char *key, int by)
{
	size_t at = after_key(whole, key);

	return at ? other_integer(whole, at, by) : NULL;
}

/* The table with another last cell of the same width. */
static struct bytes *other_cell(const struct bytes *whole, int by)
{
	size_t n = whole->size > 8 && memchr(whole->data, ',', 7) == whole->data + 6 ? 6 : 3;
	char text[32];
	long v;

	if (whole->size < n + 1)
		return NULL;
	memcpy(text, whole->data + whole->size - n - 1, n);
	text[n] = '\0';
	v = strtol(text, NULL, 10);
	sprintf(text, "%*ld", (int)n, v < 100 ? v + by : v - by);
	return replaced(whole, whole->size - n - 1, n, text, n);
}

/* Change a value of the last point; every other envelope also gets one more point. */
static struct bytes *other_envelope(const struct bytes *whole, bool longer)
{
	size_t at = after_key(whole, "    {"), end = at;
	CLEANUP(bytes_unref) struct bytes *first = other_value(whole, "\"time\": ", 1);
	char line[1000];

	if (!first || !at)
		return NULL;
	while (whole->data[end] != '\n')
		end++;
	if (!longer || end - at > sizeof(line) - 8)
		return bytes_ref(first);
	sprintf(line, "%.*s,\n    {", (int)(end - at), (const char *)whole->data + at);
	return replaced(first, at, 0, line, strlen(line));
}

struct bytes *mutate_layers(const struct tw_map *m, entry_id id, const struct bytes *whole)
{
	/* A layer shared by two groups is changed differently in each. */
	int by = 1 + (int)tw_id_a(id) % 50;

	(void)m;
	switch (tw_id_kind(id)) {
	case TW_K_GROUP_JSON:
		return other_value(
			whole, tw_id_a(id) % 2 ? "\"y_parallax\": " : "\"x_offset\": ", 1);
	case TW_K_LAYER_JSON:
		if (tw_id_b(id) % 3 == 1 && after_key(whole, "\"config\": "))
			return other_value(whole, "\"config\": ", by);
		return other_value(whole, "\"detail\": ", by);
	case TW_K_PLANE:
		return other_cell(whole, by);
	case TW_K_QUADS:
	case TW_K_SOURCES:
		return other_value(whole, "\"position_envelope_offset\": ", by);
	case TW_K_ENVELOPE:
		return other_envelope(whole, tw_id_index(id) % 2);
	default:
		return NULL;
	}
}

static bool same_but(const struct tw_ints *a, const struct tw_ints *b, uint32_t but)
{
	if (a->n != b->n)
		return false;
	for (uint32_t i = 0; i < a->n; i++)
		if (i != but && a->v[i] != b->v[i])
			return false;
	return true;
}

bool layers_may_change_item(
	const struct tw_map *before, const struct tw_map *after, entry_id id, uint32_t i)
{
	const struct tw_item *it = &before->items[i];
	int type = it->type;

	switch (tw_id_kind(id)) {
	case TW_K_GROUP_JSON:
		return it == tw_item_at(before, TW_GROUP, tw_id_a(id));
	case TW_K_LAYER_JSON:
		return it == tw_item_at(before, TW_LAYER, tw_id_b(id)) ||
		       (type == tw_uuid_type(before, TW_AUTOMAPPER) &&
			       tw_get_int(it, 1, -1) == (int32_t)tw_id_a(id));
	case TW_K_ENVELOPE:
		return it == tw_item_at(before, TW_ENVELOPE, tw_id_index(id)) ||
		       type == TW_POINTS || type == tw_uuid_type(before, TW_BEZIER) ||
		       (type == TW_ENVELOPE &&
			       same_but(it->ints, after->items[i].ints, ENVELOPE_START));
	case TW_K_PLANE:
	case TW_K_QUADS:
	case TW_K_SOURCES:
		/* If the blob is shared, this layer gets its own copy. */
		return it == tw_item_at(before, TW_LAYER, tw_id_b(id));
	default:
		return false;
	}
}

/* Index of the integer that refers to a tile layer's own tiles. */
static uint32_t tiles_field(const struct tw_item *it)
{
	uint32_t first = tw_get_int(it, 3, 0) < 3 ? 15 : 18, field = TILES_DATA;

	switch (tw_get_int(it, TILES_FLAGS, 0)) {
	case 2:
		field = first;
		break;
	case 4:
		field = first + 1;
		break;
	case 8:
		field = first + 2;
		break;
	case 16:
		field = first + 3;
		break;
	case 32:
		field = first + 4;
		break;
	}
	return field < it->ints->n ? field : TILES_DATA;
}

bool layers_may_change_blob(const struct tw_map *m, entry_id id, uint32_t i)
{
	const struct tw_item *it = tw_item_at(m, TW_LAYER, tw_id_b(id));

	switch (tw_id_kind(id)) {
	case TW_K_PLANE:
		return tw_get_int(it, tiles_field(it), -1) == (int32_t)i;
	case TW_K_QUADS:
	case TW_K_SOURCES:
		return tw_get_int(it, LIST_DATA, -1) == (int32_t)i;
	default:
		return false;
	}
}
