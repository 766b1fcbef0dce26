/* SPDX-License-Identifier: Zlib */
#include "tools/automap/run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/disk/mountinfo.h"
#include "base/output.h"
#include "base/print.h"
#include "formats/images.h"
#include "tools/common/work.h"
#include "tools/automap/files.h"
#include "tools/tools.h"
#include "base/disk/names.h"
#include "vfs/volume/outcome.h"

enum { RULES_MOST = 4 << 20 /* largest file of rules, in bytes */ };

/* One map, or one layer's directory. */
struct drawing {
	struct automap_run *run;
	struct whole_map *map; /* NULL: a directory */
	int beside;            /* descriptor of the map's directory, or -1 */
	struct names read; /* files of rules that were read; their faults are not reported again */
	char *faulty;      /* the file of rules that was read last */
	size_t n_faults;   /* in `faulty` */
	bool mute, left;
};

/* Print the number of faults that were not printed for the last file of rules. */
static void report_omitted(struct drawing *k)
{
	if (k->n_faults > WORK_FAULTS_MAX && !k->run->whole.no_limit)
		print_line(stderr, "mapfs: %s: and %zu more", k->faulty ? k->faulty : "rules",
			k->n_faults - WORK_FAULTS_MAX);
	free(TAKE(k->faulty));
	k->n_faults = 0;
}

static int find_rules(void *arg, const char *file, struct bytes **ret, struct error *e)
{
	struct drawing *k = arg;
	CLEANUP_EXTENT struct extent x = EXTENT_INIT;
	int r = -ENOENT;

	report_omitted(k);
	k->faulty = strdup(file);
	k->mute = names_contain(&k->read, file);
	if (!k->mute && names_add(&k->read, file) < 0)
		return error_set(e, -ENOMEM, "out of memory");
	*ret = bytes_ref(k->run->file);
	if (*ret)
		return 0;
	if (k->beside >= 0)
		r = images_file_at(k->beside, file, &x, NULL);
	if (r == -ENOENT)
		r = images_file(k->run->images, file, &x, e);
	return r < 0 ? r : extent_load(&x, RULES_MOST, ret, e);
}

static void report_line(void *arg, enum automap_report what, const char *where, const char *text)
{
	struct drawing *k = arg;
	const char *file = k->map ? k->map->tree->file : NULL;
	const char *drawn = what == AUTOMAP_DRAWN ? "drawn " : "";

	k->left |= what == AUTOMAP_LEFT && !k->run->how.list;
	if ((what == AUTOMAP_DRAWN || what == AUTOMAP_LISTED) && k->map)
		whole_report(k->map, "%s%s: %s", drawn, where, text);
	else if (what == AUTOMAP_DRAWN || what == AUTOMAP_LISTED)
		output_report("%s%s: %s", drawn, where, text);
	else if (what != AUTOMAP_FAULT)
		print_line(stderr, "mapfs: %s%s%s: %s%s", file ? file : "", file ? ": " : "", where,
			what == AUTOMAP_LEFT && !k->run->how.list ? "unchanged: " : "", text);
	else if (!k->mute && (++k->n_faults <= WORK_FAULTS_MAX || k->run->whole.no_limit))
		print_line(stderr, "mapfs: %s: %s", where, text);
}

static int draw_files(struct drawing *k, const struct automap_tool *f, struct automap_files files,
	struct error *e)
{
	struct automap how = k->run->how;
	int r;

	how.files = files;
	how.rules = find_rules;
	how.say = report_line;
	how.arg = k;
	how.is_dry_run = k->run->whole.dry;
	how.has_no_limit = k->run->whole.no_limit;
	r = f->draw(&how, e);
	report_omitted(k);
	names_finish(&k->read);
	return r;
}

