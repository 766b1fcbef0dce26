/* SPDX-License-Identifier: Zlib */
/* format: the table of operations for Teeworlds and DDNet maps. */
#include "formats/teeworlds/format.h"

#include <errno.h>
#include <string.h>

#include "formats/teeworlds/check/faults.h"
#include "formats/teeworlds/datafile/datafile.h"
#include "formats/teeworlds/datafile/write.h"
#include "formats/teeworlds/finalize/finalize.h"
#include "formats/teeworlds/lens/kinds.h"
#include "formats/teeworlds/names/list.h"
#include "formats/teeworlds/preview/view.h"
#include "formats/teeworlds/structure.h"

static bool probe(const struct source *src, const uint8_t *head, size_t n)
{
	const char *dot = strrchr(src->name, '.');

	/* Accept every *.map, so that open reports why the file is invalid. */
	return (dot && strcmp(dot, ".map") == 0) ||
	       (n >= 4 && (memcmp(head, "DATA", 4) == 0 || memcmp(head, "ATAD", 4) == 0));
}

static int tw_open(const struct source *src, const struct format_context *ctx,
	struct snapshot **ret, struct error *e)
{
	return tw_map_open(&format_teeworlds, src, ctx, ret, e);
}

/* Does the error mean that the object has another form, or no content yet? */
static bool is_absent(int r)
{
	return r == -ENODATA || r == -ENOTSUP;
}

/* Get the attributes of an entry. A damaged file gets size 0 and is not writable. A file of an
 * object that has another form, or no content yet, gets size 0 and is writable. */
static int stat_id(const struct tw_map *m, entry_id id, struct file_attr *ret, struct error *e)
{
	const struct tw_kind *k = tw_kind(id);
	int r = k ? tw_kind_stat(m, id, ret, e) : -ENOENT;

	if ((r == -EIO || is_absent(r)) && !k->child) {
		tw_stat_file(ret, 0, is_absent(r));
		r = 0;
	}
	if (r < 0)
		return e && e->code == r ? r : error_set(e, r, "no such entry");
	ret->id = id;
	ret->max_size = k->max_size;
	return 0;
}

static int tw_stat(const struct snapshot *s, entry_id id, struct file_attr *ret, struct error *e)
{
	const struct tw_kind *k = tw_kind(id);

	/* The map has no content for this entry, but the overlay may have one. */
	if (k && is_absent(tw_kind_stat(tw_map_of(s), id, ret, e))) {
		ret->max_size = k->max_size;
		ret->is_permanent = tw_id_kind(id) >= TW_K_RAW;
		return e ? e->code = -EIO : -EIO;
	}
	return stat_id(tw_map_of(s), id, ret, e);
}

/* Find the kind of a directory (`dir`) or file. -ENOTDIR or -EISDIR if the entry is the other. */
static int find_kind(entry_id id, bool dir, const struct tw_kind **ret, struct error *e)
{
	const struct tw_kind *k = tw_kind(id);

	if (!k)
		return error_set(e, -ENOENT, "no such entry");
	if (dir != (k->child != NULL))
		return error_set(e, dir ? -ENOTDIR : -EISDIR, "%s is %s directory", k->label,
			dir ? "not a" : "a");
	*ret = k;
	return 0;
}

static int tw_lookup(const struct snapshot *s, entry_id dir, const char *name,
	struct file_attr *ret, struct error *e)
{
	const struct tw_map *m = tw_map_of(s);
	const struct tw_kind *k;
	entry_id id;
	int r = find_kind(dir, true, &k, e);

	if (r < 0)
		return r;
	if (tw_kind_find(m, dir, name, &id) < 0)
		return error_set(e, -ENOENT, "%s: no such entry", name);
	k = tw_kind(id);
	if (!k->stat_formats)
		return stat_id(m, id, ret, e);
	*ret = (struct file_attr){.id = id, .is_writable = true, .max_size = k->max_size};
	return 0;
}

static int tw_list(const struct snapshot *s, entry_id dir, uint64_t *cookie, char *name,
	struct file_attr *ret, struct error *e)
{
	const struct tw_map *m = tw_map_of(s);
	const struct tw_kind *k;
	entry_id id;
	int r = find_kind(dir, true, &k, e);

	if (r == 0)
		r = k->child(m, dir, cookie, name, &id);
	if (r <= 0)
		return r;
	r = stat_id(m, id, ret, e);
	return r < 0 ? r : 1;
}

static int tw_size(const struct snapshot *s, entry_id id, uint64_t *ret, struct error *e)
{
	const struct tw_kind *k;
	int r = find_kind(id, false, &k, e);

	return r < 0 ? r : tw_kind_size(tw_map_of(s), id, ret, e);
}

static int tw_get(
	const struct snapshot *s, entry_id id, uint64_t off, void *dst, size_t n, struct error *e)
{
	const struct tw_kind *k;
	int r = find_kind(id, false, &k, e);

	if (r == 0)
		r = tw_kind_get(tw_map_of(s), id, off, dst, n, e);
	return is_absent(r) ? (e ? e->code = -EIO : -EIO) : r;
}

