/* SPDX-License-Identifier: Zlib */
/* open: read a map file, or make a new map. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cursor.h"
#include "formats/triclon/reading.h"

/*
 * The format's page gives the tag as numbers: "TCM3" in either byte order for the layout that it
 * describes, and "TCM2" in a heading, for an older layout that is unknown. A big-endian program
 * that stores the number instead of the letters writes "3MCT".
 */
static const char tags[][TCM_TAG_SIZE + 1] = {"TCM3", "TCM2", "3MCT"};

static const char *tag_of(const uint8_t *data, size_t n)
{
	for (size_t i = 0; n >= TCM_TAG_SIZE && i < sizeof(tags) / sizeof(tags[0]); i++)
		if (memcmp(data, tags[i], TCM_TAG_SIZE) == 0)
			return tags[i];
	return NULL;
}

bool tcm_probe(const struct source *, const uint8_t *head, size_t n)
{
	return tag_of(head, n) != NULL;
}

/* Read the demands of -o. */
static int read_demand(const char *const *options, struct tcm_demand *ret, struct error *e)
{
	*ret = (struct tcm_demand){.is_forced = false};
	for (enum tcm_question q = 0; q < TCM_QUESTIONS; q++) {
		const char *key = tcm_questions[q].key, *value = format_option(options, key);

		ret->answers[q] = value ? tcm_answer(q, value) : -1;
		if (value && ret->answers[q] < 0)
			return error_set(e, -EINVAL, "option %s has no value \"%s\" (%s)", key,
				value, tcm_questions[q].all);
		ret->is_forced |= value != NULL;
	}
	return 0;
}

/* Read the name table of the mount that saved the map: three options, the number of points, and
 * whether coordinates are floats. Changes text. */
static int read_names(char *text, struct tcm_demand *ret, struct error *e)
{
	const char *options[TCM_QUESTIONS + 1] = {NULL}, *number, *real;
	int r;

	for (int q = 0; q < TCM_QUESTIONS; q++)
		options[q] = strsep(&text, ",");
	r = read_demand(options, ret, e);
	number = strsep(&text, ",");
	real = strsep(&text, ",");
	ret->is_exact = number;
	ret->n_points = number ? strtoull(number, NULL, 10) : 0;
	ret->real = real && *real == '1';
	return r;
}

static int pass_name(struct cursor *c, const char *what, struct error *e)
{
	size_t size = cursor_u8(c), left = cursor_left(c);

	(void)cursor_take(c, size);
	return c->is_bad ? error_set(e, -EINVAL, "the length of the %s is %zu (%zu bytes remain)",
				   what, size, left)
			 : 0;
}

/* Refuse indices beyond the points: the file is probably cut short. A user who names a reading sees
 * the map all the same. */
static int check_indices(const struct tcm_content *c, const struct tcm_demand *d, struct error *e)
{
	size_t record = 0, n_points = c->lists[TCM_POINTS].n;
	int64_t max = tcm_max_index(c, &record);
	char text[64];

	if (max < (int64_t)n_points || d->is_forced)
		return 0;
	tcm_variant_describe(&c->variant, text);
	return error_set(e, -EINVAL,
		"record %zu of the terrain list refers to point %lld (the map has %zu); use -o %s "
		"to open it anyway",
		record, (long long)max, n_points, text);
}

static void report_reading(const struct format_context *ctx, const struct tcm_content *c)
{
	const struct tcm_list *l = c->lists;
	char variant[64], objects[40] = "no list of objects", line[200];

	if (l[TCM_OBJECTS].data)
		snprintf(objects, sizeof(objects), "objects %zu", l[TCM_OBJECTS].n);
	tcm_variant_describe(&c->variant, variant);
	snprintf(line, sizeof(line), "read with -o %s: terrain %zu, points %zu, %s", variant,
		l[TCM_TERRAIN].n, l[TCM_POINTS].n, objects);
	ctx->note(ctx->note_arg, line);
}

static int decode(const struct bytes *file, const struct tcm_demand *demand,
	const struct format_context *ctx, struct tcm_map **ret, struct error *e)
{
	struct cursor c = cursor_init(file->data, file->size);
	const char *tag = tag_of(cursor_take(&c, TCM_TAG_SIZE), file->size);
	struct tcm_content content = {.variant.tag = tag};
	int r = tag ? 0 : error_set(e, -EINVAL, "the tag is not TCM3, TCM2 or 3MCT");

	if (r == 0)
		r = pass_name(&c, "name", e);
	if (r == 0)
		r = pass_name(&c, "author", e);
	if (r < 0)
		return r;
	content.lists[TCM_INFO] =
		(struct tcm_list){file->data + TCM_TAG_SIZE, c.pos - TCM_TAG_SIZE};
	r = tcm_reading_find(file, demand, &content, e);
	if (r == 0)
		r = check_indices(&content, demand, e);
	if (r == 0)
		r = tcm_map_make(NULL, &content, &content.variant, ret, e);
	if (r < 0)
		return r;
	(*ret)->had_objects = content.lists[TCM_OBJECTS].data;
	if (!ctx->note)
		return 0;
	if (tag == tags[1])
		ctx->note(ctx->note_arg, "the layout of the tag TCM2 is unknown; read as TCM3");
	report_reading(ctx, &content);
	return 0;
}

/* Make an empty map, by default in the variant that the page describes. */
static int make_new_map(const struct tcm_demand *d, struct tcm_map **ret, struct error *e)
{
	static const struct tcm_content empty = {
		.variant = {tags[0], {TCM_LITTLE, TCM_BYTES, TCM_NONE}},
		.lists = {[TCM_INFO] = {(const uint8_t *)"\0", 2}, /* two names of no bytes */
			[TCM_POINTS] = {(const uint8_t *)"", 0},
			[TCM_TERRAIN] = {(const uint8_t *)"", 0}}};
	struct tcm_variant v = empty.variant;
	int r;

	for (int q = 0; q < TCM_QUESTIONS; q++)
		if (d->answers[q] >= 0)
			v.answers[q] = d->answers[q];
	r = tcm_map_make(NULL, &empty, &v, ret, e);
	if (r == 0)
		(*ret)->fresh = true;
	return r;
}

int tcm_open(const struct source *src, const struct format_context *ctx, struct snapshot **ret,
	struct error *e)
{
	CLEANUP(bytes_unref) struct bytes *file = NULL;
	CLEANUP(free) char *names = NULL;
	struct tcm_demand demand;
	struct tcm_map *m;
	int r = src->n_files ? tcm_load_file(src, &file, e) : 0;

	if (ctx->names && !(names = text_copy((const char *)ctx->names->data, ctx->names->size)))
		return error_set(e, -ENOMEM, "out of memory");
	if (r == 0)
		r = names ? read_names(names, &demand, e) : read_demand(ctx->options, &demand, e);
	if (r == 0)
		r = file ? decode(file, &demand, ctx, &m, e) : make_new_map(&demand, &m, e);
	if (r == 0)
		*ret = &m->base;
	return r;
}
