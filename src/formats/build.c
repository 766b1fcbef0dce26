/* SPDX-License-Identifier: Zlib */
#include "formats/build.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "formats/building.h"

static void finish_output(struct build_output *o)
{
	free(o->reason);
	parsed_unref(o->parsed);
	parsed_unref(o->accepted_parsed);
}

void build_result_finish(struct build_result *b)
{
	for (size_t i = 0; b->outputs && i < b->n; i++)
		finish_output(&b->outputs[i]);
	free(b->outputs);
	snapshot_unref(b->map);
	*b = (struct build_result){0};
}

/* Must the saved map get the time that a program set for the file of input i? */
static bool has_new_time(const struct building *b, size_t i)
{
	const struct build_output *o = &b->result->outputs[i];
	struct timespec t;
	struct file_attr en;

	if (!b->inputs[i].has_mtime || !b->format->kept_time || b->inputs[i].is_dir ||
		o->id == ENTRY_NONE)
		return false;
	/* A file that is written or moved would get a new time. */
	if (b->inputs[i].origin != o->id || o->outcome != BUILD_SAME)
		return true;
	t = b->format->kept_time(b->inputs[i].mtime);
	return b->format->stat(b->base, o->id, &en, NULL) == 0 && en.has_mtime &&
	       (en.mtime.tv_sec != t.tv_sec || en.mtime.tv_nsec != t.tv_nsec);
}

static int place_times(struct building *b)
{
	int r = 0;

	for (size_t i = 1; r == 0 && i < b->result->n; i++) {
		struct build_output *o = &b->result->outputs[i];

		if (!has_new_time(b, i))
			continue;
		r = building_place(
			b, (struct placement){
				   .id = o->id, .is_time_only = true, .mtime = b->inputs[i].mtime});
		if (o->outcome == BUILD_SAME)
			o->outcome = BUILD_WRITTEN;
	}
	return r;
}

static bool was_empty(const struct building *b, entry_id dir)
{
	char name[NAME_MAX + 1];
	uint64_t cookie = 0;
	struct file_attr en;

	return b->format->list(b->base, dir, &cookie, name, &en, NULL) == 0;
}

/* Mark new objects that finalize left out of the map. */
static void mark_absent(const struct building *b)
{
	for (size_t i = 0; i < b->n_placements; i++) {
		struct build_output *o = &b->result->outputs[b->placements[i].order];

		if (b->placements[i].is_absent && o->outcome == BUILD_NEW)
			o->outcome = BUILD_ABSENT;
	}
}

/* Correct the outcomes of removed directories, which contents may create again. An empty directory
 * that another directory replaces is unchanged. */
static void mark_dirs(const struct building *b)
{
	struct file_attr en;

	for (size_t i = 1; i < b->result->n; i++) {
		enum build_outcome *outcome = &b->result->outputs[i].hidden_outcome;
		bool gone = b->inputs[i].is_removed;
		entry_id id = gone ? b->inputs[i].origin : b->inputs[i].hidden;

		if (*outcome == BUILD_SAME || *outcome == BUILD_RESTORED ||
			b->format->stat(b->map, id, &en, NULL) < 0 || !en.is_dir)
			continue;
		if (gone)
			*outcome = en.is_cleared_by_mount ? BUILD_CLEARED : BUILD_REMOVED;
		else
			*outcome = b->inputs[i].is_dir && was_empty(b, id) ? BUILD_SAME
									   : BUILD_REPLACED;
	}
}

/* Apply the contents of the inputs to the base. Placements follow in finalize. */
static int put_contents(struct building *b, struct error *e)
{
	int r = resolve_identities(b, e);

	if (r == -ENOMEM && (!e || !e->code))
		error_set(e, r, "out of memory");
	if (r == 0)
		r = apply_contents(b, e);
	if (r == 0)
		mark_dirs(b);
	return r;
}

static void building_finish(struct building *b)
{
	identities_finish(b);
	free(b->files);
	free(b->placements);
	snapshot_unref(b->bare_map);
	snapshot_unref(b->map);
}

static int begin_build(struct building *b, const struct snapshot *base,
	const struct build_input *entries, size_t n, struct build_result *ret, struct error *e)
{
	*b = (struct building){
		.base = base, .format = base->format, .inputs = entries, .result = ret};
	*ret = (struct build_result){.n = n};
	ret->outputs = calloc(n + 1, sizeof(*ret->outputs));
	b->map = snapshot_ref(base);
	if (!ret->outputs || identities_begin(b) < 0)
		return error_set(e, -ENOMEM, "out of memory");
	for (size_t i = 0; i < n; i++)
		ret->outputs[i].id = ENTRY_NONE;
	return 0;
}

static int finalize(struct building *b, const struct build_options *how, struct error *e)
{
	const struct format_tree *tree = b->format->tree;
	int r;

	if (!how->places_objects)
		return tree->finalize(
			b->map, NULL, FORMAT_UNPLACED, &b->result->map, NULL, NULL, e);
	r = place_times(b);
	if (r == 0)
		r = tree->finalize(b->map, b->placements, b->n_placements, &b->result->map,
			how->say, how->arg, e);
	if (r == 0)
		mark_absent(b);
	return r;
}

int build(const struct snapshot *base, const struct build_input *entries, size_t n,
	const struct build_options *how, struct build_result *ret, struct error *e)
{
	__attribute__((cleanup(building_finish))) struct building b;
	int r = begin_build(&b, base, entries, n, ret, e);

	b.previous = how->previous;
	if (r == 0)
		r = put_contents(&b, e);
	if (r == 0)
		r = finalize(&b, how, e);
	if (r < 0)
		build_result_finish(ret);
	return r;
}
