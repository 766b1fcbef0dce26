/* SPDX-License-Identifier: Zlib */
/* mapfs automap: layers that are drawn by rules, of maps, or of a directory such as a mount has. */
#include "formats/automap.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/say.h"
#include "cli/cli.h"
#include "cli/offline/output.h"
#include "cli/whole/files.h"
#include "cli/whole/rules.h"
#include "cli/whole/whole.h"
#include "fuse/mountinfo.h"

struct automaps {
	struct whole whole;
	struct automap how; /* what the command line says */
	const char **layers;
	const char *rules, *seed;
	int32_t seed_number;
	bool check;
	struct rules_places places;
	struct sandbox_rule further[RULES_DIRS_MAX];
};

/* One map, or one layer. */
struct work {
	struct automaps *all;
	struct whole_map *map;
	int beside;
	struct names files; /* of rules */
	bool left;
};

static int find_rules(
	void *arg, const char *image, struct bytes **ret, const char **ret_file, struct error *e)
{
	struct work *j = arg;
	CLEANUP(free) char *file = NULL;
	int r = rules_find(&j->all->places, j->beside, image, ret, &file, e);

	if (r == 0 && names_add(&j->files, file) < 0) {
		bytes_unref(*ret);
		r = error_set(e, -ENOMEM, "out of memory");
	}
	if (r == 0)
		*ret_file = j->files.at[j->files.n - 1];
	return r;
}

static void tell(void *arg, enum automap_said what, const char *where, const char *text)
{
	struct work *j = arg;
	const char *file = j->map ? j->map->t->file : NULL;

	j->left |= what == AUTOMAP_LEFT;
	if (what == AUTOMAP_DRAWN && j->map)
		whole_report(j->map, "drawn %s: %s", where, text);
	else if (what == AUTOMAP_DRAWN)
		output_report("drawn %s: %s", where, text);
	else if (what == AUTOMAP_FAULT)
		say(stderr, "mapfs: %s: %s", where, text);
	else
		say(stderr, "mapfs: %s%s%s: %s%s", file ? file : "", file ? ": " : "", where,
			what == AUTOMAP_LEFT ? "left as it is: " : "", text);
}

static int draw(struct work *j, const struct format_automap *f, struct automap_files files,
	const char *const *layers, struct error *e)
{
	struct automap how = j->all->how;
	int r;

	how.files = files;
	how.rules = find_rules;
	how.say = tell;
	how.arg = j;
	how.layers = layers;
	how.dry = j->all->whole.dry;
	r = f->draw(&how, e);
	names_finish(&j->files);
	return r;
}

static int change(struct whole_map *m, struct error *e)
{
	struct automaps *a = (struct automaps *)m->whole;
	const struct format_automap *f = m->t->vol->format->automap;
	struct work j = {.all = a, .map = m, .beside = m->beside};
	int r;

	if (!f)
		return error_set(e, -EOPNOTSUPP, "no layer of such a map is drawn by rules");
	r = draw(&j, f, files_of_tree(m->t), a->layers, e);
	m->left = j.left;
	return r;
}

/* The one that has rules. */
static const struct format_automap *format_of_rules(void)
{
	size_t i = 0;

	while (!formats[i]->automap)
		i++;
	return formats[i]->automap;
}

static void print_fault(void *arg, const char *text)
{
	output_report("%s: %s", *(const char **)arg, text);
	((const char **)arg)[1] = text;
}

static int check_one(const char *name, struct bytes *rules)
{
	const char *shown[2] = {name, NULL};
	struct error e = ERROR_INIT;

	if (format_of_rules()->check(rules, print_fault, shown, &e) < 0)
		say(stderr, "mapfs: %s: %s", name, error_text(&e));
	return shown[1] || e.code ? OUTCOME_REFUSED : OUTCOME_DONE;
}

