/* SPDX-License-Identifier: Zlib */
#include "tools/diff/page.h"

#include <errno.h>
#include <fnmatch.h>
#include <string.h>

#include "base/print.h"

enum { ENTRIES_OPEN = 20 /* a longer list is folded */ };

void page_finish(struct page *p)
{
	places_finish(&p->seen);
	places_finish(&p->played);
	for (int i = 0; i < REVIEW_PARTS_MAX; i++)
		buffer_finish_free(&p->parts[i].text);
}

/*
 * Append a name as a code span, which disables Markdown. Escapes are not enough, because GitHub
 * turns "www.e.io" and "a@b.c" into links after it resolved them. The fence is longer than any run
 * of backticks in the name. GitHub does not show a space next to the fence.
 */
static void add_name(struct buffer *out, const char *name)
{
	CLEANUP_BUFFER struct buffer seen = BUFFER_INIT;
	size_t run = 0, fence = 1;
	const char *pad;

	append_escaped(name, strlen(name), &seen);
	for (size_t i = 0; i < seen.size; i++) {
		run = seen.data[i] == '`' ? run + 1 : 0;
		fence = run >= fence ? run + 1 : fence;
	}
	pad = seen.size && strchr("` ", seen.data[0]) == NULL &&
			      strchr("` ", seen.data[seen.size - 1]) == NULL
		      ? ""
		      : " ";
	for (size_t i = 0; i < fence; i++)
		buffer_byte(out, '`');
	buffer_text(out, pad);
	buffer_append(out, seen.data, seen.size);
	buffer_text(out, pad);
	for (size_t i = 0; i < fence; i++)
		buffer_byte(out, '`');
	out->error = out->error ? out->error : seen.error;
}

static void add_picture(struct differences *d, struct buffer *out, const char *name)
{
	buffer_printf(out, "![before and after](<%s/%s>)\n", d->images_name, name);
}

/* Append the lines of a text between fences. No line can end the block, because each begins with a
 * mark or a space, and a fence indented by more than three spaces is none. */
static void add_fenced(struct buffer *out, const struct buffer *text)
{
	CLEANUP_BUFFER struct buffer seen = BUFFER_INIT;
	bool begin = true;

	append_escaped(text->data, text->size, &seen);
	buffer_text(out, "     ```diff\n");
	for (size_t i = 0; i < seen.size; i++) {
		buffer_text(out, begin ? "     " : "");
		buffer_byte(out, seen.data[i]);
		begin = seen.data[i] == '\n';
	}
	buffer_text(out, "     ```\n");
	out->error = out->error ? out->error : seen.error;
}

static const struct review_part *parts_of(const struct differences *d)
{
	static const struct review_part files[] = {{"Files", "*"}, {NULL, NULL}};
	const struct review_tool *review = differences_review(d);

	return review ? review->parts : files;
}

static struct part *part_of(struct differences *d, const char *path)
{
	const struct review_part *parts = parts_of(d);
	int i = 0;

	while (parts[i + 1].heading && fnmatch(parts[i].paths, path, 0) != 0)
		i++;
	return &d->page->parts[i];
}

/* Append how a file changed: behind its name if that is one line, otherwise folded. */
static int add_detail(struct differences *d, const struct difference *x, struct buffer *out)
{
	CLEANUP_BUFFER struct buffer detail = BUFFER_INIT;
	int r = difference_detail(d, x, &detail);

	if (r < 0 || detail.error)
		return r < 0 ? r : detail.error;
	if (detail.size &&
		memchr(detail.data, '\n', detail.size) == detail.data + detail.size - 1) {
		buffer_text(out, ": ");
		buffer_append(out, detail.data + 1, detail.size - 1);
		return 0;
	}
	buffer_text(out, "\n  <details><summary>Details</summary>\n\n");
	add_fenced(out, &detail);
	buffer_text(out, "\n  </details>\n\n");
	return 0;
}

/* Append the counts n[] of the first `kinds` kinds of differences. */
static void add_counts(struct buffer *out, const char *before, const uint64_t *n, int kinds)
{
	for (int i = 0; i < kinds; i++)
		if (n[i]) {
			buffer_printf(
				out, "%s%ju %s", before, (uintmax_t)n[i], difference_words[i]);
			before = ", ";
		}
}

static void add_tile(
	struct differences *d, struct buffer *out, const char *kind, const struct review_tile *t)
{
	const char *name = differences_review(d)->name(kind, t->id);

	buffer_printf(out, "%s (%d)", name ? name : "unknown", t->id);
	if (t->number)
		buffer_printf(out, " %d", t->number);
}

static void add_row(
	struct differences *d, struct buffer *out, const char *kind, const struct layer_row *row)
{
	const struct review_cell *c = &row->first;
	const char *before = ": ";

