/* SPDX-License-Identifier: Zlib */
#include "formats/teeworlds/names/name_map.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "formats/teeworlds/names/parse.h"
#include "formats/teeworlds/names/reference.h"
#include "formats/teeworlds/structure.h"

/* A name of an object: a line "SORT NUMBER POSITION STEM". */
struct line {
	enum tw_named what;
	int32_t number;   /* in the writing mount; TW_MADE and more: it was made there */
	int32_t position; /* in the saved map; -1: it is not in it */
	size_t n;
	const char *stem; /* in the text */
};

struct tw_legend {
	atomic_uint refs;
	size_t n;
	struct bytes *text;
	struct line v[];
};

struct tw_legend *tw_legend_ref(struct tw_legend *l)
{
	if (l)
		atomic_fetch_add_explicit(&l->refs, 1, memory_order_relaxed);
	return l;
}

void tw_legend_unref(struct tw_legend *l)
{
	if (l && atomic_fetch_sub_explicit(&l->refs, 1, memory_order_acq_rel) == 1) {
		bytes_unref(l->text);
		free(l);
	}
}

/* Where the object is in the settled map; -1: nowhere. */
static int64_t settled_position(const struct tw_map *settled, enum tw_named what, uint32_t at)
{
	const struct tw_type *was = tw_index_type(
		settled->origin ? settled->origin : settled->index, tw_named_type(what));

	if (!was || at >= was->n || settled->items[was->items[at]].made)
		return -1;
	return tw_position(settled, was->items[at]);
}

/* The stem by which a mount of the settled map will show the object; its length, or 0. */
static size_t shown_stem(
	const struct tw_map *settled, enum tw_named what, uint32_t at, char dst[NAME_MAX + 1])
{
	static const enum tw_kind_id kinds[] = {[TW_N_IMAGES] = TW_K_IMAGE_PNG,
		[TW_N_SOUNDS] = TW_K_SOUND_OPUS,
		[TW_N_ENVELOPES] = TW_K_ENVELOPE};

	if (tw_shown_as(&settled->base, tw_id(kinds[what], at, 0), dst) < 0)
		return 0;
	return tw_place_stem(what, dst, NULL);
}

/* The stem under which the object was placed, where the mount that wrote takes it for the object's
 * too; its length, or 0. */
static size_t placed_stem(const struct tw_map *m, const struct tw_map *settled, enum tw_named what,
	uint32_t at, char dst[NAME_MAX + 1])
{
	const struct tw_type *t = tw_type(m, tw_named_type(what));
	const struct bytes *placed = settled->items[t->items[at]].placed;
	int32_t other;
	size_t n;

	if (!placed || placed->size > NAME_MAX)
		return 0;
	memcpy(dst, placed->data, placed->size);
	dst[placed->size] = '\0';
	n = tw_place_stem(what, dst, NULL);
	if (tw_ref_find(m, what, dst, n, false, 0, &other) == 0 && other != tw_ref_of(m, what, at))
		return 0;
	return n;
}

/* A stem holds no line feed: that is written %0A. */
static void write_line(enum tw_named what, int32_t ref, int64_t position, const char *stem,
	size_t n, struct buffer *out)
{
	char line[NAME_MAX + 64];
	int length = snprintf(line, sizeof(line), "%d %d %d %.*s\n", (int)what, (int)ref,
		(int)position, (int)n, stem);

	buffer_append(out, line, (size_t)length);
}

static void write_one(const struct tw_map *m, const struct tw_map *settled, enum tw_named what,
	uint32_t at, struct buffer *out)
{
	int64_t position = settled_position(settled, what, at);
	int32_t ref = tw_ref_of(m, what, at);
	char stem[NAME_MAX + 1], shown[NAME_MAX + 1], placed[NAME_MAX + 1];
	size_t n = tw_ref_stem(m, what, ref, stem), k = 0, n_placed = 0;

	if (position >= 0) {
		k = shown_stem(settled, what, at, shown);
		n_placed = placed_stem(m, settled, what, at, placed);
	}
	if (position == ref && k == n && memcmp(stem, shown, n) == 0 && !n_placed)
		return;
	write_line(what, ref, position, stem, n, out);
	if (n_placed)
		write_line(what, ref, position, placed, n_placed, out);
}

