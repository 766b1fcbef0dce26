/* SPDX-License-Identifier: Zlib */
/* edit: apply written files to a map, and write its file. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "formats/triclon/map.h"

static void free_map(struct snapshot *s)
{
	struct tcm_map *m = (struct tcm_map *)s;

	for (int f = TCM_INFO; f < TCM_FILES; f++)
		bytes_unref(m->texts[f]);
	bytes_unref(m->file);
	free(m);
}

/* Append the file to `to`, and set the offset of each list. */
static void lay_out(const struct tcm_content *c, const struct tcm_variant *as, struct buffer *to,
	size_t offsets[TCM_FILES])
{
	static const enum tcm_file order[] = {TCM_TERRAIN, TCM_POINTS, TCM_OBJECTS};

	buffer_text(to, as->tag);
	offsets[TCM_INFO] = to->size;
	buffer_append(to, c->lists[TCM_INFO].data, c->lists[TCM_INFO].n);
	for (int k = 0; k < 3 && c->lists[order[k]].data; k++) {
		const struct tcm_kind *kind = &tcm_kinds[order[k]];
		size_t n = c->lists[order[k]].n;
		int unit = as->answers[kind->unit];

		if (unit != TCM_NONE)
			tcm_append(
				to, (uint32_t)(unit == TCM_BYTES ? 2 * kind->width * n : n), 4, as);
		offsets[order[k]] = to->size;
		for (size_t i = 0; i < 2 * n; i++)
			tcm_append(to, tcm_stored(c, order[k], i % 2, i / 2), kind->width, as);
	}
}

static int show_file(struct tcm_map *m, enum tcm_file f, struct error *e)
{
	CLEANUP_BUFFER struct buffer text = BUFFER_INIT;

	if (f == TCM_INFO)
		tcm_info_show(&m->content, &text);
	else
		tcm_table_show(&m->content, f, &text);
	return buffer_finish(&text, &m->texts[f]) < 0 ? error_set(e, -ENOMEM, "out of memory") : 0;
}

int tcm_map_make(const struct tcm_map *before, const struct tcm_content *c,
	const struct tcm_variant *as, struct tcm_map **ret, struct error *e)
{
	struct tcm_map *m = calloc(1, sizeof(*m));
	CLEANUP_BUFFER struct buffer file = BUFFER_INIT;
	CLEANUP(snapshot_unref) struct snapshot *s = NULL;
	size_t offsets[TCM_FILES];
	int r = 0;

	lay_out(c, as, &file, offsets);
	if (m) {
		snapshot_init(&m->base, before ? before->base.format : NULL, free_map);
		s = &m->base;
	}
	if (!m || buffer_finish(&file, &m->file) < 0)
		return error_set(e, -ENOMEM, "out of memory");
	m->had_objects = before && before->had_objects;
	m->fresh = before && before->fresh;
	m->content.variant = *as;
	for (enum tcm_file f = TCM_INFO; r == 0 && f < TCM_FILES; f++) {
		if (!c->lists[f].data)
			continue;
		m->content.lists[f] = (struct tcm_list){m->file->data + offsets[f], c->lists[f].n};
		r = show_file(m, f, e);
	}
	if (r < 0)
		return r;
	(void)TAKE(s);
	*ret = m;
	return 0;
}

int tcm_load_file(const struct source *src, struct bytes **ret, struct error *e)
{
	CLEANUP_EXTENT struct extent all =
		extent_of_file(file_ref(src->files[0]), 0, src->sizes[0]);

	return extent_load(&all, TCM_FILE_MAX, ret, e);
}

struct parsed_file {
	struct parsed parsed;   /* must be first */
	struct tcm_variant was; /* of the map for which it was parsed */
	struct tcm_variant as;  /* of the map after apply */
	struct buffer stored;   /* the list, as `was` stores it */
};

static void finish_parsed(struct parsed *p)
{
	buffer_finish_free(&((struct parsed_file *)p)->stored);
}

/* Make a version in which file f has this list. *ret is NULL if it is the same map. */
static int make_with_list(const struct tcm_map *before, enum tcm_file f,
	const struct buffer *stored, const struct tcm_variant *as, struct tcm_map **ret,
	struct error *e)
{
	struct tcm_content c = before->content;
	int r;

	c.lists[f].data = stored->size ? stored->data : (const uint8_t *)"";
	c.lists[f].n = stored->size / (f == TCM_INFO ? 1 : 2 * tcm_kinds[f].width);
	r = tcm_map_make(before, &c, as, ret, e);
	if (r == 0 && tcm_map_same(before, *ret))
		snapshot_unref(&TAKE(*ret)->base);
	return r;
}

static int parse_file(
	const struct tcm_map *m, enum tcm_file f, struct parsed_file *p, struct error *e)
{
	const struct extent *in = &p->parsed.content->bytes;
	struct tcm_content c = m->content;
	struct tcm_map *then = NULL;
	int r = f == TCM_INFO ? tcm_info_parse(&c, in, &p->as, &p->stored, e)
			      : tcm_table_parse(&c, f, in, &p->stored, e);

	if (r == -EFBIG)
		return error_set(e, -EINVAL, "line 1, column 1: the file is too large for a map");
	if (r == 0 && p->stored.error)
		r = error_set(e, p->stored.error, "out of memory");
	if (r == 0)
		r = make_with_list(m, f, &p->stored, &p->as, &then, e);
	p->parsed.is_unchanged = r == 0 && !then;
	snapshot_unref(then ? &then->base : NULL);
	return r;
}

