/* SPDX-License-Identifier: Zlib */
#include "formats/triclon/open.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cursor.h"
#include "formats/triclon/format.h"
#include "formats/triclon/variant.h"

/*
 * The page's constants are the letters as numbers of either byte order: "TCM3" of the layout that
 * it describes, and "TCM2", left over in a heading, of an older one that it does not. A program
 * that stored the number rather than the letters on a big-endian machine made "3MCT".
 */
static const char *const tags[] = {"TCM3", "TCM2", "3MCT"};

bool tcm_probe(const struct source *src, const uint8_t *head, size_t n)
{
	(void)src;
	for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]); i++)
		if (n >= 4 && memcmp(head, tags[i], 4) == 0)
			return true;
	return false;
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

static void note_reading(const struct format_context *ctx, const struct tcm_reading *r,
	const struct tcm_reading *rival)
{
	char text[160], options[64], line[320];

	if (!ctx->note)
		return;
	if (memcmp(r->variant.tag, tags[1], 4) == 0)
		ctx->note(ctx->note_arg,
			"the tag is TCM2, of a layout that is not known; read as TCM3");
	tcm_reading_describe(r, text, sizeof(text));
	snprintf(line, sizeof(line), "read as %s", text);
	ctx->note(ctx->note_arg, line);
	if (!rival->cost)
		return;
	tcm_reading_describe(rival, text, sizeof(text));
	tcm_variant_options(&rival->variant, options, sizeof(options));
	snprintf(line, sizeof(line), "as %s it makes about as much sense (-o %s)", text, options);
	ctx->note(ctx->note_arg, line);
}

static int take_lists(struct tcm_map *m, const struct tcm_reading *r, const uint8_t *data,
	bool forced, struct error *e)
{
	size_t record = 0;
	int64_t max;

	m->variant = r->variant;
	m->had_objects = m->has_objects = r->has_objects;
	for (int i = 0; i < TCM_TABLES; i++) {
		if (i == TCM_OBJECTS && !r->has_objects)
			continue;
		m->lists[i] = tcm_reading_list(r, (enum tcm_table)i, data);
		if (!m->lists[i])
			return error_set(e, -ENOMEM, "no memory for a list");
	}
	/* Most likely a file that was cut short. Whoever says how to read it wants to see it. */
	max = tcm_max_index(m, &record);
	if (max < (int64_t)r->n_points || forced)
		return 0;
	return error_set(e, -EINVAL,
		"record %zu of the terrain list is at the point %lld (there are %zu); it opens all "
		"the "
		"same with -o points=%s",
		record, (long long)max, r->n_points, tcm_size_words[r->variant.points]);
}

/* All of a file, into m. */
static int decode(struct tcm_map *m, const struct bytes *file, const struct tcm_demand *demand,
	const struct format_context *ctx, struct error *e)
{
	struct cursor c = cursor_init(file->data, file->size);
	struct tcm_reading best, rival;
	int r;

	if (!tcm_probe(NULL, file->data, file->size))
		return error_set(e, -EINVAL, "the tag is none of TCM3, TCM2, 3MCT");
	cursor_take(&c, 4);
	r = take_name(&c, "name", &m->name, e);
	if (r == 0)
		r = take_name(&c, "author", &m->author, e);
	if (r == 0)
		r = tcm_reading_find(file->data, file->size, c.pos, demand, &best, &rival, e);
	if (r == 0)
		r = take_lists(m, &best, file->data, tcm_demand_any(demand), e);
	if (r == 0)
		note_reading(ctx, &best, &rival);
	return r;
}

int tcm_load_file(const struct source *src, struct bytes **ret, struct error *e)
{
	CLEANUP(bytes_unref) struct bytes *file = NULL;
	uint8_t *data;
	int r;

	if (src->sizes[0] > TCM_FILE_MAX)
		return error_set(e, -EINVAL, "the file has %llu bytes (at most %d)",
			(unsigned long long)src->sizes[0], TCM_FILE_MAX);
	file = bytes_new((size_t)src->sizes[0], &data);
	if (!file)
		return error_set(e, -ENOMEM, "no memory for the file");
	r = file_read(src->files[0], 0, data, file->size, e);
	if (r == 0)
		*ret = TAKE(file);
	return r;
}

int tcm_open(const struct source *src, const struct format_context *ctx, struct snapshot **ret,
	struct error *e)
{
	CLEANUP(bytes_unref) struct bytes *file = NULL;
	struct tcm_map *m = tcm_map_copy(NULL);
	CLEANUP(snapshot_unref) struct snapshot *s = m ? &m->base : NULL;
	struct tcm_demand demand;
	int r;

	if (!m)
		return error_set(e, -ENOMEM, "no memory for a map");
	m->base.format = &format_triclon;
	r = tcm_demand_read(ctx->options, &demand, e);
	if (r == 0)
		r = tcm_load_file(src, &file, e);
	if (r == 0)
		r = decode(m, file, &demand, ctx, e);
	if (r == 0)
		*ret = TAKE(s);
	return r;
}

int tcm_create(
	const char *name, const struct format_context *ctx, struct snapshot **ret, struct error *e)
{
	struct tcm_map *m = tcm_map_copy(NULL);
	CLEANUP(snapshot_unref) struct snapshot *s = m ? &m->base : NULL;
	struct tcm_demand d;
	int r;

	(void)name;
	if (!m)
		return error_set(e, -ENOMEM, "no memory for a map");
	m->base.format = &format_triclon;
	r = tcm_demand_read(ctx->options, &d, e);
	if (r < 0)
		return r;
	m->fresh = true;
	memcpy(m->variant.tag, tags[0], sizeof(m->variant.tag));
	m->variant.big = d.endian > 0;
	m->variant.lists = d.lists < 0 ? TCM_BYTES : (enum tcm_size)d.lists;
	m->variant.points = d.points < 0 ? TCM_NONE : (enum tcm_size)d.points;
	m->name = bytes_copy("", 0);
	m->author = bytes_copy("", 0);
	m->lists[TCM_TERRAIN] = tcm_list_new(TCM_TERRAIN, false, NULL, 0);
	m->lists[TCM_POINTS] = tcm_list_new(TCM_POINTS, false, NULL, 0);
	if (!m->name || !m->author || !m->lists[TCM_TERRAIN] || !m->lists[TCM_POINTS])
		return error_set(e, -ENOMEM, "no memory for a map");
	*ret = TAKE(s);
	return 0;
}
