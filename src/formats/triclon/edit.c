/* SPDX-License-Identifier: Zlib */
/* edit: what was written, and the file that a map is. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "formats/triclon/map.h"

static void set(struct bytes **part, struct bytes *b)
{
	bytes_unref(*part);
	*part = b;
}

int tcm_put(struct tcm_map *m, enum tcm_file f, struct buffer *stored, struct error *e)
{
	CLEANUP_BUFFER struct buffer text = BUFFER_INIT;
	struct bytes *b;

	if (buffer_finish(stored, &b) < 0)
		return error_set(e, -ENOMEM, "no memory for %s", tcm_kinds[f].name);
	set(&m->stored[f], b);
	if (f == TCM_INFO)
		tcm_info_show(m, &text);
	else
		tcm_table_show(m, f, &text);
	if (buffer_finish(&text, &b) < 0)
		return error_set(e, -ENOMEM, "no memory for %s", tcm_kinds[f].name);
	set(&m->texts[f], b);
	return 0;
}

int tcm_load_file(const struct source *src, struct bytes **ret, struct error *e)
{
	CLEANUP_EXTENT struct extent all =
		extent_of_file(file_ref(src->files[0]), 0, src->sizes[0]);

	return extent_load(&all, TCM_FILE_MAX, ret, e);
}

static int put(const struct snapshot *s, entry_id id, const struct extent *in,
	const struct format_others *others, struct snapshot **ret, struct touched *t,
	struct error *e)
{
	CLEANUP(snapshot_unref) struct snapshot *next = NULL;
	CLEANUP_BUFFER struct buffer stored = BUFFER_INIT;
	enum tcm_file f = (enum tcm_file)(id / 2);
	struct tcm_map *m;
	int r = tcm_map_new(s->format, tcm_map_of(s), &m, e);

	(void)others;
	(void)t; /* no other file shows what one of them says */
	if (r < 0)
		return r;
	next = &m->base;
	if (in)
		r = f == TCM_INFO ? tcm_info_parse(m, in, &stored, e)
				  : tcm_table_parse(m, f, in, &stored, e);
	if (r == -EFBIG)
		return error_set(e, -EINVAL, "line 1, column 1: the file is larger than any map's");
	if (r == 0)
		r = tcm_put(m, f, &stored, e);
	if (r == 0 && !tcm_map_same(tcm_map_of(s), m))
		*ret = TAKE(next);
	return r;
}

static bool same(const struct snapshot *a, const struct snapshot *b)
{
	/* What was never written is like no file. */
	return !tcm_map_of(a)->fresh && tcm_map_same(tcm_map_of(a), tcm_map_of(b));
}

static int encode_all(const struct snapshot *s, struct buffer *to, struct error *e)
{
	tcm_encode(tcm_map_of(s), to);
	if (to->error)
		return error_set(e, to->error, "no memory for the map to be written");
	if (to->size > TCM_FILE_MAX)
		return error_set(e, -EFBIG, "the map would have %zu bytes (at most %d)", to->size,
			TCM_FILE_MAX);
	return 0;
}

static int encode(const struct snapshot *s, struct replace *const outs[], bool force,
	struct plan **ret, struct error *e)
{
	CLEANUP_BUFFER struct buffer file = BUFFER_INIT;
	int r = encode_all(s, &file, e);

	(void)force; /* all is encoded anew every time */
	if (r < 0)
		return r;
	replace_write(outs[0], file.data, file.size);
	*ret = NULL;
	return 0;
}

/* Byte for byte, rather than read: how a file is read can be in doubt, what it holds cannot. */
static int verify(const struct snapshot *s, const struct plan *p, const struct source *written,
	struct error *e)
{
	CLEANUP(bytes_unref) struct bytes *back = NULL;
	CLEANUP_BUFFER struct buffer file = BUFFER_INIT;
	int r = tcm_load_file(written, &back, e);

	(void)p;
	if (r == 0)
		r = encode_all(s, &file, e);
	if (r == 0 && (back->size != file.size || memcmp(back->data, file.data, file.size) != 0))
		r = error_set(e, -EIO, "the file holds something else");
	return r;
}

static int check(const struct snapshot *before, const struct snapshot *s, bool all,
	void (*why)(void *arg, const struct format_fault *f), void *arg, struct error *e)
{
	const struct tcm_map *m = tcm_map_of(s), *old = before ? tcm_map_of(before) : NULL;
	size_t record = 0, at, n_points = tcm_count(m, TCM_POINTS);
	int64_t max = tcm_max_index(m, &record), had = old ? tcm_max_index(old, &at) : -1;
	char line[200], value[24], bound[64];
	const struct format_fault fault = {.path = "terrain.csv",
		.field = "column 1",
		.value = value,
		.bound = bound,
		.line = line,
		.text = line + strlen("terrain.csv: ")};

	(void)all;
	if (max < (int64_t)n_points ||
		(old && had >= (int64_t)tcm_count(old, TCM_POINTS) && max <= had))
		return 0;
	snprintf(value, sizeof(value), "%lld", (long long)max);
	snprintf(bound, sizeof(bound), "points.csv has %zu, counted from 0", n_points);
	snprintf(line, sizeof(line),
		"terrain.csv: line %zu, column 1: %s is beyond the points (%s)", record + 2, value,
		bound);
	why(arg, &fault);
	return error_set(e, -EINVAL, "terrain.csv refers to points that are not there");
}

const struct format_edit tcm_edit = {
	.put = put,
	.check = check,
	.encode = encode,
	.verify = verify,
	.same = same,
};
