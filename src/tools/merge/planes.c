/* SPDX-License-Identifier: Zlib */
/*
 * Merge the tables of one layer cell by cell. The tables are planes of the same cells: if both
 * sides changed a cell differently in one plane, all planes keep the cell of ours. So all tables
 * are read in parallel, line by line, and none is held in memory.
 */
#include <errno.h>
#include <string.h>

#include "base/array.h"
#include "base/disk/spool.h"
#include "codec/text/area.h"
#include "tools/join/seq_merge.h"
#include "tools/merge/content.h"
#include "tools/merge/file.h"

enum { X, Y, AXES, CELL_MAX = 16, BOTH = 7 };

/* One table. Cells are compared as text: they have one form and one width on all sides. */
struct plane {
	struct merge_node *x;
	bool both;                   /* both sides changed it differently */
	struct reader reader[SIDES]; /* all cells are 0 if the reader is zero */
	const char *row[SIDES];
	size_t cell;        /* bytes of one cell and its separator */
	struct spool *made; /* the result */
	struct area clash;  /* cells of theirs that the result lacks */
};

struct layer {
	struct merge *m;
	struct merge_node *dir;
	struct plane *at; /* tables that theirs changed; without a base, all */
	size_t n, room;
	struct plane *failed;           /* a table that cannot be read or is invalid */
	uint32_t of[AXES][SIDES];       /* width and height */
	uint32_t made[AXES], all[AXES]; /* size of the result; maximum of all sides */
	bool has_size_conflict; /* conflict of sizes, or a changed cell is outside the result */
	bool clash;
	uint8_t *cells; /* of one row: results of compare_cell, for all planes */
	struct buffer row;
	struct spool *mark; /* table of the conflicting cells; NULL if no mark is wanted */
};

/* Add a node as if theirs had added the file or directory. */
static struct merge_node *add_new_node(
	struct merge *m, struct merge_node *up, struct merge_item *in, const char *name, bool dir)
{
	struct merge_item *at[SIDES] = {[THEIRS] = item_new(in, name, dir)};

	return at[THEIRS] ? merged_new(m, up, at) : NULL;
}

/* Add a layer CONFLICT that marks the conflicting cells, behind this layer. */
static int mark_add(struct layer *l)
{
	struct merge *m = l->m;
	struct merge_node *x =
		add_new_node(m, l->dir->parent, l->dir->items[THEIRS]->parent, "CONFLICT", true);
	struct merge_node *file =
		x ? add_new_node(m, x, x->items[THEIRS], m->schema->mark_file, false) : NULL;
	struct merge_node *table =
		file ? add_new_node(m, x, x->items[THEIRS], m->schema->mark_table, false) : NULL;
	struct bytes *b = NULL;
	int r;

	if (!table)
		return -ENOMEM;
	x->items[THEIRS]->is_object = true;
	x->bare = "CONFLICT";
	x->predecessor = l->dir;
	buffer_printf(&l->row, "%s%u%s%u%s", m->schema->mark_text[0], l->made[X],
		m->schema->mark_text[1], l->made[Y], m->schema->mark_text[2]);
	r = buffer_finish(&l->row, &b);
	file->content = extent_of_bytes(b);
	if (r == 0)
		r = spool_extent(l->mark, &table->content, NULL);
	file->has_content = table->has_content = true;
	return r;
}

static void find_size(struct layer *l)
{
	for (int k = 0; k < AXES; k++) {
		const uint32_t *v = l->of[k];

		l->has_size_conflict |= v[OURS] != v[THEIRS] && v[THEIRS] != v[BASE] &&
					(v[OURS] != v[BASE] || !l->at->x->items[BASE]);
		l->made[k] = v[OURS] == v[BASE] ? v[THEIRS] : v[OURS];
		l->all[k] = v[OURS] > v[THEIRS] ? v[OURS] : v[THEIRS];
		l->all[k] = l->all[k] > v[BASE] ? l->all[k] : v[BASE];
	}
}

static int table_open(struct layer *l, struct plane *p, enum which w)
{
	/* A missing base counts as an empty table of the size of ours. */
	struct shape shape = {l->of[X][OURS], l->of[Y][OURS], p->cell};
	int r = p->x->items[w]
			? reader_open(&l->m->sides[w].tree, p->x->items[w]->path, &p->reader[w])
			: 1;

	if (r == 0)
		r = reader_grid(&p->reader[w], &shape);
	if (r <= 0)
		return r < 0 ? r : -ENOTSUP;
	reader_rewind(&p->reader[w]);
	if (p == l->at) {
		l->of[X][w] = (uint32_t)shape.width;
		l->of[Y][w] = (uint32_t)shape.height;
	}
	p->cell = p->cell ? p->cell : shape.cell;
	return shape.width == l->of[X][w] && shape.height == l->of[Y][w] && shape.cell == p->cell &&
			       p->cell <= CELL_MAX
		       ? 0
		       : -ENOTSUP;
}

