/* SPDX-License-Identifier: Zlib */
/* What the archive holds and no index of it lists: the game finds these files through an index. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "formats/torchlight/text/raw/rawindex.h"
#include "formats/torchlight/finalize/plan.h"

enum { INDEX_MAX = 256 << 20 };

static const struct {
	const char *below, *index;
} indexed[] = {
	{"MEDIA/UNITS/ITEMS/", "UNITDATA.RAW"},
	{"MEDIA/UNITS/MONSTERS/", "UNITDATA.RAW"},
	{"MEDIA/UNITS/PLAYERS/", "UNITDATA.RAW"},
	{"MEDIA/UNITS/PROPS/", "UNITDATA.RAW"},
	{"MEDIA/SKILLS/", "SKILLS.RAW"},
	{"MEDIA/AFFIXES/", "AFFIXES.RAW"},
	{"MEDIA/MISSILES/", "MISSILES.RAW"},
};

/* The paths that the indexes of one name list. */
struct listed {
	const char *index;
	struct buffer text; /* their tables */
	struct str *paths;  /* in text, sorted */
	size_t n, room;
	bool unknown; /* there is one that cannot be read */
};

static void listed_finish(struct listed *l)
{
	buffer_finish_free(&l->text);
	free(l->paths);
	*l = (struct listed){0};
}

static struct str next_cell(struct str *rest, char end)
{
	const char *at = memchr(rest->s, end, rest->n);
	struct str cell = {rest->s, at ? (size_t)(at - rest->s) : rest->n};
	size_t used = cell.n + (at ? 1 : 0);

	rest->s += used;
	rest->n -= used;
	return cell;
}

/* The path of each record: the cell below "file". */
static int take_paths(struct listed *l, struct str table)
{
	struct str line = next_cell(&table, '\n'), cell;
	unsigned column = 0;

	while (line.n && !str_equal(next_cell(&line, '\t'), STR("file")))
		column++;
	while (table.n) {
		line = next_cell(&table, '\n');
		for (unsigned i = 0; i <= column; i++)
			cell = next_cell(&line, '\t');
		if (!array_room(l->paths, l->n, l->room))
			return -ENOMEM;
		l->paths[l->n++] = cell;
	}
	return 0;
}

static int read_index(const struct finalizing *st, uint32_t handle, struct listed *l)
{
	CLEANUP(tl_content_unref) struct tl_content *c = NULL;
	CLEANUP(bytes_unref) struct bytes *raw = NULL;
	int r = tl_map_content(st->m, handle, &c, NULL);

	if (r == 0)
		r = tl_content_load(c, INDEX_MAX, &raw, NULL);
	if (r == 0)
		r = rawindex_decode(raw_kind_find(l->index), raw->data, raw->size, &l->text, NULL);
	l->unknown |= r < 0;
	return r == -ENOMEM ? r : 0;
}

static int compare(const void *a, const void *b)
{
	return str_compare_nocase(*(const struct str *)a, *(const struct str *)b);
}

/* Of several of the name the first, as the game does. */
static int find_index(const struct finalizing *st, struct listed *l)
{
	const struct tl_table *t = st->table;
	uint32_t i = 0;
	int r = 0;

	while (i < t->n_rows && (t->rows[i].handle == TL_NONE ||
					!str_equal_nocase(t->rows[i].name, str_of(l->index))))
		i++;
	if (i < t->n_rows)
		r = read_index(st, t->rows[i].handle, l);
	if (r == 0 && l->text.size)
		r = take_paths(l, (struct str){(const char *)l->text.data, l->text.size});
	if (l->n)
		qsort(l->paths, l->n, sizeof(*l->paths), compare);
	return r;
}

static bool is_listed(const struct listed *l, struct str path)
{
	return l->n && bsearch(&path, l->paths, l->n, sizeof(path), compare);
}

static bool is_data(struct str name)
{
	return name.n > 4 && str_equal_nocase((struct str){name.s + name.n - 4, 4}, STR(".DAT"));
}

/* Compiled data below a directory that the index does not list: how many; path is the first. */
static size_t count_missing(
	const struct finalizing *st, const struct listed *l, struct str below, struct buffer *path)
{
	CLEANUP_BUFFER struct buffer one = BUFFER_INIT;
	const struct tl_table *t = st->table;
	size_t n = 0;

	for (uint32_t i = 0; i < t->n_records; i++) {
		const struct tl_record *rec = &t->records[i];

		if (rec->path.n < below.n ||
			!str_equal_nocase((struct str){rec->path.s, below.n}, below))
			continue;
		for (uint32_t k = rec->first; k < rec->first + rec->n; k++) {
			one.size = 0;
			buffer_str(&one, rec->path);
			buffer_str(&one, t->rows[k].name);
			if (t->rows[k].handle == TL_NONE || !is_data(t->rows[k].name) ||
				one.error ||
				is_listed(l, (struct str){(const char *)one.data, one.size}))
				continue;
			if (!n++)
				buffer_append(path, one.data, one.size);
		}
	}
	return n;
}

void tl_finalize_say_missing(
	const struct finalizing *st, void (*say)(void *arg, const char *line), void *arg)
{
	struct listed l = {0};
	char line[600];

	for (size_t i = 0; i < sizeof(indexed) / sizeof(*indexed); i++) {
		CLEANUP_BUFFER struct buffer path = BUFFER_INIT;
		size_t n;

		if (!l.index || strcmp(l.index, indexed[i].index) != 0) {
			listed_finish(&l);
			l.index = indexed[i].index;
			if (find_index(st, &l) < 0)
				break;
		}
		n = l.unknown ? 0 : count_missing(st, &l, str_of(indexed[i].below), &path);
		if (!n)
			continue;
		buffer_byte(&path, 0);
		snprintf(line, sizeof(line),
			"%zu files below %s are not in %s (%.300s), so the game does not see them",
			n, indexed[i].below, indexed[i].index,
			path.error ? "" : (const char *)path.data);
		say(arg, line);
	}
	listed_finish(&l);
}
