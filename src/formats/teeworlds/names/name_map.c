/* SPDX-License-Identifier: Zlib */
#include "formats/teeworlds/names/name_map.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* A name of an object: a line "SORT NUMBER POSITION STEM". */
struct line {
	enum tw_sort sort;
	int32_t number;   /* in the writing mount; TW_MADE and more: it was made there */
	int32_t position; /* in the saved map; -1: it is not in it */
	size_t n;
	const char *stem; /* in the text */
};

struct name_map {
	struct tw_kept kept;
	size_t n;
	struct bytes *text;
	struct line v[];
};

static const struct name_map *name_map_of(const struct tw_map *m)
{
	return (const struct name_map *)m->name_map;
}

static void free_name_map(struct tw_kept *k)
{
	bytes_unref(((struct name_map *)k)->text);
	free(k);
}

static bool take_line(const char *at, const char *end, struct line *ret)
{
	int sort, number, position, begin = 0;

	/* Its own text, in a journal whose records are checked; and yet never trusted. */
	if (sscanf(at, "%d %d %d %n", &sort, &number, &position, &begin) < 3 || begin == 0 ||
		at + begin > end || sort < 0 || sort >= TW_SORT_GROUP)
		return false;
	*ret = (struct line){.sort = (enum tw_sort)sort, .number = number, .position = position};
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

static struct name_map *parse(const struct bytes *text)
{
	size_t room = count_lines(text);
	struct name_map *l = calloc(1, sizeof(*l) + room * sizeof(l->v[0]));
	const char *at, *end;
	uint8_t *copy;

	if (!l)
		return NULL;
	l->kept.free = free_name_map;
	atomic_init(&l->kept.refs, 1);
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

int tw_name_map_read(struct snapshot **s, const struct bytes *text, struct error *e)
{
	bool any = text && text->size;
	struct name_map *l = any ? parse(text) : NULL;
	struct tw_map *m = tw_map_copy(tw_map_of(*s));

	if (!m || (any && !l)) {
		if (m)
			snapshot_unref(&m->base);
		tw_kept_unref(l ? &l->kept : NULL);
		return error_set(e, -ENOMEM, "no memory for the names of objects");
	}
	tw_kept_unref(m->name_map);
	m->name_map = l ? &l->kept : NULL;
	snapshot_unref(*s);
	*s = &m->base;
	return 0;
}

bool tw_name_map_stem(
	const struct tw_map *m, enum tw_sort sort, const char *stem, size_t n, int64_t *ret)
{
	const struct name_map *l = name_map_of(m);
	const struct line *found = NULL;

	/* Of several that were made by one name, the last. */
	for (size_t i = 0; l && i < l->n; i++)
		if (l->v[i].sort == sort && l->v[i].n == n && memcmp(l->v[i].stem, stem, n) == 0 &&
			(!found || l->v[i].position >= 0))
			found = &l->v[i];
	if (found)
		*ret = found->position;
	return found != NULL;
}

bool tw_name_map_number(const struct tw_map *m, enum tw_sort sort, int32_t number, int64_t *ret)
{
	const struct name_map *l = name_map_of(m);

	for (size_t i = 0; l && i < l->n; i++)
		if (l->v[i].sort == sort && l->v[i].number == number) {
			*ret = l->v[i].position;
			return true;
		}
	return false;
}

bool tw_name_map_has(const struct tw_map *m, enum tw_sort sort, uint32_t position)
{
	const struct name_map *l = name_map_of(m);

	for (size_t i = 0; l && i < l->n; i++)
		if (l->v[i].sort == sort && l->v[i].position == (int64_t)position)
			return true;
	return false;
}
