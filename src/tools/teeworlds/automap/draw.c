/* SPDX-License-Identifier: Zlib */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"
#include "base/buffer.h"
#include "base/name.h"
#include "tools/common/path_pattern.h"
#include "tools/common/work.h"
#include "tools/teeworlds/automap/layer.h"

enum { TILES_OF_BYTE = 16 /* parsing a byte of rules takes as long as reading 16 tiles */ };

struct drawing {
	const struct automap *how;
	char **layers; /* paths of all layers, in order */
	size_t n, room;
	const char *file;         /* name of the current file of rules */
	char name[NAME_MAX + 1];  /* buffer for `file`, if it is derived from an image's name */
	struct tw_auto_grid game; /* the game layer; tiles is NULL until it is needed */
	uint64_t work;            /* tiles read so far, in all layers */
};

static const char *const references[] = {"game", "hookable", "death", "unhookable", "freeze",
	"unfreeze", "deep-freeze", "deep-unfreeze", "live-freeze", "live-unfreeze", NULL};
static const int only[] = {TW_REFERENCE_WHOLE, 1, 2, 3, 9, 11, 12, 13, 144, 145};

#define SAY(d, what, where, ...)                                                                   \
	do {                                                                                       \
		struct error text_ = ERROR_INIT;                                                   \
		error_write(&text_, -EINVAL, __VA_ARGS__);                                         \
		(d)->how->say((d)->how->arg, what, where, error_text(&text_));                     \
	} while (0)

/* groups/G/layers/L */
struct level {
	struct drawing *d;
	const char *dir;
};

static int add_layer(void *arg, const char *name)
{
	const struct level *l = arg;
	struct drawing *d = l->d;

	if (!array_reserve(d->layers, d->n, d->room) ||
		!(d->layers[d->n] = path_join(l->dir, name)))
		return -ENOMEM;
	d->n++;
	return 0;
}

static int add_group(void *arg, const char *name)
{
	struct drawing *d = arg;
	const struct automap_files *f = &d->how->files;
	CLEANUP(free) char *dir = text_printf("groups/%s/layers", name);
	struct level l = {d, dir};
	int r = dir ? f->list(f->arg, dir, add_layer, &l) : -ENOMEM;

	return r == -ENOENT || r == -ENOTDIR ? 0 : r;
}

static int check_patterns(const struct drawing *d, struct error *e)
{
	for (const char *const *p = d->how->layers; p && *p; p++) {
		size_t i = 0;

		while (i < d->n && !path_matches(*p, d->layers[i]))
			i++;
		if (i == d->n)
			return error_set(e, -ENOENT, "%s: no such layer", *p);
	}
	return 0;
}

static void report_fault(void *arg, const char *text)
{
	struct drawing *d = arg;

	d->how->say(d->how->arg, AUTOMAP_FAULT, d->file, text);
}

/* Add n tiles to the work. -E2BIG above the limit. */
static int count_work(struct drawing *d, uint64_t n, struct error *e)
{
	if (__builtin_add_overflow(d->work, n, &d->work))
		d->work = UINT64_MAX;
	if (d->work > WORK_TILES_MAX && !d->how->has_no_limit)
		return error_set(e, -E2BIG,
			"the rules look at %" PRIu64 " tiles of the map (at most %" PRIu64
			"; use --no-limit for more)",
			d->work, WORK_TILES_MAX);
	return 0;
}

/* Read the given file of rules, or else the one named after the image. */
static int read_rules(struct drawing *d, const char *image, struct tw_rules **ret, struct error *e)
{
	CLEANUP(bytes_unref) struct bytes *text = NULL;
	int r;

	if (!d->how->file && (!image[0] || image[0] == '.' || strchr(image, '/') ||
				     snprintf(d->name, sizeof(d->name), "%s.rules", image) >=
					     (int)sizeof(d->name)))
		return error_set(
			e, -ENOENT, "the layer has no image to find rules for (use --rules FILE)");
	d->file = d->how->file ? d->how->file : d->name;
	r = d->how->rules(d->how->arg, d->file, &text, e);
	if (r == 0)
		r = count_work(d, text->size * TILES_OF_BYTE, e);
	return r < 0 ? r
		     : tw_rules_read((const char *)text->data, text->size, report_fault, d, ret, e);
}

/* "0 [Grass], 1 [Desert]" */
static void list_configs(const struct tw_rules *rules, struct buffer *out)
{
	for (size_t i = 0; i < rules->n; i++)
		buffer_printf(out, "%s%zu [%s]", i ? ", " : "", i, rules->configs[i].name);
	if (!rules->n)
		buffer_text(out, "no configuration");
	buffer_byte(out, '\0');
}

