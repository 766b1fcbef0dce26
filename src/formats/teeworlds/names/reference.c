/* SPDX-License-Identifier: Zlib */
#include "formats/teeworlds/names/reference.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "codec/text/text.h"
#include "formats/teeworlds/model/fields.h"
#include "formats/teeworlds/names/parse.h"
#include "formats/teeworlds/names/situation.h"

int tw_ref_position(const struct tw_map *m, enum tw_sort sort, int32_t ref, uint32_t *ret)
{
	uint32_t mounted = tw_count_mounted(m, tw_sort_type(sort));
	int64_t made = (int64_t)ref - TW_MADE;

	if (ref >= 0 && (uint32_t)ref < mounted)
		*ret = (uint32_t)ref;
	else if (made >= 0 && made < tw_count(m, tw_sort_type(sort)) - mounted)
		*ret = mounted + (uint32_t)made;
	else
		return -ENOENT;
	return 0;
}

int32_t tw_ref_of(const struct tw_map *m, enum tw_sort sort, uint32_t position)
{
	uint32_t mounted = tw_count_mounted(m, tw_sort_type(sort));

	return position < mounted ? (int32_t)position
				  : (int32_t)(TW_MADE + (int64_t)(position - mounted));
}

size_t tw_ref_stem(const struct tw_map *m, enum tw_sort sort, int32_t ref, char dst[NAME_MAX + 1])
{
	const struct tw_item *it;
	uint32_t position;

	if (tw_ref_position(m, sort, ref, &position) < 0)
		return 0;
	it = tw_item_at(m, tw_sort_type(sort), position);
	if (!it->made)
		return position < tw_names(m, sort)->n ? tw_mounted_stem(m, sort, 0, position, dst)
						       : 0;
	memcpy(dst, it->made->data, it->made->size);
	return it->made->size;
}

static int find_made(
	const struct tw_map *m, enum tw_sort sort, const char *stem, size_t n, uint32_t *ret)
{
	const struct tw_type *t = tw_type(m, tw_sort_type(sort));

	/* Of several that were made by that name, the last: the others are gone. */
	for (uint32_t i = t ? t->n : 0; i > 0; i--) {
		const struct bytes *made = m->items[t->items[i - 1]].made;

		if (!made)
			break;
		if (made->size == n && memcmp(made->data, stem, n) == 0 &&
			!tw_situation_gone(m, sort, i - 1)) {
			*ret = i - 1;
			return 0;
		}
	}
	return -ENOENT;
}

/* An envelope without a name is bound by its number alone, so it has to be one that fits; but one
 * that is new itself was copied along with what names it. */
static bool fits(const struct tw_map *m, enum tw_sort sort, uint32_t position, int channels)
{
	const struct tw_item *it = tw_item_at(m, tw_sort_type(sort), position);

	if (sort != TW_SORT_ENVELOPE || channels == 0 || it->made ||
		tw_names(m, sort)->v[position].size > 0)
		return true;
	return tw_int(it, TW_ENV_CHANNELS, 0) == channels;
}

static int find(
	const struct tw_map *m, enum tw_sort sort, const char *stem, size_t n, uint32_t *ret)
{
	if (tw_mounted_find(m, sort, 0, stem, n, ret) == 0 && !tw_situation_gone(m, sort, *ret))
		return 0;
	/* One that was moved may have taken the place of one that was made. */
	if (m->situation && tw_situation_exact(m, sort, stem, n, ret) == 0)
		return 0;
	return find_made(m, sort, stem, n, ret);
}

/* What a name means that stands without its number; at the save, also with another one. */
static size_t find_named(const struct tw_map *m, enum tw_sort sort, const char *stem, size_t n,
	uint32_t *ret, size_t room)
{
	char name[NAME_MAX + 1];
	struct tw_numbered parsed;
	size_t found;

	if (n > NAME_MAX)
		return 0;
	found = tw_situation_named(m, sort, name, name_unescape(stem, n, name), ret, room);
	if (!found && tw_situation_last(m) && tw_numbered_parse(sort, stem, n, &parsed, NULL) == 0)
		found = tw_situation_named(m, sort, parsed.name, parsed.n, ret, room);
	return found;
}

/* What stood there at the mount, where nothing does any more: a reference to what is gone. */
static bool find_gone(
	const struct tw_map *m, enum tw_sort sort, const char *stem, size_t n, uint32_t *ret)
{
	return tw_mounted_find(m, sort, 0, stem, n, ret) == 0 && tw_situation_gone(m, sort, *ret);
}

int tw_ref_find(const struct tw_map *m, enum tw_sort sort, const char *stem, size_t n, bool in_new,
	int channels, int32_t *ret)
{
	uint32_t position;
	size_t found;
	int r;

	r = find(m, sort, stem, n, &position);
	if (r == 0 && in_new && !fits(m, sort, position, channels))
		r = -ENOENT;
	if (r < 0 && in_new && !tw_situation_last(m))
		return -EAGAIN;
	found = r == 0 || find_gone(m, sort, stem, n, &position);
	if (!found)
		found = find_named(m, sort, stem, n, &position, 1);
	if (found != 1)
		return found ? -ENOTUNIQ : -ENOENT;
	*ret = tw_ref_of(m, sort, position);
	return 0;
}

void tw_ref_list(const struct tw_map *m, enum tw_sort sort, const char *name, size_t n,
	char dst[TW_REF_LIST_MAX])
{
	enum { LISTED = 4 };
	uint32_t at[LISTED];
	size_t found = find_named(m, sort, name, n, at, LISTED), len = 0;
	char stem[NAME_MAX + 1];

	for (size_t i = 0; i < found && i < LISTED && len < TW_REF_LIST_MAX; i++) {
		stem[tw_ref_stem(m, sort, tw_ref_of(m, sort, at[i]), stem)] = '\0';
		len += (size_t)snprintf(
			dst + len, TW_REF_LIST_MAX - len, "%s%s", i ? ", " : "", stem);
	}
	if (found > LISTED && len < TW_REF_LIST_MAX)
		snprintf(dst + len, TW_REF_LIST_MAX - len, " and %zu more", found - LISTED);
}