int tw_legend_write(const struct snapshot *s, const struct snapshot *settled, struct bytes **ret,
	struct error *e)
{
	const struct tw_map *m = tw_map_of(s), *to = tw_map_of(settled);
	CLEANUP_BUFFER struct buffer out = BUFFER_INIT;
	int r = tw_names_need(m, e);

	if (r == 0)
		r = tw_names_need(to, e);
	if (r < 0)
		return r;
	for (int what = 0; what < TW_N_GROUPS; what++)
		for (uint32_t i = 0, n = tw_count(m, tw_named_type(what)); i < n; i++)
			write_one(m, to, what, i, &out);
	r = buffer_finish(&out, ret);
	return r < 0 ? error_set(e, r, "no memory for the names of objects") : 0;
}

static bool take_line(const char *at, const char *end, struct line *ret)
{
	int what, number, position, begin = 0;

	/* Its own text, in a journal whose records are checked; and yet never trusted. */
	if (sscanf(at, "%d %d %d %n", &what, &number, &position, &begin) < 3 || begin == 0 ||
		at + begin > end || what < 0 || what >= TW_N_GROUPS)
		return false;
	*ret = (struct line){.what = what, .number = number, .position = position};
	ret->stem = at + begin;
	ret->n = (size_t)(end - ret->stem);
	return true;
}

static size_t count_lines(const struct bytes *text)
{
	size_t n = 0;

	for (size_t i = 0; i < text->size; i++)
		n += text->data[i] == '\n';
	return n;
}

static struct tw_legend *parse(const struct bytes *text)
{
	size_t room = count_lines(text);
	struct tw_legend *l = calloc(1, sizeof(*l) + room * sizeof(l->v[0]));
	const char *at, *end;
	uint8_t *copy;

	if (!l)
		return NULL;
	atomic_init(&l->refs, 1);
	l->text = bytes_new(text->size + 1, &copy);
	if (!l->text) {
		free(l);
		return NULL;
	}
	memcpy(copy, text->data, text->size);
	copy[text->size] = '\0';
	at = (const char *)l->text->data;
	for (size_t i = 0; i < room; i++, at = end + 1) {
		end = strchr(at, '\n');
		if (!end)
			break;
		l->n += take_line(at, end, &l->v[l->n]);
	}
	return l;
}

int tw_legend_read(struct snapshot **s, const struct bytes *text, struct error *e)
{
	struct tw_map *m = tw_map_copy(tw_map_of(*s));
	struct tw_legend *l = NULL;

	if (m && text && text->size)
		l = parse(text);
	if (!m || (text && text->size && !l)) {
		if (m)
			tw_map_free(&m->base);
		return error_set(e, -ENOMEM, "no memory for the names of objects");
	}
	tw_legend_unref(m->legend);
	m->legend = l;
	snapshot_unref(*s);
	*s = &m->base;
	return 0;
}

static int32_t meant(const struct tw_map *m, const struct line *l)
{
	return l->position < 0 ? -1 : tw_ref_of(m, l->what, (uint32_t)l->position);
}

int tw_legend_stem(
	const struct tw_map *m, enum tw_named what, const char *stem, size_t n, int32_t *ret)
{
	const struct tw_legend *l = m->legend;
	const struct line *found = NULL;

	/* Of several that were made by one name, the last. */
	for (size_t i = 0; l && i < l->n; i++)
		if (l->v[i].what == what && l->v[i].n == n && memcmp(l->v[i].stem, stem, n) == 0 &&
			(!found || l->v[i].position >= 0))
			found = &l->v[i];
	if (!found)
		return -ENOENT;
	*ret = meant(m, found);
	return 0;
}

int32_t tw_legend_number(const struct tw_map *m, enum tw_named what, int32_t number)
{
	const struct tw_legend *l = m->legend;

	for (size_t i = 0; l && i < l->n; i++)
		if (l->v[i].what == what && l->v[i].number == number)
			return meant(m, &l->v[i]);
	return number;
}

bool tw_legend_has(const struct tw_map *m, enum tw_named what, uint32_t position)
{
	const struct tw_legend *l = m->legend;

	for (size_t i = 0; l && i < l->n; i++)
		if (l->v[i].what == what && l->v[i].position == (int64_t)position)
			return true;
	return false;
}