/* Find a configuration by its exact name, or else the first that matches without regard to case.
 * Returns rules->n if there is none. */
static size_t find_name(const struct tw_rules *rules, const char *name)
{
	size_t i = 0, k = 0;

	while (i < rules->n && strcmp(rules->configs[i].name, name) != 0)
		i++;
	while (i == rules->n && k < rules->n && strcasecmp(rules->configs[k].name, name) != 0)
		k++;
	return i < rules->n ? i : k;
}

/* Find the configuration that the command line names, by name or number, or else the layer's. */
static const struct tw_rules_config *find_config(
	const struct drawing *d, const struct tw_rules *rules, int32_t number, struct error *e)
{
	CLEANUP_BUFFER struct buffer known = BUFFER_INIT;
	const char *name = d->how->config;
	size_t i;

	if (!name)
		i = number >= 0 ? (size_t)number : rules->n;
	else if (!name[strspn(name, "0123456789")])
		i = strtoul(name, NULL, 10);
	else
		i = find_name(rules, name);
	if (i < rules->n)
		return &rules->configs[i];
	list_configs(rules, &known);
	if (name)
		error_set(e, -ENOENT, "%s has no configuration %s (it has %s)", d->file, name,
			known.error ? "others" : (const char *)known.data);
	else
		error_set(e, -ENOENT, "config is %d (the rules have %zu)", number, rules->n);
	return NULL;
}

/* Read the last game layer, which is the one that a game uses. */
static int find_game(struct drawing *d, struct error *e)
{
	bool found = false;
	int r = 0;

	for (size_t i = d->n; !found && i-- > 0;) {
		struct error why = ERROR_INIT; /* ignored: skip layers that cannot be read */
		struct tw_auto_layer l;

		found = tw_auto_layer_read(&d->how->files, d->layers[i], &l, &why) == 0 && l.game;
		if (found)
			r = tw_auto_grid_read(&d->how->files, d->layers[i], &l, &d->game, e);
	}
	return found ? r : error_set(e, -ENOENT, "the map has no game layer");
}

static int run_config(struct drawing *d, const struct tw_rules_config *config, uint32_t seed,
	const struct tw_auto_grid *grid, struct error *e)
{
	struct tw_auto_reference reference = {.game = &d->game};
	size_t k = 0;
	int r = 0;

	while (d->how->reference && references[k] && strcmp(references[k], d->how->reference) != 0)
		k++;
	reference.only = only[k];
	if (d->how->reference && !d->game.tiles)
		r = find_game(d, e);
	if (r == 0 && tw_rules_run(config, seed, d->how->reference ? &reference : NULL, grid) < 0)
		r = error_set(e, -ENOMEM, "out of memory");
	return r;
}

static int draw_tiles(struct drawing *d, const char *path, const struct tw_rules_config *config,
	uint32_t seed, const struct tw_auto_grid *was, struct error *e)
{
	size_t n = (size_t)was->w * was->h, changed = 0;
	CLEANUP(free) struct tw_auto_tile *tiles = malloc(n * sizeof(*tiles));
	const struct tw_auto_grid is = {was->w, was->h, tiles, was->lacks_flags};
	int r = count_work(d, tw_rules_work(config, was->w, was->h), e);

	if (r < 0)
		return r;
	if (!tiles)
		return error_set(e, -ENOMEM, "out of memory");
	memcpy(tiles, was->tiles, n * sizeof(*tiles));
	r = run_config(d, config, seed, &is, e);
	for (size_t i = 0; r == 0 && is.lacks_flags && i < n; i++)
		tiles[i].flags = 0;
	for (size_t i = 0; r == 0 && i < n; i++)
		changed += memcmp(&was->tiles[i], &tiles[i], sizeof(*tiles)) != 0;
	if (changed && !d->how->is_dry_run)
		r = tw_auto_grid_write(&d->how->files, path, was, &is, e);
	if (r == 0 && changed)
		SAY(d, AUTOMAP_DRAWN, path, "%zu %s by [%s] of %s", changed,
			changed == 1 ? "tile" : "tiles", config->name, d->file);
	return r;
}

static void list_layer(struct drawing *d, const char *path, const struct tw_rules *rules)
{
	for (size_t i = 0; i < rules->n; i++)
		SAY(d, AUTOMAP_LISTED, path, "%s: %zu [%s]", d->file, i, rules->configs[i].name);
	if (!rules->n)
		SAY(d, AUTOMAP_LISTED, path, "%s has no configuration", d->file);
}

