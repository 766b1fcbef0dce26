/* SPDX-License-Identifier: Zlib */
/* open: a file, or nothing yet, as a map. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cursor.h"
#include "formats/triclon/reading.h"

/*
 * The page's constants are the letters as numbers of either byte order: "TCM3" of the layout that
 * it describes, and "TCM2", left over in a heading, of an older one that it does not. A program
 * that stored the number rather than the letters on a big-endian machine made "3MCT".
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

/* What -o says. */
static int read_demand(const char *const *options, struct tcm_demand *ret, struct error *e)
{
	*ret = (struct tcm_demand){.any = false};
	for (enum tcm_question q = 0; q < TCM_QUESTIONS; q++) {
		const char *key = tcm_questions[q].key, *value = format_option(options, key);

		ret->answers[q] = value ? tcm_answer(q, value) : -1;
		if (value && ret->answers[q] < 0)
			return error_set(e, -EINVAL, "option %s has no value \"%s\" (%s)", key,
				value, tcm_questions[q].all);
		ret->any |= value != NULL;
	}
	return 0;
}

/* What the mount that saved the map knows of it: as -o would say it, how many points, and whether
 * they have floats. text is changed, and kept as long as *ret. */
static int read_names(char *text, struct tcm_demand *ret, struct error *e)
{
	const char *options[TCM_QUESTIONS + 1] = {NULL}, *real;
	int r;

	for (int q = 0; q < TCM_QUESTIONS; q++)
		options[q] = strsep(&text, ",");
	r = read_demand(options, ret, e);
	ret->points = strsep(&text, ",");
	real = strsep(&text, ",");
	ret->real = real && *real == '1';
	return r;
}

static int pass_name(struct cursor *c, const char *what, struct error *e)
{
	size_t size = cursor_u8(c), left = cursor_left(c);

	(void)cursor_take(c, size);
	return c->bad ? error_set(e, -EINVAL, "the length of the %s is %zu (%zu bytes are left)",
				what, size, left)
		      : 0;
}

/* Most likely a file that was cut short. Whoever says how to read it wants to see it all the same.
 */
static int check_indices(const struct tcm_content *c, const struct tcm_demand *d, struct error *e)
{
	size_t record = 0, n_points = c->lists[TCM_POINTS].n;
	int64_t max = tcm_max_index(c, &record);
	char text[64];

	if (max < (int64_t)n_points || d->any)
		return 0;
	tcm_variant_describe(&c->variant, text);
	return error_set(e, -EINVAL,
		"record %zu of the terrain list is at the point %lld (there are %zu); it opens all "
		"the same with -o %s",
		record, (long long)max, n_points, text);
}

static void note(const struct format_context *ctx, const char *how, const struct tcm_content *c)
{
	const struct tcm_list *l = c->lists;
	char variant[64], line[200];
	size_t n;

	tcm_variant_describe(&c->variant, variant);
	n = (size_t)snprintf(line, sizeof(line), "%s -o %s: terrain %zu, points %zu", how, variant,
		l[TCM_TERRAIN].n, l[TCM_POINTS].n);
	if (l[TCM_OBJECTS].at)
		snprintf(line + n, sizeof(line) - n, ", objects %zu", l[TCM_OBJECTS].n);
	else
		snprintf(line + n, sizeof(line) - n, ", no list of objects");
	if (ctx->note)
		ctx->note(ctx->note_arg, line);
}

static int decode(const struct bytes *file, const struct tcm_demand *demand,
	const struct format_context *ctx, struct tcm_map **ret, struct error *e)
{
	struct cursor c = cursor_init(file->data, file->size);
	const char *tag = tag_of(cursor_take(&c, TCM_TAG_SIZE), file->size);
	struct tcm_reading best, rival;
	struct tcm_content *content = &best.content;
	int r = tag ? 0 : error_set(e, -EINVAL, "the tag is none of TCM3, TCM2, 3MCT");

	if (r == 0)
		r = pass_name(&c, "name", e);
	if (r == 0)
		r = pass_name(&c, "author", e);
	if (r == 0)
		r = tcm_reading_find(file->data, file->size, c.pos, tag, demand, &best, &rival, e);
	if (r == 0)
		r = check_indices(content, demand, e);
	if (r < 0)
		return r;
	content->lists[TCM_INFO] =
		(struct tcm_list){file->data + TCM_TAG_SIZE, c.pos - TCM_TAG_SIZE};
	r = tcm_map_make(NULL, content, &content->variant, ret, e);
	if (r < 0)
		return r;
	(*ret)->had_objects = content->lists[TCM_OBJECTS].at;
	if (tag == tags[1] && ctx->note)
		ctx->note(ctx->note_arg,
			"the tag is TCM2, of a layout that is not known; read as TCM3");
	note(ctx, "read with", content);
	if (rival.cost < UINT64_MAX)
		note(ctx, "this makes about as much sense:", &rival.content);
	return 0;
}

/* A map of nothing: what the page says where -o says nothing. */
static int begin(const struct tcm_demand *d, struct tcm_map **ret, struct error *e)
{
	static const struct tcm_content nothing = {
		.variant = {tags[0], {TCM_LITTLE, TCM_BYTES, TCM_NONE}},
		.lists = {[TCM_INFO] = {(const uint8_t *)"\0", 2}, /* two names of no bytes */
			[TCM_POINTS] = {(const uint8_t *)"", 0},
			[TCM_TERRAIN] = {(const uint8_t *)"", 0}}};
	struct tcm_variant v = nothing.variant;
	int r;

	for (int q = 0; q < TCM_QUESTIONS; q++)
		if (d->answers[q] >= 0)
			v.answers[q] = d->answers[q];
	r = tcm_map_make(NULL, &nothing, &v, ret, e);
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
		return error_set(e, -ENOMEM, "no memory for the variant");
	if (r == 0)
		r = names ? read_names(names, &demand, e) : read_demand(ctx->options, &demand, e);
	if (r == 0)
		r = file ? decode(file, &demand, ctx, &m, e) : begin(&demand, &m, e);
	if (r == 0)
		*ret = &m->base;
	return r;
}