/* Get the note of a layer.json: the reason why the layer has no tables, quads or sources. */
static int tw_note(const struct snapshot *s, entry_id id, struct bytes **ret, struct error *e)
{
	const struct tw_item *it = tw_id_kind(id) == TW_K_LAYER_JSON
					   ? tw_item_at(tw_map_of(s), TW_LAYER, tw_id_b(id))
					   : NULL;
	struct error why = ERROR_INIT;
	const char *text;

	if (!it || tw_layer_check(tw_map_of(s), it, &why) == 0)
		return -ENODATA;
	text = error_text(&why);
	*ret = bytes_copy(text, strlen(text));
	return *ret ? 0 : error_set(e, -ENOMEM, "out of memory");
}

static int tw_parse(const struct snapshot *s, entry_id id, struct content *in, struct parsed **ret,
	struct error *e)
{
	const struct tw_kind *k;
	int r = find_kind(id, false, &k, e);

	if (r < 0)
		return r;
	if (!k->parse)
		return error_set(e, -EROFS, "%s is read-only", k->label);
	return k->parse(tw_map_of(s), id, in, ret, e);
}

/* Apply a change of raw/ to a copy, because tw_raw_guard compares it with the previous map. */
static int apply_raw(struct snapshot **s, const struct tw_kind *k, entry_id id,
	const struct parsed *p, bool *ret_changed, struct error *e)
{
	CLEANUP(tw_change_free) struct tw_change *c = tw_change_new(tw_map_of(*s));
	CLEANUP(snapshot_unref) struct snapshot *changed = snapshot_ref(*s);
	struct touched touched = {0};
	int r;

	if (!c)
		return error_set(e, -ENOMEM, "out of memory");
	r = k->apply(c, id, p, e);
	if (r < 0 || (!c->error && !c->result))
		return r;
	r = tw_change_apply(&changed, c, e);
	if (r == 0) {
		tw_touch(c->base, tw_map_of(changed), &touched);
		r = tw_raw_guard(c->base, tw_map_of(changed), &touched, e);
	}
	touched_finish(&touched);
	if (r < 0)
		return r;
	snapshot_unref(*s);
	*s = TAKE(changed);
	*ret_changed = true;
	return 0;
}

static int tw_apply(struct snapshot **s, entry_id id, const struct parsed *p,
	const struct build_context *others, const struct snapshot *like, bool *ret_changed,
	struct error *e)
{
	const struct tw_kind *k;
	struct tw_change c;
	int r = find_kind(id, false, &k, e), end;

	*ret_changed = false;
	if (r < 0)
		return r;
	if (!k->apply)
		return error_set(e, -EROFS, "%s is read-only", k->label);
	if (tw_id_kind(id) >= TW_K_RAW)
		return apply_raw(s, k, id, p, ret_changed, e);
	if (tw_change_begin(s, &c) < 0)
		return error_set(e, -ENOMEM, "out of memory");
	c.others = others;
	c.previous = like ? tw_map_of(like) : NULL;
	r = k->apply(&c, id, p, e);
	end = tw_change_end(&c, r == 0 || r == -EAGAIN, ret_changed, r < 0 ? NULL : e);
	return end < 0 ? end : r;
}

static const char *const endings[] = {"map", NULL};
static const char *const texts[] = {"info/*", NULL};

static const char *const raw_values[] = {"ro", "rw", "off", NULL};
static const char *const png_values[] = {"stored", "packed", NULL};
static const struct format_setting settings[] = {
	{"raw", raw_values, .changes_meaning = true,
		.help = "Teeworlds: stored items and data in raw/ (ro)"},
	{"png", png_values, .help = "Teeworlds: images uncompressed or compressed (stored)"},
	{"preview", .min = PREVIEW_MIN, .max = PREVIEW_MAX,
		.help = "Teeworlds: pictures of the map, size in pixels (0)"},
	{"mapres", .help = "Teeworlds: directory with the game's images"},
	{0},
};

static const struct format_edit edit = {
	.parse = tw_parse,
	.apply = tw_apply,
	.check = tw_check,
	.encode = datafile_write,
	.verify = datafile_verify,
	.same = tw_same,
};

static const struct format_tree tree = {
	.classify = tw_classify,
	.add = tw_add,
	.finalize = tw_finalize,
	.names = tw_write_name_table,
};

const struct format format_teeworlds = {
	.name = "teeworlds",
	.extensions = endings,
	.text_patterns = texts,
	.settings = settings,
	.has_positions = true,
	.has_dependent_files = true,
	.can_create = true,
	.probe = probe,
	.open = tw_open,
	.lookup = tw_lookup,
	.stat = tw_stat,
	.list = tw_list,
	.size = tw_size,
	.get = tw_get,
	.note = tw_note,
	.edit = &edit,
	.tree = &tree,
	.preview = &tw_preview,
};