static int draw_layer(
	struct drawing *d, const char *path, const struct tw_auto_layer *l, struct error *e)
{
	int32_t seed = d->how->seed ? *d->how->seed : l->seed;
	CLEANUP(tw_rules_destroy) struct tw_rules *rules = NULL;
	const struct tw_rules_config *config = NULL;
	struct tw_auto_grid grid;
	int r = read_rules(d, l->image, &rules, e);

	if (r == 0 && d->how->list)
		list_layer(d, path, rules);
	else if (r == 0)
		config = find_config(d, rules, l->config, e);
	if (!config)
		return r < 0 ? r : e->code;
	r = tw_auto_grid_read(&d->how->files, path, l, &grid, e);
	if (r == 0 && !seed)
		SAY(d, AUTOMAP_NOTE, path, "seed 0 is random each time: using 1");
	if (r == 0)
		r = draw_tiles(d, path, config, seed ? (uint32_t)seed : 1, &grid, e);
	free(grid.tiles);
	return r;
}

/* Is the layer to be drawn? Sets e if it was requested by name, but cannot be drawn. */
static bool is_wanted(const struct automap *how, const struct tw_auto_layer *l, struct error *e)
{
	if (!how->layers)
		return l->tiles && l->design && (l->config >= 0 || how->list) &&
		       (!how->automatic || (l->flags & TW_AUTO_ALWAYS));
	if (!l->tiles)
		error_set(e, -EINVAL, "not a layer with tiles");
	else if (l->config < 0 && !how->config && !how->list)
		error_set(e, -EINVAL, "config is %d: choose a configuration with --config",
			l->config);
	else
		return !how->automatic || (l->flags & TW_AUTO_ALWAYS);
	return false;
}

/* Draw one layer, if wanted. Fails only with -ENOMEM and -E2BIG; reports other errors. */
static int process_layer(struct drawing *d, const char *path, struct error *e)
{
	struct tw_auto_layer l;
	int r;

	if (d->how->layers && !path_matches_any(d->how->layers, path))
		return 0;
	r = tw_auto_layer_read(&d->how->files, path, &l, e);
	/* The directory has no layer.json: it is not a layer yet. */
	if (r == -ENOENT && !d->how->layers) {
		error_clear(e);
		r = 0;
	} else if (r == 0 && is_wanted(d->how, &l, e)) {
		r = draw_layer(d, path, &l, e);
	}
	if (e->code && e->code != -ENOMEM && e->code != -E2BIG) {
		SAY(d, AUTOMAP_LEFT, path, "%s", error_text(e));
		error_clear(e);
	}
	return e->code;
}

static void finish_drawing(struct drawing *d)
{
	for (size_t i = 0; i < d->n; i++)
		free(d->layers[i]);
	free(d->layers);
	free(d->game.tiles);
}

static int draw_layers(const struct automap *how, struct error *e)
{
	struct drawing d = {.how = how};
	int r = how->files.list(how->files.arg, "groups", add_group, &d);

	if (r == -ENOENT || r == -ENOTDIR)
		r = 0;
	if (r < 0)
		error_set(e, r, "groups: %s", strerror(-r));
	else
		r = check_patterns(&d, e);
	for (size_t i = 0; r == 0 && i < d.n; i++)
		r = process_layer(&d, d.layers[i], e);
	finish_drawing(&d);
	return r;
}

static int check_rules(const struct bytes *rules, void (*fault)(void *arg, const char *text),
	void *arg, struct error *e)
{
	CLEANUP(tw_rules_destroy) struct tw_rules *read = NULL;

	return tw_rules_read((const char *)rules->data, rules->size, fault, arg, &read, e);
}

static int list_rules(const struct bytes *rules, void (*config)(void *arg, const char *name),
	void *arg, struct error *e)
{
	CLEANUP(tw_rules_destroy) struct tw_rules *read = NULL;
	int r = tw_rules_read((const char *)rules->data, rules->size, NULL, NULL, &read, e);

	for (size_t i = 0; r == 0 && i < read->n; i++)
		config(arg, read->configs[i].name);
	return r;
}

static const char *const dirs[] = {
	"~/.local/share/ddnet/editor/automap",
	"~/.local/share/ddnet/editor",
	"~/.teeworlds/editor/automap",
	"~/.teeworlds/editor",
	"/usr/share/games/ddnet/data/editor/automap",
	"/usr/share/games/ddnet/data/editor",
	"/usr/share/ddnet/data/editor/automap",
	"/usr/share/ddnet/data/editor",
	NULL,
};

const struct automap_tool tw_automap = {
	.draw = draw_layers,
	.check = check_rules,
	.list = list_rules,
	.rules_dirs = dirs,
	.references = references,
};
