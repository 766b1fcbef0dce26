/* SPDX-License-Identifier: Zlib */
/* mapfs check: report what a game refuses or warns of, unreadable files, and violated rules; with
 * --fix, repair what can be repaired first. */
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/print.h"
#include "cli/cli.h"
#include "cli/commands/whole_line.h"
#include "cli/line/command.h"
#include "tools/common/fault_line.h"
#include "tools/common/many.h"
#include "tools/common/work.h"
#include "tools/convert/convert.h"
#include "tools/fix/fix.h"
#include "tools/rules/set.h"
#include "vfs/offline/walk.h"

struct check {
	struct command command;
	bool json, no_limit;
	const char **rules; /* as typed */
	struct rule_set rule_set;
	const char *game; /* as typed */
	const struct toolset *game_tools;
	size_t game_index;
	const char *fix;    /* as typed; NULL: only check */
	const char *output; /* as typed */
	struct whole whole;
	atomic_bool has_errors, has_warnings; /* of any map, after the repairs */
};

/* The check of one version of a map. */
struct checking {
	struct check *check;
	struct offline *tree;
	const struct snapshot *map; /* the base of `tree`, or a repaired version of it */
	struct buffer *out;         /* faults */
	struct buffer *repaired;    /* what was repaired; NULL: repair nothing */
	struct names fault_paths;   /* paths with a fault; sorted before read_file */
	bool has_errors, has_warnings;
	size_t n_faults, n_repaired;
	bool is_error_hidden; /* an error was counted but not printed */
};

enum { PASSES_MAX = 16 }; /* repairs that do not last must not repeat for ever */

/* Print the first faults of a map, and count the others. */
static void add_fault(struct checking *k, const struct format_fault *f, bool is_fixable)
{
	k->n_faults++;
	k->has_errors |= !f->is_warning;
	k->has_warnings |= f->is_warning;
	if (k->n_faults <= WORK_FAULTS_MAX || k->check->no_limit)
		fault_line_append(k->out, k->tree->file, f, is_fixable, k->check->json);
	else
		k->is_error_hidden |= !f->is_warning;
}

/* A fix_say. */
static void handle_fault(void *arg, const struct format_fault *f, const char *repair)
{
	struct checking *k = arg;

	if (repair && k->repaired) {
		k->n_repaired++;
		if (k->n_repaired <= WORK_FAULTS_MAX || k->check->no_limit)
			fault_line_append_repair(
				k->repaired, k->tree->file, f, repair, k->check->json);
		return;
	}
	add_fault(k, f, repair);
	if (f->path[0])
		(void)names_add(&k->fault_paths, f->path);
}

static void handle_format_fault(void *arg, const struct format_fault *f)
{
	handle_fault(arg, f, NULL);
}

/* A fault of the whole map. */
static struct format_fault fault_of_map(const char *text)
{
	return (struct format_fault){
		.path = "", .field = "", .value = "", .bound = "", .text = text, .line = text};
}

/* Was a fault reported for the file, or for a directory above it? */
static bool has_fault(const struct checking *k, const char *path)
{
	CLEANUP(free) char *part = strdup(path);
	bool told = part && names_contain_sorted(&k->fault_paths, part);

	for (char *slash; !told && part && (slash = strrchr(part, '/'));) {
		*slash = '\0';
		told = names_contain_sorted(&k->fault_paths, part);
	}
	return told;
}

static int read_file(void *arg, const char *path, const struct offline_file *a)
{
	struct checking *k = arg;
	CLEANUP(free) char *line = NULL;
	struct format_fault f;
	int r;

	if (S_ISDIR(a->mode))
		return 0;
	/* Check only that the file can be read. Generating all of its bytes finds no more faults,
	 * and takes many times as long as decoding. */
	r = (int)offline_read_at(k->tree, a, 0, NULL, 0);
	if (r == 0 || (r == -EIO && has_fault(k, path)))
		return 0;
	if (r != -EIO)
		return r;
	line = text_printf("%s: cannot read: %s", path,
		k->tree->read_error.code ? error_text(&k->tree->read_error) : strerror(-r));
	if (!line)
		return -ENOMEM;
	f = fault_of_map(line + strlen(path) + 2);
	f.is_warning = true;
	f.path = path;
	f.line = line;
	add_fault(k, &f, false);
	return 0;
}

static void handle_rule_fault(void *arg, const struct format_fault *f)
{
	add_fault(arg, f, false);
}

static void print_rest(struct checking *k)
{
	CLEANUP(free) char *line = NULL;
	struct format_fault f;

	if (k->n_faults <= WORK_FAULTS_MAX || k->check->no_limit)
		return;
	line = text_printf("and %zu more", k->n_faults - WORK_FAULTS_MAX);
	f = fault_of_map(line ? line : "and more");
	f.is_warning = !k->is_error_hidden;
	fault_line_append(k->out, k->tree->file, &f, false, k->check->json);
}

static void print_more_repairs(struct checking *k)
{
	CLEANUP(free) char *line = text_printf("and %zu more", k->n_repaired - WORK_FAULTS_MAX);
	struct format_fault f = fault_of_map(line ? line : "and more");

	fault_line_append_repair(k->repaired, k->tree->file, &f, "faults", k->check->json);
}