	buffer_printf(out, "  | %s | ", difference_words[c->mark]);
	if (c->mark != REVIEW_ADDED)
		add_tile(d, out, kind, &c->before);
	if (c->mark == REVIEW_CHANGED)
		buffer_text(out, " → ");
	if (c->mark != REVIEW_REMOVED)
		add_tile(d, out, kind, &c->after);
	for (unsigned i = 1; c->mark == REVIEW_CHANGED && c->fields >> i; i++)
		if (c->fields >> i & 1) {
			buffer_printf(out, "%s%s", before, differences_review(d)->fields[i]);
			before = ", ";
		}
	buffer_printf(out, " | %ju | %s |\n", (uintmax_t)row->area.n, area_text(row->area).text);
}

static void add_rows(struct differences *d, struct buffer *out, const struct layer *l)
{
	buffer_text(out, "\n  | | tile | count | where |\n  | --- | --- | ---: | --- |\n");
	for (size_t i = 0; i < l->n_rows; i++)
		add_row(d, out, l->kind, &l->rows[i]);
	if (l->rest)
		buffer_printf(out, "\n  %ju more tiles of other kinds.\n", (uintmax_t)l->rest);
	buffer_byte(out, '\n');
}

/* Add a layer to its part of the page, and count it as `kind`. DIFFERENCE_KINDS: page_print counts
 * it.
 */
static void add_layer(struct differences *d, const struct layer *l, enum difference_kind kind)
{
	struct part *part = &d->page->parts[l->kind ? 0 : 1];
	struct buffer *out = &part->text;

	buffer_printf(out, "- %s tiles of ", l->kind ? l->kind : "design");
	add_name(out, l->item->path);
	add_counts(out, ": ", l->n, REVIEW_MARKS);
	buffer_printf(out, "; %s\n", area_text(l->area).text);
	if (kind < DIFFERENCE_KINDS)
		part->n[kind]++;
	part->length += 1 + l->n_rows;
	for (int k = 0; l->kind && k < REVIEW_MARKS; k++)
		d->page->tiles[k] += l->n[k];
	if (l->kind)
		add_rows(d, out, l);
}

/* Are two changes equal, apart from their position? */
static bool is_alike(const struct review_cell *a, const struct review_cell *b)
{
	return a->mark == b->mark && a->fields == b->fields && a->before.id == b->before.id &&
	       a->after.id == b->after.id && a->before.number == b->before.number &&
	       a->after.number == b->after.number;
}

static void count_cell(struct layer *l, const struct review_cell *c)
{
	size_t i = 0;

	while (i < l->n_rows && !is_alike(&l->rows[i].first, c))
		i++;
	if (i == LAYER_ROWS_MAX) {
		l->rest++;
		return;
	}
	if (i == l->n_rows)
		l->rows[l->n_rows++] = (struct layer_row){.first = *c};
	area_add(&l->rows[i].area, c->x, c->y);
}

static void add_cell(void *arg, const struct review_cell *c)
{
	struct differences *d = arg;
	struct layer *l = &d->page->layer;

	if (d->images >= 0)
		places_add(l->kind ? &d->page->played : &d->page->seen, c);
	l->n[c->mark]++;
	area_add(&l->area, c->x, c->y);
	if (l->kind)
		count_cell(l, c);
}

/* Find the layer of tiles of an item. ENTRY_ROOT if the item is none, or NULL. */
static entry_id find_layer(struct differences *d, const struct merge_item *i, const char **ret_kind)
{
	struct offline *t = i ? &d->m.sides[i->side].tree : NULL;
	struct offline_file a;

	if (!i || !i->is_dir || offline_find(t, i->path, &a) < 0 ||
		!differences_review(d)->layer(t->vol->base, a.dentry.id, ret_kind))
		return ENTRY_ROOT;
	return a.dentry.id;
}

static void look_at_layer(struct differences *d, const struct merge_item *before,
	const struct merge_item *after, enum difference_kind kind)
{
	struct layer *l = &d->page->layer;
	entry_id x, y;
	int r;

	memset(l, 0, sizeof(*l));
	l->item = after ? after : before;
	x = find_layer(d, before, &l->kind);
	y = find_layer(d, after, &l->kind);
	if (x == ENTRY_ROOT && y == ENTRY_ROOT)
		return;
	r = differences_review(d)->cells(d->m.sides[BASE].tree.vol->base, x,
		d->m.sides[OURS].tree.vol->base, y, add_cell, d, NULL);
	if (r < 0)
		differences_fail(d, l->item, r);
	if (l->area.n)
		add_layer(d, l, kind);
}

/* Add all layers of a directory that only one map has. kind: how to count the directory itself. */
static void look_at_layers_below(
	struct differences *d, const struct merge_item *i, enum difference_kind kind)
{
	bool removed = i->side == BASE;

