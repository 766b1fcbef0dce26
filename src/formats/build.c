/* SPDX-License-Identifier: Zlib */
#include "formats/build.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "formats/building.h"

static void finish_entry(struct built_entry *o)
{
	free(o->why);
	parsed_unref(o->parsed);
	parsed_unref(o->last_parsed);
}

void built_finish(struct built *b)
{
	for (size_t i = 0; b->entries && i < b->n; i++)
		finish_entry(&b->entries[i]);
	free(b->entries);
	snapshot_unref(b->map);
	*b = (struct built){0};
}

/* Is its time another one than the base's, where maps keep times? */
static bool is_timed(const struct building *b, size_t i)
{
	const struct built_entry *o = &b->out->entries[i];
	struct timespec t;
	struct entry en;

	if (!b->in[i].timed || !b->f->kept_time || b->in[i].dir || o->id == ENTRY_NONE)
		return false;
	/* What is written or stands elsewhere would get another. */
	if (b->in[i].from != o->id || o->fate != BUILD_SAME)
		return true;
	t = b->f->kept_time(b->in[i].mtime);
	return b->f->stat(b->base, o->id, &en, NULL) == 0 && en.has_mtime &&
	       (en.mtime.tv_sec != t.tv_sec || en.mtime.tv_nsec != t.tv_nsec);
}

static int put_times(struct building *b)
{
	int r = 0;

	for (size_t i = 1; r == 0 && i < b->out->n; i++) {
		struct built_entry *o = &b->out->entries[i];

		if (!is_timed(b, i))
			continue;
		r = building_place(
			b, (struct placement){.id = o->id, .stamp = true, .mtime = b->in[i].mtime});
		if (o->fate == BUILD_SAME)
			o->fate = BUILD_WRITTEN;
	}
	return r;
}

static bool held_nothing(const struct building *b, entry_id dir)
{
	char name[NAME_MAX + 1];
	uint64_t cookie = 0;
	struct entry en;

	return b->f->list(b->base, dir, &cookie, name, &en, NULL) == 0;
}

/* New objects that are in no map. */
static void tell_absent(const struct building *b)
{
	for (size_t i = 0; i < b->n_placements; i++) {
		struct built_entry *o = &b->out->entries[b->placements[i].order];

		if (b->placements[i].absent && o->fate == BUILD_NEW)
			o->fate = BUILD_ABSENT;
	}
}

/* Whether a directory that was removed is there again may follow from contents; one that held
 * nothing is not missed where another has its path. */
static void tell_dirs(const struct building *b)
{
	struct entry en;

	for (size_t i = 1; i < b->out->n; i++) {
		enum build_fate *old = &b->out->entries[i].old;
		bool gone = b->in[i].gone;
		entry_id id = gone ? b->in[i].from : b->in[i].hides;

		if (*old == BUILD_SAME || *old == BUILD_NEEDED ||
			b->f->stat(b->now, id, &en, NULL) < 0 || !en.dir)
			continue;
		if (gone)
			*old = en.lasting ? BUILD_EMPTIED : BUILD_GONE;
		else
			*old = b->in[i].dir && held_nothing(b, id) ? BUILD_SAME : BUILD_REPLACED;
	}
}

/* The base with the contents of the tree, nothing placed yet. */
static int put_contents(struct building *b, struct error *e)
{
	int r = settle(b, e);

	if (r == -ENOMEM && (!e || !e->code))
		error_set(e, r, "no memory for the objects of a map");
	if (r == 0)
		r = contents_put(b, e);
	if (r == 0)
		tell_dirs(b);
	return r;
}

static void building_finish(struct building *b)
{
	settle_finish(b);
	free(b->written);
	free(b->placements);
	snapshot_unref(b->bare);
	snapshot_unref(b->now);
}

static int begin(struct building *b, const struct snapshot *base, const struct tree_entry *entries,
	size_t n, struct built *ret, struct error *e)
{
	*b = (struct building){.base = base, .f = base->format, .in = entries, .out = ret};
	*ret = (struct built){.n = n};
	ret->entries = calloc(n + 1, sizeof(*ret->entries));
	b->now = snapshot_ref(base);
	if (!ret->entries || settle_begin(b) < 0)
		return error_set(e, -ENOMEM, "no memory for the files of a map");
	for (size_t i = 0; i < n; i++)
		ret->entries[i].id = ENTRY_NONE;
	return 0;
}

static int finalize(struct building *b, const struct build_how *how, struct error *e)
{
	const struct format_tree *tree = b->f->tree;
	int r;

	if (!how->placed)
		return tree->finalize(b->now, NULL, FORMAT_UNPLACED, &b->out->map, NULL, NULL, e);
	r = put_times(b);
	if (r == 0)
		r = tree->finalize(b->now, b->placements, b->n_placements, &b->out->map, how->say,
			how->arg, e);
	if (r == 0)
		tell_absent(b);
	return r;
}

int build(const struct snapshot *base, const struct tree_entry *entries, size_t n,
	const struct build_how *how, struct built *ret, struct error *e)
{
	__attribute__((cleanup(building_finish))) struct building b;
	int r = begin(&b, base, entries, n, ret, e);

	b.like = how->like;
	if (r == 0)
		r = put_contents(&b, e);
	if (r == 0)
		r = finalize(&b, how, e);
	if (r < 0)
		built_finish(ret);
	return r;
}