/* Check a map against --rules and --for. */
static int check_against(struct checking *k, struct error *e)
{
	const struct check *c = k->check;
	const struct toolset *of = tools_of(k->map->format);
	int r = 0;

	if (c->rule_set.tools && of != c->rule_set.tools)
		r = error_set(e, -EINVAL, "rules are not supported for this format");
	else if (c->rule_set.tools)
		r = of->rules->check(k->map, c->rule_set.rules, handle_rule_fault, k, e);
	if (r == 0 && c->game && of != c->game_tools)
		r = error_set(e, -EINVAL, "--for is not supported for this format");
	else if (r == 0 && c->game)
		r = of->convert->check(k->map, c->game_index, handle_rule_fault, k, e);
	return r;
}

/* Find the faults that the format knows of, and repair them if k->repaired is set. */
static int check_format(struct checking *k, struct snapshot **ret, struct error *e)
{
	const struct format_edit *edit = k->map->format->edit;
	const struct fix_tool *tool = tools_of(k->map->format)->fix;
	const struct fix how = {.settings = k->check->fix && k->check->fix[0]};
	struct error unsound = ERROR_INIT;
	int r = 0;

	if (edit && edit->check_sound && edit->check_sound(k->map, true, &unsound) < 0) {
		struct format_fault f = fault_of_map(error_text(&unsound));

		handle_fault(k, &f, NULL);
	}
	if (tool)
		return tool->fix(k->map, &how, handle_fault, k, k->repaired ? ret : NULL, e);
	if (edit && edit->check)
		r = edit->check(NULL, k->map, handle_format_fault, k, e);
	return r == -EINVAL ? 0 : r;
}

/* Check one version of a map. *ret: a version in which faults were repaired, which was not checked;
 * or NULL. */
static int check_version(struct checking *k, struct snapshot **ret, struct error *e)
{
	struct error too_large = ERROR_INIT;
	int r;

	*ret = NULL;
	if (work_expect(k->map, k->check->no_limit, &too_large) < 0) {
		struct format_fault f = fault_of_map(error_text(&too_large));

		add_fault(k, &f, false);
		return 0;
	}
	r = check_format(k, ret, e);
	names_sort(&k->fault_paths);
	/* A repaired version may have other files than the tree; the format has decoded its data.
	 */
	if (r == 0 && !*ret && k->map == k->tree->vol->base) {
		r = offline_walk(k->tree, "", read_file, NULL, k);
		if (r < 0)
			error_set(e, r, "%s", offline_reason(k->tree, r));
	}
	if (r == 0 && !*ret)
		r = check_against(k, e);
	if (r == 0)
		print_rest(k);
	if (k->n_repaired > WORK_FAULTS_MAX && !k->check->no_limit)
		print_more_repairs(k);
	names_finish(&k->fault_paths);
	return r;
}

static int check_map(void *arg, struct offline *t, struct buffer *out)
{
	struct check *c = arg;
	struct checking k = {.check = c, .tree = t, .map = t->vol->base, .out = out};
	struct error e = ERROR_INIT;
	struct snapshot *none;
	int r = check_version(&k, &none, &e);

	if (r < 0)
		offline_print(t, "%s", error_text(&e));
	if (k.has_warnings)
		c->has_warnings = true;
	return r < 0 ? r : k.has_errors ? -EINVAL : 0;
}

/* Check and repair the version `map`. Its remaining faults, if it was not repaired, go to rest. */
static int fix_version(struct whole_map *m, const struct snapshot *map, struct snapshot **ret,
	struct buffer *rest, struct error *e)
{
	struct check *c = m->whole->arg;
	struct checking k = {
		.check = c, .tree = m->tree, .map = map, .out = rest, .repaired = &m->report};
	int r = check_version(&k, ret, e);

	if (r < 0 || *ret) {
		buffer_finish_free(rest);
		return r;
	}
	if (k.has_errors)
		c->has_errors = true;
	if (k.has_warnings)
		c->has_warnings = true;
	return 0;
}

/* whole.change: repair until nothing is fixable, and list the rest. */
static int fix_map(struct whole_map *m, struct error *e)
{
	CLEANUP(snapshot_unref) struct snapshot *map = snapshot_ref(m->tree->vol->base);
	CLEANUP_BUFFER struct buffer rest = BUFFER_INIT;
	int r = 0;

	if (!tools_of(map->format)->fix)
		return error_set(e, -EOPNOTSUPP, "fix is not supported for this format");
	for (int i = 0; r == 0; i++) {
		struct snapshot *next = NULL;

		r = i < PASSES_MAX ? fix_version(m, map, &next, &rest, e)
				   : error_set(e, -EINVAL, "cannot be fixed: faults come back");
		if (!next)
			break;
		snapshot_unref(map);
		map = next;
	}
	buffer_append(&m->report, rest.data, rest.size);
	if (r == 0 && map != m->tree->vol->base)
		m->map = TAKE(map);
	return r;
}