	look_at_layer(d, removed ? i : NULL, removed ? NULL : i, kind);
	for (size_t k = 0; k < i->n; k++)
		if (i->children[k]->is_dir)
			look_at_layers_below(
				d, i->children[k], removed ? DIFFERENCE_REMOVED : DIFFERENCE_ADDED);
}

void page_look(struct differences *d, struct difference *x)
{
	const struct merge_item *i = difference_item(x), *dir = i->is_dir ? i : i->parent;
	const char *dot = strrchr(i->path, '.');
	const struct merge_node *of = dir->node;
	bool is_layer;

	if (!differences_review(d))
		return;
	is_layer = find_layer(d, dir, &x->played) != ENTRY_ROOT;
	x->table = is_layer && !i->is_dir && dot && strcmp(dot, ".csv") == 0;
	if (i->is_dir && (!x->before || !x->after)) {
		look_at_layers_below(d, i, DIFFERENCE_KINDS);
	} else if (is_layer && !i->is_dir && of != d->page->last) {
		d->page->last = of;
		look_at_layer(d, of->items[BASE], of->items[OURS], DIFFERENCE_CHANGED);
	}
}

int page_print(struct differences *d, const struct difference *x)
{
	const struct merge_item *i = difference_item(x);
	struct part *part = x->played ? &d->page->parts[0] : part_of(d, i->path);
	struct buffer *out = &part->text;
	int r = 0;

	if (x->table && x->x)
		return 0;
	part->n[x->kind]++;
	part->length++;
	buffer_printf(out, "- %s ", difference_words[x->kind]);
	if (x->kind == DIFFERENCE_MOVED || x->kind == DIFFERENCE_RENAMED) {
		add_name(out, x->before->path);
		buffer_text(out, " → ");
	}
	add_name(out, i->path);
	if (x->x && !d->is_brief)
		r = add_detail(d, x, out);
	else
		buffer_byte(out, '\n');
	if (x->picture) {
		buffer_text(out, "\n  ");
		add_picture(d, out, x->picture);
	}
	return r < 0 ? r : out->error;
}

static void add_shown(struct differences *d, const struct area *at, const char *name)
{
	buffer_printf(&d->out, "Tiles: %ju, %s\n\n", (uintmax_t)at->n, area_text(*at).text);
	add_picture(d, &d->out, name);
	buffer_byte(&d->out, '\n');
}

static int add_places(struct differences *d, struct places *p, bool played)
{
	size_t left;
	int r = pictures_of_places(d, p, played, add_shown, &left);

	if (left)
		buffer_printf(&d->out, "Places without a picture: %zu.\n\n", left);
	if (p->is_incomplete)
		buffer_text(&d->out, "Not all changed tiles are marked.\n\n");
	return r;
}

static void add_part(struct differences *d, const char *heading, const struct part *part)
{
	bool folded = part->length > ENTRIES_OPEN;

	d->out.error = d->out.error ? d->out.error : part->text.error;
	if (!part->length)
		return;
	buffer_printf(&d->out, "\n### %s", heading);
	add_counts(&d->out, " (", part->n, DIFFERENCE_KINDS);
	buffer_text(&d->out, folded ? ")\n\n<details><summary>Show all</summary>\n\n" : ")\n\n");
	buffer_append(&d->out, part->text.data, part->text.size);
	buffer_text(&d->out, folded ? "\n</details>\n\n" : "\n");
}

/* Append a summary: did anything change that the game plays with? */
static void add_answer(struct differences *d)
{
	const struct page *p = d->page;

	if (d->has_errors)
		buffer_text(&d->out, "**Some files could not be compared.**\n\n");
	else if (!d->has_differences)
		buffer_text(&d->out, "No differences.\n");
	else if (differences_review(d) && !p->parts[0].length)
		buffer_text(&d->out, "**The gameplay is unchanged**: no tile of a physics layer "
				     "and no setting changed.\n");
	if (!differences_review(d) || !p->parts[0].length)
		return;
	buffer_text(&d->out, "**The gameplay changed**");
	add_counts(&d->out, ": tiles: ", p->tiles, REVIEW_MARKS);
	buffer_text(&d->out, ".\n");
}

int page_end(struct differences *d, const char *title)
{
	const struct review_part *parts = parts_of(d);
	const char *slash = strrchr(title, '/');
	int r = 0;

	buffer_text(&d->out, "## ");
	add_name(&d->out, slash ? slash + 1 : title);
	buffer_text(&d->out, "\n\n");
	add_answer(d);
	for (int i = 0; r == 0 && parts[i].heading; i++) {
		add_part(d, parts[i].heading, &d->page->parts[i]);
		if (d->images >= 0 && i < 2)
			r = add_places(d, i ? &d->page->seen : &d->page->played, !i);
	}
	return r < 0 ? r : d->out.error;
}