static int create_spool(const struct layer *l, struct spool **ret)
{
	*ret = spool_create(l->m->sides[OURS].tree.vol->store.store.spool_dirfd);
	return *ret ? 0 : -ENOMEM;
}

static void layer_close(struct layer *l)
{
	for (size_t i = 0; i < l->n; i++) {
		struct plane *p = &l->at[i];

		for (int w = 0; w < SIDES; w++)
			reader_close(&p->reader[w]);
		spool_destroy(p->made);
		*p = (struct plane){.x = p->x, .both = p->both};
	}
	free(TAKE(l->cells));
	buffer_finish_free(&l->row);
	spool_destroy(TAKE(l->mark));
}

static int layer_open(struct layer *l)
{
	int r = 0;

	layer_close(l);
	for (struct plane *p = l->at; r == 0 && p < l->at + l->n; p++) {
		r = create_spool(l, &p->made);
		l->failed = p;
		for (int w = SIDES; r == 0 && w-- > 0;)
			r = table_open(l, p, (enum which)w);
	}
	if (r < 0)
		return r;
	l->failed = NULL;
	l->has_size_conflict = false;
	find_size(l);
	l->cells = calloc(l->all[X], sizeof(*l->cells));
	if (!l->cells)
		return -ENOMEM;
	return l->m->adds_mark && l->m->schema->mark_file ? create_spool(l, &l->mark) : 0;
}

static int next_row(struct layer *l, struct plane *p, uint32_t y)
{
	int r = 0;

	for (int w = 0; r == 0 && w < SIDES; w++) {
		size_t n;

		if (y >= l->of[Y][w] || !p->reader[w].t)
			continue;
		r = reader_line(&p->reader[w], &p->row[w], &n);
		r = r < 0 ? r : r && n + 1 == l->of[X][w] * p->cell ? 0 : -ENOTSUP;
	}
	l->failed = r < 0 ? p : NULL;
	return r;
}

static struct span zero(const struct plane *p)
{
	static const char padded[CELL_MAX] = "              0";

	return (struct span){padded + CELL_MAX - p->cell, p->cell - 1};
}

/* Get the cell at x, y on each side; `at` is NULL outside the table. */
static void get_cells(const struct layer *l, const struct plane *p, uint32_t x, uint32_t y,
	struct span ret[SIDES])
{
	for (int w = 0; w < SIDES; w++)
		if (x >= l->of[X][w] || y >= l->of[Y][w])
			ret[w] = (struct span){0};
		else if (p->reader[w].t)
			ret[w] = (struct span){p->row[w] + x * p->cell, p->cell - 1};
		else
			ret[w] = zero(p);
}

/* Bits: ours changed the cell, theirs changed it, ours and theirs differ. BOTH: all three bits. If
 * the plane has no base, the bits of all planes are combined: ours may have removed its flags. */
static uint8_t compare_cell(const struct plane *p, const struct span v[SIDES])
{
	uint8_t found = (span_same(v[OURS], v[BASE]) ? 0 : 1) |
			(span_same(v[THEIRS], v[BASE]) ? 0 : 2) |
			(span_same(v[OURS], v[THEIRS]) ? 0 : 4);

	return p->x->items[BASE] && found != BOTH ? 0 : found;
}

/* Add the cells of a row that both sides changed to l->cells. Sets l->has_size_conflict if one side
 * changed a cell that the other one cut off. */
static void compare_row(struct layer *l, const struct plane *p, uint32_t y)
{
	for (uint32_t x = 0; x < l->all[X]; x++) {
		struct span v[SIDES];

		get_cells(l, p, x, y, v);
		if (x < l->made[X] && y < l->made[Y])
			l->cells[x] |= compare_cell(p, v);
		else
			l->has_size_conflict |= (v[OURS].at && !span_same(v[OURS], v[BASE])) ||
						(v[THEIRS].at && !span_same(v[THEIRS], v[BASE]));
	}
}

static void add_cell(struct layer *l, uint32_t x, struct span cell)
{
	buffer_append(&l->row, cell.at, cell.n);
	buffer_byte(&l->row, x + 1 < l->made[X] ? ',' : '\n');
}

static int write_row(struct layer *l, struct spool *to)
{
	int r = l->row.error ? l->row.error : spool_append(to, l->row.data, l->row.size, NULL);

	l->row.size = 0;
	return r;
}