static int parse_entry(const struct snapshot *s, entry_id id, struct content *in,
	struct parsed **ret, struct error *e)
{
	struct parsed_file *p = parsed_new(sizeof(*p), in, finish_parsed);
	int r;

	if (!p)
		return error_set(e, -ENOMEM, "out of memory");
	p->as = p->was = tcm_map_of(s)->content.variant;
	r = parse_file(tcm_map_of(s), (enum tcm_file)(id / 2), p, e);
	return parsed_finish(&p->parsed, r, ret);
}

/* Check the indices of the terrain against the current points. An index that the map already has
 * may stay. */
static int check_points(const struct tcm_map *before, const struct buffer *stored, struct error *e)
{
	struct tcm_content c = before->content;
	size_t n_points = c.lists[TCM_POINTS].n, record = 0;
	int64_t most = tcm_max_index(&c, &record);

	if (most < (int64_t)n_points - 1)
		most = (int64_t)n_points - 1;
	c.lists[TCM_TERRAIN].data = stored->size ? stored->data : (const uint8_t *)"";
	c.lists[TCM_TERRAIN].n = stored->size / (2 * tcm_kinds[TCM_TERRAIN].width);
	for (size_t i = 0; i < c.lists[TCM_TERRAIN].n; i++) {
		int64_t index = tcm_stored(&c, TCM_TERRAIN, 0, i);

		if (index > most)
			return error_set_unresolved(
				e, error_set(e, -EINVAL,
					   "line %zu, column 1: no point %lld (points.csv has %zu, "
					   "counted from 0)",
					   i + 2, (long long)index, n_points));
	}
	return 0;
}

static int apply_entry(struct snapshot **s, entry_id id, const struct parsed *parsed,
	const struct build_context *, const struct snapshot *, bool *ret_changed, struct error *e)
{
	const struct parsed_file *p = (const struct parsed_file *)parsed;
	const struct tcm_map *before = tcm_map_of(*s);
	const struct buffer nothing = BUFFER_INIT;
	enum tcm_file f = (enum tcm_file)(id / 2);
	CLEANUP(parsed_unref) struct parsed *again = NULL;
	struct tcm_map *m = NULL;
	int r = 0;

	*ret_changed = false;
	/* info.json was applied since, and the map has another variant. */
	if (p && memcmp(&p->was, &before->content.variant, sizeof(p->was)) != 0) {
		r = parse_entry(*s, id, parsed->content, &again, e);
		p = (const struct parsed_file *)again;
	}
	if (r == 0 && p && f == TCM_TERRAIN)
		r = check_points(before, &p->stored, e);
	if (r == 0)
		r = make_with_list(before, f, p ? &p->stored : &nothing,
			p && f == TCM_INFO ? &p->as : &before->content.variant, &m, e);
	*ret_changed = r == 0 && m;
	if (!*ret_changed)
		return r;
	snapshot_unref(*s);
	*s = &m->base;
	return 0;
}

static bool maps_same(const struct snapshot *a, const struct snapshot *b)
{
	/* A new map that was never written equals no file. */
	return !tcm_map_of(a)->fresh && tcm_map_same(tcm_map_of(a), tcm_map_of(b));
}

static int encode_map(const struct snapshot *s, struct replace *const outs[], bool force,
	struct plan **ret, struct error *e)
{
	const struct bytes *file = tcm_map_of(s)->file;

	(void)force; /* every save writes the whole file */
	if (file->size > TCM_FILE_MAX)
		return error_set(e, -EFBIG, "the map would have %zu bytes (at most %d)", file->size,
			TCM_FILE_MAX);
	replace_write(outs[0], file->data, file->size);
	*ret = NULL;
	return 0;
}

/* Compare bytes, because a file can be read as another map than the one that was written. */
static int verify_map(const struct snapshot *s, const struct plan *, const struct source *written,
	struct error *e)
{
	CLEANUP(bytes_unref) struct bytes *back = NULL;
	int r = tcm_load_file(written, &back, e);

	return r < 0 || bytes_equal(back, tcm_map_of(s)->file)
		       ? r
		       : error_set(e, -EIO, "the file differs from that written");
}

static int check_map(const struct snapshot *before, const struct snapshot *s,
	void (*why)(void *arg, const struct format_fault *f), void *arg, struct error *e)
{
	const struct tcm_content *c = &tcm_map_of(s)->content;
	const struct tcm_content *old = before ? &tcm_map_of(before)->content : NULL;
	size_t record = 0, at, n_points = c->lists[TCM_POINTS].n;
	int64_t max = tcm_max_index(c, &record), had = old ? tcm_max_index(old, &at) : -1;
	char line[200], value[24], bound[64];
	const struct format_fault fault = {.path = "terrain.csv",
		.field = "column 1",
		.value = value,
		.bound = bound,
		.line = line,
		.text = line + strlen("terrain.csv: ")};

	if (max < (int64_t)n_points ||
		(old && had >= (int64_t)old->lists[TCM_POINTS].n && max <= had))
		return 0;
	snprintf(value, sizeof(value), "%lld", (long long)max);
	snprintf(bound, sizeof(bound), "points.csv has %zu, counted from 0", n_points);
	snprintf(line, sizeof(line), "terrain.csv: line %zu, column 1: no point %s (%s)",
		record + 2, value, bound);
	why(arg, &fault);
	return error_set(e, -EINVAL, "terrain.csv refers to missing points");
}

const struct format_edit tcm_edit = {
	.parse = parse_entry,
	.apply = apply_entry,
	.check = check_map,
	.encode = encode_map,
	.verify = verify_map,
	.same = maps_same,
};