/* Split "FIELD is VALUE (BOUND)", a reason of a format, in place. Returns false for other texts. */
static bool split_sentence(char *text, struct format_fault *f)
{
	char *is = strstr(text, " is "), *end, *bound;

	if (!is || memchr(text, ' ', (size_t)(is - text)))
		return false;
	end = is + 4 + strcspn(is + 4, ":(");
	bound = strrchr(text, '(');
	if (!*end || !bound || text[strlen(text) - 1] != ')')
		return false;
	text[strlen(text) - 1] = '\0';
	while (end > is + 4 && end[-1] == ' ')
		end--;
	*is = *end = '\0';
	f->field = text;
	f->value = is + 4;
	f->bound = bound + 1;
	return true;
}

static int handle_refused_map(
	void *arg, const char *file, const struct error *why, struct buffer *out)
{
	const struct check *c = arg;
	struct format_fault f = fault_of_map(error_text(why));
	CLEANUP(free) char *text = strdup(f.text);

	if (text)
		(void)split_sentence(text, &f);
	fault_line_append(out, file, &f, false, c->json);
	return why->code;
}

/* whole.refused. Other codes than that of a wrong file are no fault of the map. */
static void handle_unfixable_map(
	void *arg, const char *file, const struct error *why, struct buffer *out)
{
	if (why->code != -EINVAL) {
		print_line(stderr, "mapfs: %s: %s", file, error_text(why));
		return;
	}
	(void)handle_refused_map(arg, file, why, out);
	print_line(stderr, "mapfs: %s: cannot be fixed: its tables cannot be read", file);
}

/* The exit code for faults that were found and are still there. */
static enum outcome outcome_of_faults(const struct check *k)
{
	return k->has_errors                              ? OUTCOME_REFUSED
	       : (k->rules || k->game) && k->has_warnings ? OUTCOME_PARTIAL
							  : OUTCOME_DONE;
}

static int run_checks(struct check *k)
{
	struct command *c = &k->command;
	struct many m = {.visit = check_map,
		.on_refused = handle_refused_map,
		.arg = k,
		.options = &c->map_options,
		.debug = c->debug};

	return many_visit_all(&m, c->names, c->n_names) < 0 ? (int)OUTCOME_REFUSED
							    : (int)outcome_of_faults(k);
}

static int run_repairs(struct check *k)
{
	struct whole *w = &k->whole;
	int code;

	w->in_place = !k->output;
	w->change = fix_map;
	w->refused = handle_unfixable_map;
	w->arg = k;
	code = whole_run(w);
	/* The warnings of the save are among the faults. */
	if (code == OUTCOME_PARTIAL)
		code = OUTCOME_DONE;
	return (int)outcome_worse((enum outcome)code, outcome_of_faults(k));
}

/* Check the options of --fix, and make OUT the second name. */
static int take_fix(struct check *k)
{
	struct command *c = &k->command;

	if (!k->fix && (k->output || k->whole.dry))
		return cli_usage("check: %s needs --fix", k->output ? "--output" : "-n");
	if (k->fix && k->fix[0] && strcmp(k->fix, "settings") != 0)
		return cli_usage("check: --fix is %s (settings, or no value)", k->fix);
	if (k->output && (c->n_names != 1 || whole_is_folder(c->names[0])))
		return cli_usage("check: --output takes one map");
	k->whole.in_place = !k->output;
	if (k->output)
		return whole_line_take_one(c, c->names[0], k->output, &k->whole);
	return k->fix ? whole_line_take(c, &k->whole) : OUTCOME_DONE;
}

static int run_check(struct command *c)
{
	struct check *k = (struct check *)c;
	struct error e = ERROR_INIT;
	int code = take_fix(k);

	if (code != OUTCOME_DONE)
		return code;
	if (k->game && convert_find(k->game, &k->game_tools, &k->game_index, &e) < 0)
		return cli_usage("check: --for: %s", error_text(&e));
	code = OUTCOME_REFUSED;
	if (rule_set_open(k->rules, &k->rule_set) == 0)
		code = k->fix ? run_repairs(k) : run_checks(k);
	rule_set_close(&k->rule_set);
	return code;
}

static const struct command_option options[] = {
	{"dry-run", 'n', COMMAND_FLAG, offsetof(struct check, whole.dry)},
	{"fix", '\0', COMMAND_VALUE, offsetof(struct check, fix)},
	{"for", '\0', COMMAND_TEXT, offsetof(struct check, game)},
	{.name = "json", .offset = offsetof(struct check, json)},
	{"no-limit", '\0', COMMAND_FLAG, offsetof(struct check, no_limit)},
	{"output", '\0', COMMAND_TEXT, offsetof(struct check, output)},
	{"rules", '\0', COMMAND_TEXTS, offsetof(struct check, rules)}, {0}};

/* raw=off: the format checks itself what raw/ shows. */
const struct command_line cli_check = {.options = options,
	.min_names = 1,
	.operands = "maps or folders",
	.default_options = "raw=off",
	.size = sizeof(struct check),
	.run = run_check};