/* Write a row of the result. A cell that neither side has is 0. */
static int join_row(struct layer *l, struct plane *p, uint32_t y)
{
	for (uint32_t x = 0; x < l->made[X]; x++) {
		struct span v[SIDES], is;

		get_cells(l, p, x, y, v);
		if (l->cells[x] == BOTH && !span_same(v[THEIRS], v[OURS]) &&
			(!p->x->items[BASE] || !span_same(v[THEIRS], v[BASE])))
			area_add(&p->clash, x, y);
		is = l->cells[x] != BOTH && span_pick(v) == THEIRS ? v[THEIRS] : v[OURS];
		add_cell(l, x, is.at ? is : v[THEIRS].at ? v[THEIRS] : zero(p));
	}
	return write_row(l, p->made);
}

static int join_tables(struct layer *l)
{
	struct plane *end = l->at + l->n;
	int r = layer_open(l);

	for (uint32_t y = 0; r == 0 && y < l->all[Y]; y++) {
		memset(l->cells, 0, l->all[X] * sizeof(*l->cells));
		for (struct plane *p = l->at; r == 0 && p < end; p++) {
			r = next_row(l, p, y);
			if (r == 0)
				compare_row(l, p, y);
		}
		if (y >= l->made[Y])
			continue;
		for (struct plane *p = l->at; r == 0 && p < end; p++)
			r = join_row(l, p, y);
		for (uint32_t x = 0; l->mark && x < l->made[X]; x++)
			add_cell(l, x, (struct span){l->cells[x] == BOTH ? "1" : "0", 1});
		if (r == 0 && l->mark)
			r = write_row(l, l->mark);
	}
	return r;
}

static int take_result(struct layer *l, struct plane *p)
{
	const struct area *c = &p->clash;
	struct merge_node *x = p->x;
	int r = spool_extent(p->made, &x->content, NULL);

	x->has_content = x->is_decided = r == 0;
	if (r < 0 || !c->n)
		return r;
	l->clash = true;
	return conflict_add(l->m, x, true, "changed by both: %ju %s, %s", (uintmax_t)c->n,
		c->n == 1 ? "cell" : "cells", area_text(*c).text);
}

/* Keep all tables of ours, and add a conflict for each one that theirs changed. */
static int keep_all(struct layer *l)
{
	int r = 0;

	for (size_t i = 0; r >= 0 && i < l->dir->n; i++) {
		struct merge_node *x = l->dir->children[i];

		if (!x->items[OURS] || !x->items[THEIRS] || merged_item(x)->is_dir)
			continue;
		r = file_changed_side(l->m, x);
		x->is_decided = true;
		if (r == THEIRS || r == SIDES)
			r = conflict_add(
				l->m, x, true, "changed by both, and the layer was resized");
	}
	return r < 0 ? r : 0;
}

/* Find the tables to merge. Returns 1 if both sides changed one, otherwise 0, or -errno. */
static int find_planes(struct layer *l)
{
	bool any = false;

	for (size_t i = 0; i < l->dir->n; i++) {
		struct merge_node *x = l->dir->children[i];
		int r;

		if (!x->items[OURS] || !x->items[THEIRS] || merged_item(x)->is_dir ||
			merged_item(x)->is_object || strcmp(x->items[OURS]->ending, ".csv") != 0)
			continue;
		r = file_changed_side(l->m, x);
		if (r < 0)
			return r;
		if (r == OURS && x->items[BASE])
			continue;
		if (!array_reserve(l->at, l->n, l->room))
			return -ENOMEM;
		l->at[l->n++] = (struct plane){.x = x, .both = r == SIDES};
		any |= r == SIDES;
	}
	return any;
}

static int decide_layer(struct layer *l)
{
	int r;

	/* A table that fails and that only theirs changed is left to file_decide. */
	while ((r = join_tables(l)) < 0 && r != -ENOMEM && l->failed && !l->failed->both) {
		layer_close(l);
		*l->failed = l->at[--l->n];
	}
	if (r < 0)
		return l->failed && r != -ENOMEM ? 0 : r;
	if (l->has_size_conflict)
		return keep_all(l);
	for (size_t i = 0; r == 0 && i < l->n; i++)
		r = take_result(l, &l->at[i]);
	return r == 0 && l->clash && l->mark ? mark_add(l) : r;
}

int file_decide_planes(struct merge *m, struct merge_node *dir)
{
	struct layer l = {.m = m, .dir = dir};
	int r = find_planes(&l);

	if (r > 0)
		r = merged_is_ambiguous(dir) ? 0 : decide_layer(&l);
	layer_close(&l);
	free(l.at);
	return r;
}
