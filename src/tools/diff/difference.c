/* SPDX-License-Identifier: Zlib */
#include "tools/diff/difference.h"

#include <errno.h>
#include <fnmatch.h>

#include "tools/common/json_line.h"
#include "tools/tools.h"

const char *const difference_words[DIFFERENCE_KINDS] = {
	"added", "removed", "changed", "moved", "renamed"};

const struct review_tool *differences_review(const struct differences *d)
{
	const struct format *f = d->m.sides[OURS].tree.vol->format;

	return f == d->m.sides[BASE].tree.vol->format ? tools_of(f)->review : NULL;
}

void differences_fail(struct differences *d, const struct merge_item *i, int r)
{
	offline_print_error(&d->m.sides[i->side].tree, i->path, r);
	d->has_errors = true;
}

int difference_detail(struct differences *d, const struct difference *x, struct buffer *out)
{
	int r = 0;

	/* Archives show names in capitals. */
	if (fnmatch("*.csv", x->after->path, FNM_CASEFOLD) == 0)
		r = compare_tables(x->x, x->y, d->length, out);
	else if (fnmatch("*.png", x->after->path, FNM_CASEFOLD) == 0)
		r = compare_images(x->x, x->y, out);
	if (r == 0 || r == -ENOTSUP)
		r = text_hunks(x->x, x->y, d->length, out);
	if (r == 0)
		buffer_printf(out, " %llu bytes -> %llu bytes\n", (unsigned long long)x->x->size,
			(unsigned long long)x->y->size);
	return r < 0 ? r : 0;
}

int difference_print(struct differences *d, const struct difference *x)
{
	const struct merge_item *i = difference_item(x);

	buffer_printf(&d->out, "%s ", difference_words[x->kind]);
	if (x->kind == DIFFERENCE_MOVED || x->kind == DIFFERENCE_RENAMED)
		buffer_printf(&d->out, "%s -> ", x->before->path);
	buffer_printf(
		&d->out, "%s%s\n", i->path, i->is_dir && (!x->before || !x->after) ? "/" : "");
	return x->x && !d->is_brief ? difference_detail(d, x, &d->out) : 0;
}

static void add_json_side(struct differences *d, const char *before, const struct merge_item *i)
{
	struct offline_file a = {.size = 0};

	buffer_text(&d->out, before);
	if (!i) {
		buffer_text(&d->out, "null");
		return;
	}
	if (!i->is_dir && offline_find(&d->m.sides[i->side].tree, i->path, &a) < 0)
		d->has_errors = true;
	json_line_text(&d->out, "{\"path\": ", i->path);
	if (i->is_dir)
		buffer_text(&d->out, ", \"kind\": \"directory\", \"size\": null}");
	else
		buffer_printf(&d->out, ", \"kind\": \"file\", \"size\": %ju}", (uintmax_t)a.size);
}

int difference_print_json(struct differences *d, const struct difference *x)
{
	json_line_text(&d->out, "{\"path\": ", difference_item(x)->path);
	json_line_text(&d->out, ", \"kind\": ", difference_words[x->kind]);
	add_json_side(d, ", \"before\": ", x->before);
	add_json_side(d, ", \"after\": ", x->after);
	buffer_text(&d->out, "}\n");
	return 0;
}
