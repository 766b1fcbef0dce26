/* SPDX-License-Identifier: Zlib */
/* finish: make the map to be saved: remove objects that are gone, and repair harmless faults. */
#include <errno.h>
#include <string.h>

#include "formats/teeworlds/check/faults.h"
#include "formats/teeworlds/finalize/finalize.h"
#include "formats/teeworlds/model/fields.h"
#include "tools/teeworlds/whole/repair.h"
#include "tools/teeworlds/whole/whole.h"

static int clean_layer(struct tw_whole *w, uint32_t item, struct tw_change *c, struct error *e)
{
	int r = w->gone[item] ? 0 : tw_repair_tiles(c, item, e);

	if (r > 0)
		tw_whole_report_item(
			w, WHOLE_DONE, "repaired", item, "set unused bytes of its tiles to 0");
	return r < 0 ? r : 0;
}

static void report_id(void *arg, unsigned type, unsigned id)
{
	tw_whole_report(
		arg, WHOLE_DONE, "repaired items of type %u: id %u occurred twice", type, id);
}

/* Report a repair of the tables. Finalize reports bytes after the end of the file. */
static void report_table(void *arg, const struct format_fault *f)
{
	if (!f->is_warning && strcmp(f->field, "file size") != 0)
		tw_whole_report(arg, WHOLE_DONE, "repaired the tables of the file: %s", f->text);
}

static int repair(struct tw_whole *w, struct tw_change *c, struct error *e)
{
	const struct tw_type *layers = tw_type(c->base, TW_LAYER);
	const struct tw_index *x = c->base->index;
	struct tw_faults f = {.m = w->from, .report = report_table, .arg = w};
	int r = 0;

	for (uint32_t i = 0; r == 0 && layers && i < layers->n; i++)
		r = clean_layer(w, layers->items[i], c, e);
	if (r < 0)
		return r;
	/* DDNet's tools write index items with duplicate ids. */
	for (size_t i = 0; i < x->n_types; i++)
		if (x->types[i].id != TW_UUID_INDEX)
			tw_repair_ids(c, &x->types[i], report_id, w);
	tw_check_file(&f);
	if (f.refused && tw_change_map(c))
		c->result->must_rewrite = true;
	return f.out_of_memory || c->error ? error_set(e, -ENOMEM, "out of memory") : 0;
}

static void report_line(void *arg, enum format_line_kind, const char *line)
{
	tw_whole_report(arg, WHOLE_DONE, "%s", line);
}

/* List the parts of m that are gone. Returns their number. */
static size_t list_gone(const struct tw_whole *w, const struct tw_map *m, struct placement *p)
{
	size_t n = 0;

	for (int sort = 0; sort < TW_SORTS; sort++) {
		const struct tw_type *all = tw_type(m, tw_sort_type((enum tw_sort)sort));

		for (uint32_t i = 0; all && i < all->n; i++) {
			int64_t group = sort == TW_SORT_LAYER ? tw_find_group(m, i) : 0;
			entry_id dir = tw_id2(TW_K_LAYERS, (unsigned)group, 0, 0);

			if (!w->gone[all->items[i]])
				continue;
			p[n].id = tw_object_id((enum tw_sort)sort, dir, i, false);
			p[n++].is_removed = true;
		}
	}
	return n;
}

int tw_whole_finish(
	struct tw_whole *w, const struct tw_map *m, struct snapshot **ret, struct error *e)
{
	CLEANUP(free) struct placement *p = calloc(w->from->n_items + 1, sizeof(*p));
	CLEANUP(snapshot_unref) struct snapshot *now = snapshot_ref(&m->base);
	CLEANUP(tw_change_free) struct tw_change *c = tw_change_new(m);
	int r;

	if (!p || !c)
		return error_set(e, -ENOMEM, "out of memory");
	r = repair(w, c, e);
	if (r == 0)
		r = tw_change_apply(&now, c, e);
	return r < 0 ? r
		     : tw_finalize(now, p, list_gone(w, tw_map_of(now), p), ret, report_line, w, e);
}