/* Nothing of what they say is looked at outside the sandbox. */
static int check_all(struct command *c)
{
	CLEANUP(free) struct bytes **all = calloc((size_t)c->n_names + 1, sizeof(struct bytes *));
	struct error e = ERROR_INIT;
	int code = all ? OUTCOME_DONE : OUTCOME_REFUSED;

	for (int i = 0; all && i < c->n_names; i++) {
		int fd = open(c->names[i], O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
		int r = fd < 0 ? error_set(&e, -errno, "%s", strerror(errno))
			       : rules_load(fd, &all[i], &e);

		if (r < 0) {
			say(stderr, "mapfs: %s: %s", c->names[i], error_text(&e));
			code = OUTCOME_REFUSED;
		}
	}
	if (offline_confine(NULL, 0, NULL, 0, c->debug, &e) < 0)
		return OUTCOME_REFUSED;
	for (int i = 0; all && i < c->n_names; i++) {
		if (all[i] && check_one(c->names[i], all[i]) != OUTCOME_DONE)
			code = OUTCOME_REFUSED;
		bytes_unref(all[i]);
	}
	return code;
}

/* A layer's directory that was named: ROOT/groups/G/layers/L. */
struct layer {
	char *root, *path; /* path is in root's memory */
	int dirfd, beside; /* of root, and of where its map lies */
};

enum { LEVELS = 4 };

/* NULL: it is none. The caller frees ret->root. */
static bool find_layer(const char *name, struct layer *ret)
{
	char *path = realpath(name, NULL), *at = path ? path + strlen(path) : NULL;
	struct stat st;
	int i = 0;

	while (path && i < LEVELS && at > path)
		if (*--at == '/')
			i++;
	*ret = (struct layer){path, at + 1, -1, -1};
	if (!path || i < LEVELS || strncmp(ret->path, "groups/", 7) != 0 || stat(path, &st) < 0 ||
		!S_ISDIR(st.st_mode)) {
		free(path);
		return false;
	}
	*at = '\0';
	return true;
}

/* Where the map is that is mounted there, or the tree that was copied from one. */
static char *place_of(const struct layer *l, const struct stat *st)
{
	CLEANUP(free) struct mount_entry *m = malloc(sizeof(*m));
	char dev[sizeof(m->dev)], *place = NULL;
	size_t n;

	snprintf(dev, sizeof(dev), "%u:%u", major(st->st_dev), minor(st->st_dev));
	if (!m || mountinfo_find_device(MOUNTINFO, dev, m) < 0 || !m->mapfs)
		return strdup(l->root);
	n = strlen(m->point);
	if (strncmp(l->root, m->point, n) != 0 ||
		asprintf(&place, "%s%s", m->source, l->root + n) < 0)
		return NULL;
	return place;
}

static int open_layer(struct layer *l)
{
	CLEANUP(free) char *place = NULL;
	struct stat st;
	char *slash;

	l->dirfd = open(l->root[0] ? l->root : "/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (l->dirfd < 0 || fstat(l->dirfd, &st) < 0)
		return -errno;
	place = place_of(l, &st);
	slash = place ? strrchr(place, '/') : NULL;
	if (slash)
		slash[slash == place] = '\0';
	l->beside = slash ? open(place, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	return 0;
}

static void close_layers(struct layer *layers, int n)
{
	for (int i = 0; i < n; i++) {
		free(layers[i].root);
		close_fd_cleanup(&layers[i].dirfd);
		close_fd_cleanup(&layers[i].beside);
	}
	free(layers);
}

static int draw_layers(struct automaps *a, struct layer *layers, int n)
{
	int code = OUTCOME_DONE;

	for (int i = 0; i < n; i++) {
		const char *const path[] = {layers[i].path, NULL};
		struct work j = {.all = a, .beside = layers[i].beside};
		struct error e = ERROR_INIT;

		if (draw(&j, format_of_rules(), files_of_directory(&layers[i].dirfd), path, &e) <
			0) {
			say(stderr, "mapfs: %s: %s", a->whole.command.names[i], error_text(&e));
			code = OUTCOME_REFUSED;
		}
		if (j.left && code == OUTCOME_DONE)
			code = OUTCOME_LEFT;
	}
	return code;
}

static int run_layers(struct automaps *a, struct layer *layers, int n)
{
	struct command *c = &a->whole.command;
	size_t n_rules = a->whole.n_further;
	CLEANUP(free)
	struct sandbox_rule *rules = calloc(n_rules + 2 * (size_t)n, sizeof(*rules));
	struct error e = ERROR_INIT;
	int r = rules ? 0 : -ENOMEM;

	for (size_t i = 0; r == 0 && i < n_rules; i++)
		rules[i] = a->further[i];
	for (int i = 0; r == 0 && i < n; i++) {
		r = open_layer(&layers[i]);
		if (r < 0)
			say(stderr, "mapfs: %s: %s", c->names[i], strerror(-r));
		rules[n_rules++] = (struct sandbox_rule){layers[i].dirfd, SANDBOX_WRITABLE};
		if (layers[i].beside >= 0)
			rules[n_rules++] = (struct sandbox_rule){layers[i].beside, 0};
	}
	if (r == 0)
		r = offline_confine(NULL, 0, rules, n_rules, c->debug, &e);
	if (e.code)
		say(stderr, "mapfs: %s", error_text(&e));
	return r < 0 ? OUTCOME_REFUSED : draw_layers(a, layers, n);
}

/* Layers, if that is what was named, and maps otherwise. */
static int run_all(struct automaps *a)
{
	struct command *c = &a->whole.command;
	struct layer *layers = calloc((size_t)c->n_names + 1, sizeof(*layers));
	int n = 0, code;

	while (layers && n < c->n_names && find_layer(c->names[n], &layers[n]))
		n++;
	if (n && (n < c->n_names || a->layers || a->whole.in_place))
		code = cli_usage("automap: %s is a layer, and goes with layers alone", c->names[0]);
	else
		code = n ? run_layers(a, layers, n) : whole_run(&a->whole);
	if (layers)
		close_layers(layers, n);
	return code;
}

static bool take_seed(struct automaps *a)
{
	char *end;
	long n;

	if (!a->seed)
		return true;
	errno = 0;
	n = strtol(a->seed, &end, 10);
	a->seed_number = (int32_t)n;
	a->how.seed = &a->seed_number;
	return !errno && *a->seed && !*end && n == a->seed_number;
}

static bool is_reference(const char *word)
{
	const char *const *known = format_of_rules()->references;

	while (*known && strcmp(*known, word) != 0)
		known++;
	return *known;
}

static int run(struct command *c)
{
	struct automaps *a = (struct automaps *)c;
	struct error e = ERROR_INIT;
	int code = OUTCOME_REFUSED;

	if (a->check)
		return check_all(c);
	if (!take_seed(a))
		return cli_usage("automap: --seed is a whole number of 32 bits");
	if (a->how.reference && !is_reference(a->how.reference))
		return cli_usage("automap: --reference is game, hookable, death, unhookable, "
				 "freeze, unfreeze, deep-freeze, deep-unfreeze, live-freeze or "
				 "live-unfreeze");
	if (rules_open(&a->places, a->rules, format_of_rules(), &e) < 0) {
		say(stderr, "mapfs: %s", error_text(&e));
	} else {
		a->whole.further = a->further;
		a->whole.n_further = rules_sandbox(&a->places, a->further);
		code = run_all(a);
	}
	rules_close(&a->places);
	return code;
}

int cli_automap(int argc, char **argv)
{
	static const struct command_option options[] = {
		{"automatic", '\0', COMMAND_FLAG, offsetof(struct automaps, how.automatic)},
		{"check", '\0', COMMAND_FLAG, offsetof(struct automaps, check)},
		{"config", '\0', COMMAND_TEXT, offsetof(struct automaps, how.config)},
		{"layer", '\0', COMMAND_TEXTS, offsetof(struct automaps, layers)},
		{"reference", '\0', COMMAND_TEXT, offsetof(struct automaps, how.reference)},
		{"rules", '\0', COMMAND_TEXT, offsetof(struct automaps, rules)},
		{"seed", '\0', COMMAND_TEXT, offsetof(struct automaps, seed)}, WHOLE_OPTIONS, {0}};
	static const struct command_line line = {.options = options,
		.least = 1,
		.takes = "a map and perhaps OUT, or layers of a mount",
		.before = "raw=off",
		.run = run};
	struct automaps a = {.whole.change = change};
	int code = command_main("automap", argc, argv, &line, &a.whole.command);

	free(a.layers);
	return code;
}
