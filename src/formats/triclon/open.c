/* SPDX-License-Identifier: Zlib */
/* open: a file, or nothing yet, as a map. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cursor.h"
#include "formats/triclon/format.h"
#include "formats/triclon/reading.h"

/*
 * The page's constants are the letters as numbers of either byte order: "TCM3" of the layout that
 * it describes, and "TCM2", left over in a heading, of an older one that it does not. A program
 * that stored the number rather than the letters on a big-endian machine made "3MCT".
 */
static const char *const tags[] = {"TCM3", "TCM2", "3MCT"};
enum { TAG_SIZE = 4 };

static const char *tag_of(const uint8_t *data, size_t n)
{
	for (size_t i = 0; n >= TAG_SIZE && i < sizeof(tags) / sizeof(tags[0]); i++)
		if (memcmp(data, tags[i], TAG_SIZE) == 0)
			return tags[i];
	return NULL;
}

bool tcm_probe(const struct source *src, const uint8_t *head, size_t n)
{
	(void)src;
	return tag_of(head, n) != NULL;
}

int tcm_load_file(const struct source *src, struct bytes **ret, struct error *e)
{
	CLEANUP_EXTENT struct extent all =
		extent_of_file(file_ref(src->files[0]), 0, src->sizes[0]);

	return extent_load(&all, TCM_FILE_MAX, ret, e);
}

static int take_name(struct cursor *c, const char *what, struct bytes **ret, struct error *e)
{
	size_t size = cursor_u8(c), left = cursor_left(c);
	const uint8_t *text = cursor_take(c, size);

	if (c->bad)
		return error_set(e, -EINVAL, "the length of the %s is %zu (%zu bytes are left)",
			what, size, left);
	*ret = bytes_copy(text, size);
	return *ret ? 0 : error_set(e, -ENOMEM, "no memory for a name");
}

static int take_lists(
	struct tcm_map *m, const struct tcm_reading *r, const uint8_t *data, struct error *e)
{
	bool big = r->variant.answers[TCM_ENDIAN] == TCM_BIG;

	m->variant = r->variant;
	m->had_objects = r->has_objects;
	for (enum tcm_file f = TCM_TERRAIN; f <= (r->has_objects ? TCM_OBJECTS : TCM_POINTS); f++) {
		const struct tcm_list *l = &r->lists[f];
		struct buffer records = BUFFER_INIT;

		tcm_append_numbers(
			&records, data + l->at, tcm_widths[f] * l->n, tcm_widths[f] / 2, big);
		if (buffer_finish(&records, &m->records[f]) < 0)
			return error_set(e, -ENOMEM, "no memory for a list");
	}
	return 0;
}

/* Most likely a file that was cut short. Whoever says how to read it wants to see it all the same.
 */
static int check_indices(const struct tcm_map *m, const struct tcm_demand *d, struct error *e)
{
	size_t record = 0;
	int64_t max = tcm_max_index(m, &record);
	char text[64];

	if (max < (int64_t)tcm_count(m, TCM_POINTS) || d->any)
		return 0;
	tcm_variant_describe(&m->variant, text);
	return error_set(e, -EINVAL,
		"record %zu of the terrain list is at the point %lld (there are %zu); it opens all "
		"the same with -o %s",
		record, (long long)max, tcm_count(m, TCM_POINTS), text);
}

static void note(const struct format_context *ctx, const char *how, const struct tcm_reading *r)
{
	char variant[64], line[200];
	size_t n = 0;

	tcm_variant_describe(&r->variant, variant);
	n = (size_t)snprintf(line, sizeof(line), "%s -o %s: terrain %zu, points %zu", how, variant,
		r->lists[TCM_TERRAIN].n, r->lists[TCM_POINTS].n);
	if (r->has_objects)
		snprintf(line + n, sizeof(line) - n, ", objects %zu", r->lists[TCM_OBJECTS].n);
	else
		snprintf(line + n, sizeof(line) - n, ", no list of objects");
	if (ctx->note)
		ctx->note(ctx->note_arg, line);
}

/* All of a file, into m. */
static int decode(struct tcm_map *m, const struct bytes *file, const struct tcm_demand *demand,
	const struct format_context *ctx, struct error *e)
{
	struct cursor c = cursor_init(file->data, file->size);
	const char *tag = tag_of(cursor_take(&c, TAG_SIZE), file->size);
	struct tcm_reading best, rival;
	int r = tag ? 0 : error_set(e, -EINVAL, "the tag is none of TCM3, TCM2, 3MCT");

	if (r == 0)
		r = take_name(&c, "name", &m->name, e);
	if (r == 0)
		r = take_name(&c, "author", &m->author, e);
	if (r == 0)
		r = tcm_reading_find(file->data, file->size, c.pos, tag, demand, &best, &rival, e);
	if (r == 0)
		r = take_lists(m, &best, file->data, e);
	if (r == 0)
		r = check_indices(m, demand, e);
	if (r < 0)
		return r;
	if (tag == tags[1] && ctx->note)
		ctx->note(ctx->note_arg,
			"the tag is TCM2, of a layout that is not known; read as TCM3");
	note(ctx, "read with", &best);
	if (rival.cost < UINT64_MAX)
		note(ctx, "this makes about as much sense:", &rival);
	return 0;
}

/* A map of nothing, into m: what the page says where -o says nothing. */
static int begin(struct tcm_map *m, const struct tcm_demand *d, struct error *e)
{
	static const int page[TCM_QUESTIONS] = {TCM_LITTLE, TCM_BYTES, TCM_NONE};

	m->fresh = true;
	m->variant.tag = tags[0];
	for (int q = 0; q < TCM_QUESTIONS; q++)
		m->variant.answers[q] = d->answers[q] < 0 ? page[q] : d->answers[q];
	m->name = bytes_copy("", 0);
	m->author = bytes_ref(m->name);
	m->records[TCM_TERRAIN] = bytes_ref(m->name);
	m->records[TCM_POINTS] = bytes_ref(m->name);
	return m->name ? 0 : error_set(e, -ENOMEM, "no memory for a map");
}

/* file is NULL for a new map. */
static int make(const struct format *format, const struct bytes *file,
	const struct format_context *ctx, struct snapshot **ret, struct error *e)
{
	struct tcm_map *m = tcm_map_new(format);
	CLEANUP(snapshot_unref) struct snapshot *s = m ? &m->base : NULL;
	struct tcm_demand demand;
	int r;

	if (!m)
		return error_set(e, -ENOMEM, "no memory for a map");
	r = tcm_demand_read(ctx->options, &demand, e);
	if (r == 0)
		r = file ? decode(m, file, &demand, ctx, e) : begin(m, &demand, e);
	for (enum tcm_file f = TCM_INFO; r == 0 && f <= TCM_OBJECTS; f++)
		if (f == TCM_INFO || m->records[f])
			r = tcm_show(m, f, e);
	if (r == 0)
		*ret = TAKE(s);
	return r;
}

int tcm_open(const struct format *f, const struct source *src, const struct format_context *ctx,
	struct snapshot **ret, struct error *e)
{
	CLEANUP(bytes_unref) struct bytes *file = NULL;
	int r = src->n_files ? tcm_load_file(src, &file, e) : 0;

	return r < 0 ? r : make(f, file, ctx, ret, e);
}
