/* SPDX-License-Identifier: Zlib */
/* mapfs automap: layers that are drawn by rules, of maps, or of a directory such as a mount has. */
#include "formats/automap.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/say.h"
#include "cli/cli.h"
#include "cli/offline/output.h"
#include "cli/whole/files.h"
#include "cli/whole/whole.h"
#include "formats/images.h"
#include "fuse/mountinfo.h"

enum { RULES_MOST = 4 << 20 /* bytes that are read of a file of rules */ };

struct automaps {
	struct whole whole;
	struct automap how; /* what the command line says */
	const char **layers;
	const char *rules, *seed;
	int32_t seed_number;
	bool check;
	struct bytes *file;    /* of rules for all layers, or NULL */
	struct images *places; /* where others lie */
};

/* One map, or one layer's directory. */
struct work {
	struct automaps *all;
	struct whole_map *map; /* NULL: a directory */
	int beside;            /* where the map lies; or -1 */
	struct names read;     /* files of rules whose faults were told */
	bool mute, left;
};

static int find_rules(void *arg, const char *file, struct bytes **ret, struct error *e)
{
	struct work *k = arg;
	CLEANUP_EXTENT struct extent x = EXTENT_INIT;
	int r = -ENOENT;

	k->mute = names_has(&k->read, file);
	if (!k->mute && names_add(&k->read, file) < 0)
		return error_set(e, -ENOMEM, "out of memory");
	*ret = bytes_ref(k->all->file);
	if (*ret)
		return 0;
	if (k->beside >= 0)
		r = images_file_at(k->beside, file, &x, NULL);
	if (r == -ENOENT)
		r = images_file(k->all->places, file, &x, e);
	return r < 0 ? r : extent_load(&x, RULES_MOST, ret, e);
}

static void tell(void *arg, enum automap_said what, const char *where, const char *text)
{
	struct work *k = arg;
	const char *file = k->map ? k->map->t->file : NULL;

	k->left |= what == AUTOMAP_LEFT;
	if (what == AUTOMAP_DRAWN && k->map)
		whole_report(k->map, "drawn %s: %s", where, text);
	else if (what == AUTOMAP_DRAWN)
		output_report("drawn %s: %s", where, text);
	else if (what != AUTOMAP_FAULT)
		say(stderr, "mapfs: %s%s%s: %s%s", file ? file : "", file ? ": " : "", where,
			what == AUTOMAP_LEFT ? "left as it is: " : "", text);
	else if (!k->mute)
		say(stderr, "mapfs: %s: %s", where, text);
}

static int draw(struct work *k, const struct format_automap *f, struct automap_files files,
	const char *const *layers, struct error *e)
{
	struct automap how = k->all->how;
	int r;

	how.files = files;
	how.rules = find_rules;
	how.say = tell;
	how.arg = k;
	how.layers = layers;
	how.dry = k->all->whole.dry;
	r = f->draw(&how, e);
	names_finish(&k->read);
	return r;
}

