/* SPDX-License-Identifier: Zlib */
/* name_map_write: the name map of a mount whose map was saved, for the journal. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "formats/teeworlds/names/name_map.h"
#include "formats/teeworlds/names/reference.h"
#include "formats/teeworlds/names/shown.h"

/* The stem by which a mount of the finalized map will show the object; its length, or 0. */
static size_t shown_stem(
	const struct tw_map *finalized, enum tw_sort sort, uint32_t at, char dst[NAME_MAX + 1])
{
	if (tw_shown_as(&finalized->base, tw_id(tw_sorts[sort].kind, at, 0), dst) < 0)
		return 0;
	return tw_stem_length(sort, dst, NULL);
}

/* The stem under which the object was placed, where the mount that wrote takes it for the object's
 * too; its length, or 0. */
static size_t placed_stem(const struct tw_map *m, const struct tw_map *finalized, enum tw_sort sort,
	uint32_t at, char dst[NAME_MAX + 1])
{
	const struct tw_type *t = tw_type(m, tw_sort_type(sort));
	const struct bytes *placed = finalized->items[t->items[at]].placed;
	int32_t other;
	size_t n;

	if (!placed || placed->size > NAME_MAX)
		return 0;
	memcpy(dst, placed->data, placed->size);
	dst[placed->size] = '\0';
	n = tw_stem_length(sort, dst, NULL);
	if (tw_ref_find(m, sort, dst, n, false, 0, &other) == 0 && other != tw_ref_of(m, sort, at))
		return 0;
	return n;
}

/* A stem holds no line feed: that is written %0A. */
static void write_line(enum tw_sort sort, int32_t ref, int64_t position, const char *stem, size_t n,
	struct buffer *out)
{
	char line[NAME_MAX + 64];
	int length = snprintf(line, sizeof(line), "%d %d %d %.*s\n", (int)sort, (int)ref,
		(int)position, (int)n, stem);

	buffer_append(out, line, (size_t)length);
}

static void write_one(const struct tw_map *m, const struct tw_map *finalized, enum tw_sort sort,
	uint32_t at, struct buffer *out)
{
	int64_t position = tw_position_after(finalized, tw_sort_type(sort), at);
	int32_t ref = tw_ref_of(m, sort, at);
	char stem[NAME_MAX + 1], shown[NAME_MAX + 1], placed[NAME_MAX + 1];
	size_t n = tw_ref_stem(m, sort, ref, stem), k = 0, n_placed = 0;

	if (position >= 0) {
		k = shown_stem(finalized, sort, at, shown);
		n_placed = placed_stem(m, finalized, sort, at, placed);
	}
	if (position == ref && k == n && memcmp(stem, shown, n) == 0 && !n_placed)
		return;
	write_line(sort, ref, position, stem, n, out);
	if (n_placed)
		write_line(sort, ref, position, placed, n_placed, out);
}

int tw_name_map_write(const struct snapshot *s, const struct snapshot *finalized,
	struct bytes **ret, struct error *e)
{
	const struct tw_map *m = tw_map_of(s), *to = tw_map_of(finalized);
	CLEANUP_BUFFER struct buffer out = BUFFER_INIT;
	int r;

	for (enum tw_sort sort = 0; sort < TW_SORT_GROUP; sort++)
		for (uint32_t i = 0, n = tw_count(m, tw_sort_type(sort)); i < n; i++)
			write_one(m, to, sort, i, &out);
	r = buffer_finish(&out, ret);
	return r < 0 ? error_set(e, r, "no memory for the names of objects") : 0;
}