static int draw_map(struct whole_map *m, struct error *e)
{
	const struct automap_tool *f = tools_of(m->tree->vol->format)->automap;
	struct drawing k = {.run = m->whole->arg, .map = m, .beside = m->dirfd};
	int r;

	if (!f)
		return error_set(e, -EOPNOTSUPP, "automap is not supported for this format");
	r = draw_files(&k, f, automap_files_of_offline(m->tree), e);
	m->is_incomplete = k.left;
	return r;
}

const struct automap_tool *automap_find_tool(void)
{
	size_t i = 0;

	while (!toolsets[i]->automap)
		i++;
	return toolsets[i]->automap;
}

static int load_rules(const char *name, struct bytes **ret, struct error *e)
{
	int fd = open(name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	CLEANUP(file_unref) struct file *f = fd < 0 ? NULL : file_new(fd);
	CLEANUP_EXTENT struct extent x = EXTENT_INIT;
	struct stat st;
	int r;

	if (!f || fstat(fd, &st) < 0)
		return error_errno(e, "%s", name);
	if (!S_ISREG(st.st_mode))
		return error_set(e, -EINVAL, "%s: not a regular file", name);
	x = extent_of_file(TAKE(f), 0, (uint64_t)st.st_size);
	r = extent_load(&x, RULES_MOST, ret, e);
	if (r < 0)
		error_context(e, "%s", name);
	return r;
}

struct checked {
	const char *name;
	struct bytes *rules;
	bool wrong, no_limit;
	size_t n; /* configurations printed, or faults found */
};

static void print_fault(void *arg, const char *text)
{
	struct checked *k = arg;

	if (k->n++ < WORK_FAULTS_MAX || k->no_limit)
		output_report("%s: %s", k->name, text);
	k->wrong = true;
}

static void print_config(void *arg, const char *name)
{
	struct checked *k = arg;

	output_report("%s: %zu [%s]", k->name, k->n++, name);
}

static int check_one(struct checked *k, struct error *e)
{
	int r = automap_find_tool()->check(k->rules, print_fault, k, e);

	if (k->n > WORK_FAULTS_MAX && !k->no_limit)
		output_report("%s: and %zu more", k->name, k->n - WORK_FAULTS_MAX);
	return r;
}

static int list_one(struct checked *k, struct error *e)
{
	int r = automap_find_tool()->list(k->rules, print_config, k, e);

	if (r == 0 && !k->n)
		output_report("%s: no configuration", k->name);
	return r;
}

/* Read the files, enter the sandbox, and call `look` for each file. */
static int process_rules(char **names, int n, bool debug, bool no_limit,
	int (*look)(struct checked *k, struct error *e))
{
	CLEANUP(free) struct checked *all = calloc((size_t)n, sizeof(*all));
	struct error confined = ERROR_INIT, e = ERROR_INIT;
	bool wrong = !all;

	for (int i = 0; all && i < n; i++) {
		all[i].name = names[i];
		all[i].no_limit = no_limit;
		all[i].wrong = load_rules(names[i], &all[i].rules, &e) < 0;
		if (all[i].wrong)
			print_line(stderr, "mapfs: %s", error_text(&e));
	}
	error_clear(&e);
	if (offline_confine(NULL, 0, NULL, 0, debug, &confined) < 0)
		print_line(stderr, "mapfs: %s", error_text(&confined));
	for (int i = 0; all && i < n; i++) {
		if (all[i].rules && !confined.code && look(&all[i], &e) < 0)
			print_line(stderr, "mapfs: %s: %s", all[i].name, error_text(&e));
		wrong |= all[i].wrong || e.code || confined.code;
		error_clear(&e);
		bytes_unref(all[i].rules);
	}
	return wrong ? OUTCOME_REFUSED : OUTCOME_DONE;
}

int automap_check(char **names, int n, bool debug, bool no_limit)
{
	return process_rules(names, n, debug, no_limit, check_one);
}

int automap_list(char **names, int n, bool debug)
{
	return process_rules(names, n, debug, false, list_one);
}

enum { LEVELS = 4 };

/* Split the name of a layer's directory, ROOT/groups/G/layers/L, into root and path. Returns false
 * if it is not one. The caller frees *ret_root, which also holds the path. */
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

/* The path of the map that is mounted at root; or root itself, if it is a copied directory. */
static char *find_map_path(const char *root, const struct stat *st)
{
	CLEANUP(free) struct mount_entry *m = malloc(sizeof(*m));
	char dev[sizeof(m->dev)], *place = NULL;
	size_t n;

	snprintf(dev, sizeof(dev), "%u:%u", major(st->st_dev), minor(st->st_dev));
	if (!m || mountinfo_find_mapfs(MOUNTINFO, dev, NULL, m) < 0)
		return strdup(root);
	n = strlen(m->point);
	return strncmp(root, m->point, n) == 0 && asprintf(&place, "%s%s", m->source, root + n) >= 0
		       ? place
		       : NULL;
}

/* Open the directory that contains the map. Returns -1 on failure. */
static int open_beside(const char *root, const struct stat *st)
{
	CLEANUP(free) char *place = find_map_path(root, st);
	char *slash = place ? strrchr(place, '/') : NULL;

	if (slash)
		slash[slash == place] = '\0';
	return slash ? open(place, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
}

static int draw_layer(struct automap_run *run, const char *root, const char *path)
{
	struct whole *w = &run->whole;
	CLEANUP(close_fd)
	int dirfd = open(root[0] ? root : "/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	CLEANUP(close_fd) int beside = -1;
	const char *const paths[] = {path, NULL};
	struct drawing k = {.run = run};
	struct error e = ERROR_INIT;
	struct stat st;
	int r = 0;

	run->how.layers = paths;
	if (dirfd < 0 || fstat(dirfd, &st) < 0)
		r = error_errno(&e, "cannot open its map");
	else
		beside = open_beside(root, &st);
	k.beside = beside;
	w->extra_rules[w->n_extra_rules++] = (struct sandbox_rule){dirfd, SANDBOX_WRITABLE};
	if (beside >= 0)
		w->extra_rules[w->n_extra_rules++] = (struct sandbox_rule){beside, 0};
	if (r == 0)
		r = offline_confine(NULL, 0, w->extra_rules, w->n_extra_rules, w->debug, &e);
	if (r == 0)
		r = draw_files(&k, automap_find_tool(), automap_files_of_directory(&dirfd), &e);
	if (r < 0)
		print_line(stderr, "mapfs: %s: %s", w->names[0], error_text(&e));
	return r < 0 ? OUTCOME_REFUSED : k.left ? OUTCOME_PARTIAL : OUTCOME_DONE;
}

bool automap_is_layer(const char *name)
{
	CLEANUP(free) char *root = NULL;
	const char *path;

	return find_layer(name, &root, &path);
}

/* Load one file of rules for all layers, or open directories with a file for each image. */
static int open_rules(struct automap_run *run, struct error *e)
{
	struct stat st;
	bool file = run->rules && stat(run->rules, &st) == 0 && !S_ISDIR(st.st_mode);
	int r;

	run->how.file = file ? run->rules : NULL;
	if (file)
		r = load_rules(run->rules, &run->file, e);
	else
		r = images_open_others(
			run->rules, automap_find_tool()->rules_dirs, &run->images, e);
	whole_use_images(&run->whole, run->images);
	return r;
}

int automap_run(struct automap_run *run)
{
	CLEANUP(free) char *root = NULL;
	struct error e = ERROR_INIT;
	int code = OUTCOME_REFUSED;
	const char *path;

	run->whole.change = draw_map;
	run->whole.arg = run;
	if (open_rules(run, &e) < 0)
		print_line(stderr, "mapfs: %s", error_text(&e));
	else if (find_layer(run->whole.names[0], &root, &path))
		code = draw_layer(run, root, path);
	else
		code = whole_run(&run->whole);
	bytes_unref(run->file);
	images_unref(run->images);
	return code;
}
