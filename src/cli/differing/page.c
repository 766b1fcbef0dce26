/* SPDX-License-Identifier: Zlib */
#include "cli/differing/page.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/say.h"
#include "cli/differing/pictures.h"

enum { PARTS_MAX = 8, ENTRIES_OPEN = 20 /* of a list that is not folded */ };

/* The first is what the game plays with, the last what no heading is for. */
struct page {
	struct part {
		struct buffer tables, entries, pictures;
		size_t n[DIFFERENCE_KINDS];
	} parts[PARTS_MAX + 2];
	struct part *seen;            /* that of layers that are only seen; NULL: none changed */
	struct part *shown;           /* that of the pictures that are drawn */
	uint64_t tiles[REVIEW_MARKS]; /* that the game plays with */
};

static const char *const marks[REVIEW_MARKS] = {"added", "removed", "changed"};

struct page *page_create(void)
{
	return calloc(1, sizeof(struct page));
}

void page_destroy(struct page *p)
{
	for (int i = 0; p && i < PARTS_MAX + 2; i++) {
		buffer_finish_free(&p->parts[i].tables);
		buffer_finish_free(&p->parts[i].entries);
		buffer_finish_free(&p->parts[i].pictures);
	}
	free(p);
}

static bool is_word(uint8_t c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* A name as code, in which nothing means anything: of ASCII little more than words stands as it is.
 * What follows a word without a blank begins nothing, if it is "_". */
static void add_name(struct buffer *out, const char *name)
{
	CLEANUP_BUFFER struct buffer seen = BUFFER_INIT;

	visible(name, strlen(name), &seen);
	buffer_text(out, "<code>");
	for (size_t i = 0; i < seen.size; i++) {
		uint8_t c = seen.data[i];
		bool plain = is_word(c) || c >= 0x80 || c == '/' || c == '.' || c == '-' ||
			     c == ' ' || (c == '_' && i && is_word(seen.data[i - 1]));

		buffer_printf(out, plain ? "%c" : "&#%u;", c);
	}
	buffer_text(out, "</code>");
	out->error = out->error ? out->error : seen.error;
}

/* As a part of an address. */
static void add_address(struct buffer *out, const char *path)
{
	for (; *path; path++) {
		uint8_t c = (uint8_t)*path;

		buffer_printf(out, is_word(c) || strchr("/.-_~", c) ? "%c" : "%%%02X", c);
	}
}

static void add_picture(struct differences *d, struct buffer *out, const char *name)
{
	buffer_text(out, "![before and after](");
	add_address(out, d->images_name);
	buffer_text(out, "/");
	add_address(out, name);
	buffer_text(out, ")\n");
}

/* Lines of a text between fences that none of them can end. */
static void add_fenced(struct buffer *out, const struct buffer *text)
{
	CLEANUP_BUFFER struct buffer seen = BUFFER_INIT;
	size_t ticks = 2, run = 0;
	bool begin = true;

	visible(text->data, text->size, &seen);
	for (size_t i = 0; i < seen.size; i++) {
		run = seen.data[i] == '`' ? run + 1 : 0;
		ticks = run > ticks ? run : ticks;
	}
	for (int end = 0; end < 2; end++) {
		buffer_text(out, "  ");
		for (size_t i = 0; i <= ticks; i++)
			buffer_byte(out, '`');
		buffer_text(out, end ? "\n" : "diff\n");
		for (size_t i = 0; !end && i < seen.size; i++) {
			buffer_text(out, begin ? "  " : "");
			buffer_byte(out, seen.data[i]);
			begin = seen.data[i] == '\n';
		}
	}
	out->error = out->error ? out->error : seen.error;
}

static struct part *part_of(struct differences *d, const char *path)
{
	const struct format_review *review = differences_review(d);
	int i = 0;

	while (review && i < PARTS_MAX && review->parts[i].heading &&
		fnmatch(review->parts[i].paths, path, 0) != 0)
		i++;
	return &d->page->parts[review && review->parts[i].heading ? 1 + i : PARTS_MAX + 1];
}

/* How a file changed: beside its name where that is one line, else folded. */
static int add_detail(struct differences *d, const struct difference *x, struct buffer *out)
{
	CLEANUP_BUFFER struct buffer detail = BUFFER_INIT;
	int r = difference_detail(d, x, &detail);
	size_t lines = 0;

	for (size_t i = 0; i < detail.size; i++)
		lines += detail.data[i] == '\n';
	if (r < 0 || detail.error)
		return r < 0 ? r : detail.error;
	if (lines == 1 && detail.data[0] == ' ') {
		buffer_text(out, ": ");
		buffer_append(out, detail.data + 1, detail.size - 1);
		return 0;
	}
	buffer_printf(out, "\n  <details><summary>%zu lines</summary>\n\n", lines);
	add_fenced(out, &detail);
	buffer_text(out, "\n  </details>\n\n");
	return 0;
}

int page_tell(struct differences *d, const struct difference *x)
{
	const struct item *i = difference_item(x);
	struct part *part = x->played ? &d->page->parts[0] : part_of(d, i->path);
	struct buffer *out = &part->entries;
	int r = 0;

	if (x->table && x->x)
		return 0;
	part->n[x->kind]++;
	buffer_printf(out, "- %s ", difference_words[x->kind]);
	if (x->kind == DIFFERENCE_MOVED || x->kind == DIFFERENCE_RENAMED) {
		add_name(out, x->before->path);
		buffer_text(out, " → ");
	}
	add_name(out, i->path);
	if (x->x && !d->brief)
		r = add_detail(d, x, out);
	else
		buffer_byte(out, '\n');
	if (x->picture) {
		buffer_text(out, "\n  ");
		add_picture(d, out, x->picture);
	}
	return r < 0 ? r : out->error;
}

static void add_count(struct buffer *out, const char **before, uint64_t n, const char *word)
{
	if (n)
		buffer_printf(out, "%s%ju %s", *before, (uintmax_t)n, word);
	*before = n ? ", " : *before;
}

static void add_counts(struct buffer *out, const char *before, const uint64_t n[REVIEW_MARKS])
{
	for (int k = 0; k < REVIEW_MARKS; k++)
		add_count(out, &before, n[k], marks[k]);
}

static void add_range(struct buffer *out, const char *word, size_t from, size_t to)
{
	if (from == to)
		buffer_printf(out, "%s %zu", word, from);
	else
		buffer_printf(out, "%ss %zu to %zu", word, from, to);
}

static void add_ranges(struct buffer *out, const struct area *a)
{
	add_range(out, "column", a->left, a->right);
	add_range(out, ", line", a->top, a->bottom);
}

static void add_tile(
	struct differences *d, struct buffer *out, const char *kind, const struct review_tile *t)
{
	const char *name = differences_review(d)->name(kind, t->id);

	buffer_printf(out, "%s (%d)", name ? name : "unknown", t->id);
	if (t->number != REVIEW_NO_NUMBER && (t->id || t->number))
		buffer_printf(out, " %d", t->number);
}

static void add_row(
	struct differences *d, struct buffer *out, const char *kind, const struct layer_row *row)
{
	const struct review_cell *c = &row->of;
	const struct area *a = &row->area;
	const char *before = ": ";

	buffer_printf(out, "| %s | ", marks[c->mark]);
	add_tile(d, out, kind, c->mark == REVIEW_ADDED ? &c->after : &c->before);
	if (c->mark == REVIEW_CHANGED &&
		(c->before.id != c->after.id || c->before.number != c->after.number)) {
		buffer_text(out, " → ");
		add_tile(d, out, kind, &c->after);
	} else if (c->mark == REVIEW_CHANGED) {
		for (unsigned i = 0; c->fields >> i; i++) {
			if (!(c->fields >> i & 1))
				continue;
			buffer_printf(out, "%s%s", before, differences_review(d)->fields[i]);
			before = ", ";
		}
	}
	buffer_printf(out, " | %ju | ", (uintmax_t)a->n);
	add_ranges(out, a);
	buffer_text(out, " |\n");
}

static int by_mark(const void *a, const void *b)
{
	const struct layer_row *p = a, *q = b;

	if (p->of.mark != q->of.mark)
		return p->of.mark < q->of.mark ? -1 : 1;
	return (p->area.n < q->area.n) - (p->area.n > q->area.n);
}

static void add_rows(struct differences *d, struct buffer *out, struct layer *l)
{
	bool folded = l->n_rows > ENTRIES_OPEN;

	qsort(l->rows, l->n_rows, sizeof(*l->rows), by_mark);
	if (folded)
		buffer_printf(out, "<details><summary>%zu kinds</summary>\n\n", l->n_rows);
	buffer_text(out, "| | tile | count | where |\n| --- | --- | ---: | --- |\n");
	for (size_t i = 0; i < l->n_rows; i++)
		add_row(d, out, l->kind, &l->rows[i]);
	if (l->rest)
		buffer_printf(out, "\nAnd %ju tiles of other kinds.\n", (uintmax_t)l->rest);
	buffer_text(out, folded ? "\n</details>\n\n" : "\n");
}

void page_layer(struct differences *d, struct layer *l)
{
	const struct item *i = l->after ? l->after : l->before;
	struct part *part = l->kind ? &d->page->parts[0] : part_of(d, i->path);
	struct buffer *out = l->kind ? &part->tables : &part->entries;

	if (l->kind)
		buffer_printf(out, "#### %s: ", l->kind);
	else
		buffer_printf(out, "- tiles of ");
	add_name(out, i->path);
	add_counts(out, l->kind ? "\n\n" : ": ", l->n);
	buffer_text(out, "; ");
	add_ranges(out, &l->area);
	buffer_text(out, l->kind ? "\n\n" : "\n");
	part->n[DIFFERENCE_CHANGED]++;
	d->page->seen = l->kind ? d->page->seen : part;
	for (int k = 0; l->kind && k < REVIEW_MARKS; k++)
		d->page->tiles[k] += l->n[k];
	if (l->kind)
		add_rows(d, out, l);
}

static void add_shown(struct differences *d, const struct place *at, const char *name)
{
	struct buffer *out = &d->page->shown->pictures;
	const struct area area = {at->n, (size_t)at->left + 1, (size_t)at->right + 1,
		(size_t)at->top + 1, (size_t)at->bottom + 1};

	buffer_printf(out, "%zu %s: ", at->n, at->n == 1 ? "tile" : "tiles");
	add_ranges(out, &area);
	buffer_text(out, "\n\n");
	add_picture(d, out, name);
	buffer_byte(out, '\n');
}

static int add_places(struct differences *d, struct places *p, bool played, struct part *part)
{
	size_t left;
	int r;

	if (d->images < 0)
		return 0;
	d->page->shown = part;
	r = pictures_of_places(d, p, played, add_shown, &left);
	if (left)
		buffer_printf(&part->pictures, "%zu more %s no picture.\n\n", left,
			left == 1 ? "place has" : "places have");
	if (p->many)
		buffer_text(&part->pictures, "There are more tiles than are marked.\n\n");
	return r;
}

static bool is_empty(const struct part *part)
{
	return !part->tables.size && !part->entries.size && !part->pictures.size;
}

static void add_part(struct differences *d, const char *heading, const struct part *part)
{
	const char *before = " (";
	size_t n = 0;

	if (is_empty(part))
		return;
	buffer_printf(&d->out, "\n### %s", heading);
	for (int k = 0; k < DIFFERENCE_KINDS; k++) {
		add_count(&d->out, &before, part->n[k], difference_words[k]);
		n += part->n[k];
	}
	buffer_text(&d->out, ")\n\n");
	buffer_append(&d->out, part->tables.data, part->tables.size);
	if (n > ENTRIES_OPEN && part->entries.size)
		buffer_text(&d->out, "<details><summary>All of them</summary>\n\n");
	buffer_append(&d->out, part->entries.data, part->entries.size);
	if (n > ENTRIES_OPEN && part->entries.size)
		buffer_text(&d->out, "\n</details>\n");
	buffer_text(&d->out, "\n");
	buffer_append(&d->out, part->pictures.data, part->pictures.size);
	d->out.error |= part->tables.error | part->entries.error | part->pictures.error;
}

/* Was anything changed by which somebody could play otherwise? */
static void add_answer(struct differences *d, const struct format_review *review)
{
	struct page *p = d->page;
	bool played = !is_empty(&p->parts[0]), set = false;

	for (int i = 0; review && review->parts[i].heading; i++)
		set |= review->parts[i].played && !is_empty(&p->parts[1 + i]);
	if (d->trouble)
		buffer_text(&d->out, "**Not all of it could be compared.**\n\n");
	if (!d->different && !d->trouble)
		buffer_text(&d->out, "Both maps show the same.\n");
	if (!review || !d->different)
		return;
	if (!played && !set) {
		buffer_text(&d->out, d->trouble ? ""
						: "**What the game plays with is the same**: "
						  "no tile of its layers changed, and no "
						  "setting.\n");
		return;
	}
	buffer_text(&d->out, "**What the game plays with changed**");
	if (p->tiles[REVIEW_ADDED] || p->tiles[REVIEW_REMOVED] || p->tiles[REVIEW_CHANGED])
		add_counts(&d->out, ": tiles: ", p->tiles);
	else
		buffer_text(&d->out, ": no tile");
	buffer_printf(&d->out, "; %s setting%s.\n", set ? "and" : "no", set ? "s" : "");
}

int page_end(struct differences *d, const char *title)
{
	const struct format_review *review = differences_review(d);
	struct page *p = d->page;
	const char *slash = strrchr(title, '/');
	int r;

	r = add_places(d, &d->layers->played, true, &p->parts[0]);
	if (r == 0 && p->seen)
		r = add_places(d, &d->layers->seen, false, p->seen);
	buffer_text(&d->out, "## ");
	add_name(&d->out, slash ? slash + 1 : title);
	buffer_text(&d->out, "\n\n");
	add_answer(d, review);
	add_part(d, "What the game plays with", &p->parts[0]);
	for (int i = 0; review && review->parts[i].heading; i++)
		add_part(d, review->parts[i].heading, &p->parts[1 + i]);
	add_part(d, review ? "All else" : "Files", &p->parts[PARTS_MAX + 1]);
	return r < 0 ? r : d->out.error;
}
