/* SPDX-License-Identifier: Zlib */
#include "held.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "laws.h"
#include "vfs/overlay/overlay_build.h"

/* A walk that looks up the objects of the overlay in the reopened map. */
struct overlay_walk {
	const struct overlay *o;
	const struct overlay_build *staged;
	const struct snapshot *s;
	const struct dentry *dir;
	const char *path;
	int wrong;
};

static bool is_object_dir(const char *path)
{
	const char *last = strrchr(path, '/');

	return !strcmp(path, "images") || !strcmp(path, "sounds") || !strcmp(path, "envelopes") ||
	       !strcmp(path, "groups") || (last && !strcmp(last, "/layers"));
}

/* Does the saved map contain this overlay entry? */
static bool is_saved(const struct overlay_build *g, const struct oentry *u)
{
	for (size_t i = 1; u && i < g->n; i++)
		if (g->oentries[i] == u)
			return g->result.outputs[i].outcome != BUILD_REFUSED &&
			       g->result.outputs[i].outcome != BUILD_SCRATCH &&
			       g->result.outputs[i].outcome != BUILD_KEPT;
	return true;
}

static int find_in_map(void *arg, const char *name, const struct dentry *spot)
{
	struct overlay_walk *w = arg, below = *w;
	char path[PATH_MAX];
	struct file_attr en;

	if (snprintf(path, sizeof(path), "%s%s%s", w->path, *w->path ? "/" : "", name) >=
		(int)sizeof(path))
		return 0;
	if (!is_saved(w->staged, spot->oentry) || !strcmp(path, "raw"))
		return 0;
	if (is_object_dir(w->path) && entry_find(w->s, path, &en) < 0) {
		/* A new layer without a valid layer.json is not saved. */
		if (spot->oentry && spot->oentry->origin == ENTRY_NONE && strstr(path, "/layers/"))
			return 0;
		fprintf(stderr, "%s was in the tree, and is gone\n", path);
		w->wrong = 1;
		return 0;
	}
	below.path = path;
	below.dir = spot;
	if (spot->is_dir)
		overlay_list(w->o, spot, find_in_map, &below);
	w->wrong |= below.wrong;
	return 0;
}

/* Check that the overlay contains the objects of the reopened map. */
static int find_in_overlay(
	const struct overlay *o, const struct snapshot *s, entry_id dir, const char *above)
{
	char name[NAME_MAX + 1], path[PATH_MAX];
	uint64_t cookie = 0;
	struct file_attr en;
	struct dentry spot;
	int wrong = 0;

	while (s->format->list(s, dir, &cookie, name, &en, NULL) == 1) {
		if (snprintf(path, sizeof(path), "%s%s%s", above, *above ? "/" : "", name) >=
				(int)sizeof(path) ||
			!strcmp(path, "raw"))
			continue;
		if (is_object_dir(above) && overlay_find(o, path, &spot) < 0) {
			fprintf(stderr, "%s is in no tree\n", path);
			wrong = 1;
		}
		if (en.is_dir)
			wrong |= find_in_overlay(o, s, en.id, path);
	}
	return wrong;
}

static int reopen(const struct fixture *f, const struct overlay_build *g, struct fixture *ret)
{
	CLEANUP(bytes_unref) struct bytes *names = NULL;
	struct error e = ERROR_INIT;
	struct source src;
	int r = f->s->format->tree->names(g->result.map, &names, &e);

	if (r == 0)
		r = fixture_write(f, g->result.map, false, &src, NULL, &e);
	if (r == 0) {
		r = fixture_open_source(ret, f->s->format, &src, f->ctx.options, &e);
		/* The variant of a map may be unknown without the names. */
		if (names && ret->budget) {
			snapshot_unref(ret->s);
			ret->s = NULL;
			e = (struct error)ERROR_INIT;
			ret->ctx.names = names;
			r = f->s->format->open(&ret->source, &ret->ctx, &ret->s, &e);
			ret->ctx.names = NULL;
		}
		if (r < 0)
			fixture_close(ret);
	}
	if (r < 0)
		fprintf(stderr, "it cannot be opened again: %s\n%.*s", error_text(&e),
			names ? (int)names->size : 0, names ? (const char *)names->data : "");
	return r;
}

static void ignore_fault(void *arg, const struct format_fault *fault)
{
	(void)arg, (void)fault;
}

/* Does a save refuse the map? */
static bool is_refused(const struct fixture *f, const struct snapshot *map)
{
	const struct format_edit *edit = f->s->format->edit;

	return edit->check && edit->check(f->s, map, ignore_fault, NULL, NULL) < 0;
}

int held_save(const struct fixture *f, const struct overlay *o, struct fixture *ret)
{
	struct dentry root = overlay_root(o);
	struct overlay_walk w = {.o = o, .path = ""};
	struct error e = ERROR_INIT;
	struct overlay_build g;
	int r;

	if (overlay_build(o, &g, &e) < 0)
		return 0;
	if (is_refused(f, g.result.map)) {
		overlay_build_finish(&g);
		return 0;
	}
	r = reopen(f, &g, ret);
	if (r == 0) {
		w.staged = &g;
		w.s = ret->s;
		overlay_list(o, &root, find_in_map, &w);
		/* A refusal may leave the previous file in the map. */
		if (!g.result.n_refused)
			w.wrong |= find_in_overlay(o, ret->s, ENTRY_ROOT, "");
		if (w.wrong)
			fixture_close(ret);
	}
	r = r < 0 || w.wrong ? -1 : g.result.n_refused ? 2 : 1;
	overlay_build_finish(&g);
	return r;
}

struct comparing {
	const struct snapshot *other;
	bool any_variant; /* the map may be read in several ways */
	bool same;
};

/* A Triclon map without points does not say how points are stored, so info.json shows a guess. */
static bool has_any_variant(const struct snapshot *s)
{
	static const char header[] = "x,y\n";
	struct file_attr points;

	return strcmp(s->format->name, "triclon") == 0 &&
	       entry_find(s, "points.csv", &points) == 0 && points.has_size &&
	       points.size <= sizeof(header) - 1;
}

static void check_path_exists(void *arg, const char *path, const struct file_attr *entry)
{
	struct comparing *c = arg;

	(void)entry;
	if (c->same && entry_find(c->other, path, &(struct file_attr){0}) < 0) {
		fprintf(stderr, "%s is in one map only\n", path);
		c->same = false;
	}
}

static void report_difference(void *arg, const char *path, const char *law, const char *text)
{
	struct comparing *c = arg;

	if (c->any_variant && strcmp(path, "info.json") == 0)
		return;
	fprintf(stderr, "%s: %s: %s\n", path, law, text);
	c->same = false;
}

bool held_same(const struct snapshot *a, const struct snapshot *b)
{
	struct comparing c = {.other = a, .any_variant = has_any_variant(a), .same = true};
	struct laws l = {.broken = report_difference, .arg = &c};

	entry_walk(b, ENTRY_ROOT, "", check_path_exists, &c, NULL);
	laws_same(&l, "the same map", a, b);
	return c.same;
}
