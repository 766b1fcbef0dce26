/* SPDX-License-Identifier: Zlib */
/* open: read a map from a file, or create a new one. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "formats/teeworlds/datafile/datafile.h"
#include "formats/teeworlds/item/points.h"
#include "formats/teeworlds/model/groups.h"
#include "formats/teeworlds/names/mounted.h"
#include "formats/teeworlds/structure.h"

enum { FILE_VERSION = 4 /* of new maps */ };

/* The caller has checked the values against the format's settings. */
static void read_options(const struct format_context *ctx, struct tw_shared *sh)
{
	const char *raw = format_option(ctx->options, "raw");
	const char *preview = format_option(ctx->options, "preview");
	const char *png = format_option(ctx->options, "png");

	if (raw && strcmp(raw, "ro") != 0)
		sh->raw = strcmp(raw, "rw") == 0 ? TW_RAW_RW : TW_RAW_OFF;
	sh->preview = preview ? (uint32_t)strtoul(preview, NULL, 10) : 0;
	sh->packed = png && strcmp(png, "packed") == 0;
}

static int create_derived_blobs(
	const struct format_context *ctx, struct tw_shared *sh, struct error *e)
{
	const struct extent none = EXTENT_INIT;

	sh->points = blob_new(&none, BLOB_RAW, 0, ctx->budget);
	if (!sh->points)
		return error_set(e, -ENOMEM, "out of memory");
	sh->load_image = ctx->image;
	sh->image_arg = ctx->image_arg;
	for (size_t i = 0; sh->preview && i < TW_PICTURES; i++) {
		sh->pictures[i] = blob_new(&none, BLOB_RAW, 0, ctx->budget);
		if (!sh->pictures[i])
			return error_set(e, -ENOMEM, "out of memory");
	}
	return 0;
}

static int create_map(const struct format *format, const struct format_context *ctx,
	struct tw_map **ret, struct error *e)
{
	CLEANUP(tw_shared_unref) struct tw_shared *sh = calloc(1, sizeof(*sh));
	struct tw_map *m;
	int r;

	if (!sh)
		return error_set(e, -ENOMEM, "out of memory");
	atomic_init(&sh->refs, 1);
	sh->budget = ctx->budget;
	sh->store = ctx->store;
	sh->note = ctx->note;
	sh->note_arg = ctx->note_arg;
	read_options(ctx, sh);
	r = create_derived_blobs(ctx, sh, e);
	if (r < 0)
		return r;
	m = tw_map_new(TAKE(sh));
	if (!m)
		return error_set(e, -ENOMEM, "out of memory");
	m->base.format = format;
	*ret = m;
	return 0;
}

/* Limit how much groups share layers, and envelopes share points. Otherwise a small file could
 * claim so many that a listing never ends. No real map comes near the limit. */
static int check_claims(const struct tw_map *m, struct error *e)
{
	enum { TIMES = 16, FREE = 65536 };
	uint64_t layers = 0, points = 0, most;
	struct tw_points all;

	for (uint32_t i = 0; i < tw_count(m, TW_GROUP); i++)
		layers += tw_group_layers(m, i).n;
	most = (uint64_t)TIMES * tw_count(m, TW_LAYER) + FREE;
	if (layers > most)
		return error_set(e, -EINVAL,
			"groups have %" PRIu64 " layers in total (at most %" PRIu64 ")", layers,
			most);
	tw_points_get_all(m, &all);
	for (uint32_t i = 0; i < tw_count(m, TW_ENVELOPE); i++) {
		uint32_t begin, end;

		tw_points_range(&all, tw_item_at(m, TW_ENVELOPE, i), &begin, &end);
		points += end - begin;
	}
	most = (uint64_t)TIMES * all.n + FREE;
	if (points > most)
		return error_set(e, -EINVAL,
			"envelopes have %" PRIu64 " points in total (at most %" PRIu64 ")", points,
			most);
	return 0;
}

static int read_map(const struct source *src, struct tw_map *m, struct error *e)
{
	struct tw_shared *sh = m->shared;
	int r = datafile_read(src, m, e);

	if (r == 0)
		r = check_claims(m, e);
	if (r < 0)
		return r;
	sh->n_blobs = m->n_blobs;
	sh->is_typed = tw_is_typed(m);
	if (!sh->is_typed && sh->note)
		sh->note(
			sh->note_arg, "the map has no version item of value 1: only raw/ is shown");
	return 0;
}

/* Add the version item to a new map. The save adds the other items that a game requires. */
static int init_new_map(struct tw_map *m, struct error *e)
{
	struct tw_ints *version = tw_ints_new(1);
	uint32_t item;
	int r;

	m->shared->is_typed = true;
	m->shared->is_new_map = true;
	m->shared->file_version = FILE_VERSION;
	if (version)
		version->v[0] = 1;
	r = tw_map_add_item(m, TW_VERSION, 0, version, &item);
	if (r == 0)
		r = tw_map_reindex(m);
	return r < 0 ? error_set(e, r, "out of memory") : 0;
}

int tw_map_open(const struct format *format, const struct source *src,
	const struct format_context *ctx, struct snapshot **ret, struct error *e)
{
	CLEANUP(snapshot_unref) struct snapshot *s = NULL;
	struct tw_map *m;
	int r = create_map(format, ctx, &m, e);

	if (r < 0)
		return r;
	s = &m->base;
	r = src->n_files ? read_map(src, m, e) : init_new_map(m, e);
	if (r == 0)
		r = tw_names_read(m, src->n_files ? ctx->names : NULL, e);
	if (r == 0)
		r = tw_mounted_check(m, e);
	if (r == 0)
		*ret = TAKE(s);
	return r;
}