static int change(struct whole_map *m, struct error *e)
{
	struct automaps *a = (struct automaps *)m->whole;
	const struct format_automap *f = m->t->vol->format->automap;
	struct work k = {.all = a, .map = m, .beside = m->beside};
	int r;

	if (!f)
		return error_set(e, -EOPNOTSUPP, "no layer of such a map is drawn by rules");
	r = draw(&k, f, files_of_tree(m->t), a->layers, e);
	m->left = k.left;
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

static int load(const char *name, struct bytes **ret, struct error *e)
{
	int fd = open(name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	CLEANUP(file_unref) struct file *f = fd < 0 ? NULL : file_new(fd);
	CLEANUP_EXTENT struct extent x = EXTENT_INIT;
	struct stat st;

	if (!f || fstat(fd, &st) < 0)
		return error_errno(e, "%s", name);
	if (!S_ISREG(st.st_mode))
		return error_set(e, -EINVAL, "%s: is no regular file", name);
	x = extent_of_file(TAKE(f), 0, (uint64_t)st.st_size);
	return extent_load(&x, RULES_MOST, ret, e) < 0 ? error_context(e, "%s", name) : 0;
}

struct checked {
	const char *name;
	struct bytes *rules;
	bool wrong;
};

static void print_fault(void *arg, const char *text)
{
	struct checked *k = arg;

	output_report("%s: %s", k->name, text);
	k->wrong = true;
}

/* What they say is looked at in the sandbox. */
static int check_all(struct command *c)
{
	CLEANUP(free) struct checked *all = calloc((size_t)c->n_names, sizeof(*all));
	struct error e = ERROR_INIT;
	bool wrong = !all;

	for (int i = 0; all && i < c->n_names; i++) {
		all[i].name = c->names[i];
		all[i].wrong = load(c->names[i], &all[i].rules, &e) < 0;
		if (all[i].wrong)
			say(stderr, "mapfs: %s", error_text(&e));
	}
	error_clear(&e);
	if (offline_confine(NULL, 0, NULL, 0, c->debug, &e) < 0)
		say(stderr, "mapfs: %s", error_text(&e));
	for (int i = 0; all && i < c->n_names; i++) {
		if (all[i].rules && !e.code &&
			format_of_rules()->check(all[i].rules, print_fault, &all[i], &e) < 0)
			say(stderr, "mapfs: %s: %s", all[i].name, error_text(&e));
		wrong |= all[i].wrong || e.code;
		bytes_unref(all[i].rules);
	}
	return wrong ? OUTCOME_REFUSED : OUTCOME_DONE;
}

enum { LEVELS = 4 };

/* Of a layer's directory that was named, ROOT/groups/G/layers/L: both parts, to be freed with the
 * first. false: it is none. */
static bool find_layer(const char *name, char **ret_root, const char **ret_path)
{
	char *path = realpath(name, NULL), *at = path ? path + strlen(path) : NULL;
	struct stat st;
	int i = 0;

	*ret_root = path;
	if (!path || stat(path, &st) < 0 || !S_ISDIR(st.st_mode))
		return false;
	while (i < LEVELS && at > path)
		i += *--at == '/';
	*ret_path = at + 1;
	*at = '\0';
	return i == LEVELS && strncmp(*ret_path, "groups/", 7) == 0;
}

/* Where the map is that is mounted there, or the tree that was copied from one. */
static char *place_of(const char *root, const struct stat *st)
{
	CLEANUP(free) struct mount_entry *m = malloc(sizeof(*m));
	char dev[sizeof(m->dev)], *place = NULL;
	size_t n;

	snprintf(dev, sizeof(dev), "%u:%u", major(st->st_dev), minor(st->st_dev));
	if (!m || mountinfo_find_device(MOUNTINFO, dev, m) < 0 || !m->mapfs)
		return strdup(root);
	n = strlen(m->point);
	return strncmp(root, m->point, n) == 0 && asprintf(&place, "%s%s", m->source, root + n) >= 0
		       ? place
		       : NULL;
}

/* The directory that the map lies in; -1: it is not known. */
static int open_beside(const char *root, const struct stat *st)
{
	CLEANUP(free) char *place = place_of(root, st);
	char *slash = place ? strrchr(place, '/') : NULL;

	if (slash)
		slash[slash == place] = '\0';
	return slash ? open(place, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
}

static int run_layer(struct automaps *a, const char *root, const char *path)
{
	struct command *c = &a->whole.command;
	struct whole *w = &a->whole;
	CLEANUP(close_fd)
	int dirfd = open(root[0] ? root : "/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	CLEANUP(close_fd) int beside = -1;
	const char *const paths[] = {path, NULL};
	struct work k = {.all = a};
	struct error e = ERROR_INIT;
	struct stat st;
	int r = 0;

	if (dirfd < 0 || fstat(dirfd, &st) < 0)
		r = error_errno(&e, "its map cannot be opened");
	else
		beside = open_beside(root, &st);
	k.beside = beside;
	w->further[w->n_further++] = (struct sandbox_rule){dirfd, SANDBOX_WRITABLE};
	if (beside >= 0)
		w->further[w->n_further++] = (struct sandbox_rule){beside, 0};
	if (r == 0)
		r = offline_confine(NULL, 0, w->further, w->n_further, c->debug, &e);
	if (r == 0)
		r = draw(&k, format_of_rules(), files_of_directory(&dirfd), paths, &e);
	if (r < 0)
		say(stderr, "mapfs: %s: %s", c->names[0], error_text(&e));
	return r < 0 ? OUTCOME_REFUSED : k.left ? OUTCOME_LEFT : OUTCOME_DONE;
}

static int run_all(struct automaps *a)
{
	struct command *c = &a->whole.command;
	CLEANUP(free) char *root = NULL;
	const char *path;

	if (!find_layer(c->names[0], &root, &path))
		return whole_run(&a->whole);
	if (c->n_names > 1 || a->layers || a->whole.in_place)
		return cli_usage("automap: %s is a layer, and goes alone", c->names[0]);
	return run_layer(a, root, path);
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

static bool take_reference(const struct automaps *a)
{
	const char *const *known = format_of_rules()->references;

	while (a->how.reference && *known && strcmp(*known, a->how.reference) != 0)
		known++;
	return *known;
}

/* A file is for all layers, a directory has one for each image. */
static int open_rules(struct automaps *a, struct error *e)
{
	struct stat st;
	bool file = a->rules && stat(a->rules, &st) == 0 && !S_ISDIR(st.st_mode);

	if (file)
		a->how.file = a->rules;
	return file ? load(a->rules, &a->file, e)
		    : whole_images(&a->whole, a->rules, format_of_rules()->dirs, &a->places, e);
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
	if (!take_reference(a))
		return cli_usage("automap: --reference is game, hookable, death, unhookable, "
				 "freeze, unfreeze, deep-freeze, deep-unfreeze, live-freeze or "
				 "live-unfreeze");
	if (open_rules(a, &e) == 0)
		code = run_all(a);
	else
		say(stderr, "mapfs: %s", error_text(&e));
	bytes_unref(a->file);
	images_unref(a->places);
	return code;
}

static const struct command_option options[] = {
	{"automatic", '\0', COMMAND_FLAG, offsetof(struct automaps, how.automatic)},
	{"check", '\0', COMMAND_FLAG, offsetof(struct automaps, check)},
	{"config", '\0', COMMAND_TEXT, offsetof(struct automaps, how.config)},
	{"layer", '\0', COMMAND_TEXTS, offsetof(struct automaps, layers)},
	{"reference", '\0', COMMAND_TEXT, offsetof(struct automaps, how.reference)},
	{"rules", '\0', COMMAND_TEXT, offsetof(struct automaps, rules)},
	{"seed", '\0', COMMAND_TEXT, offsetof(struct automaps, seed)}, WHOLE_OPTIONS, {0}};

const struct command_line cli_automap = {.options = options,
	.least = 1,
	.takes = "a map and perhaps OUT, or a layer of a mount",
	.before = "raw=off",
	.size = sizeof(struct automaps),
	.start = &(const struct automaps){.whole.change = change},
	.run = run};
