/* SPDX-License-Identifier: Zlib */
/* mapfs check: report what a game refuses or warns of, unreadable files, and violated rules. */
#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#include "base/print.h"
#include "cli/cli.h"
#include "cli/line/command.h"
#include "tools/common/json_line.h"
#include "tools/common/many.h"
#include "tools/common/work.h"
#include "tools/convert/convert.h"
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
	atomic_bool has_warnings; /* of any map */
};

/* The check of one map. */
struct checking {
	struct check *check;
	struct offline *tree;
	struct buffer *out;
	struct names fault_paths; /* paths with a fault; sorted before read_file */
	bool has_errors;
	size_t n_faults;
	bool is_error_hidden; /* an error was counted but not printed */
};

/* Is the value a whole number, also in JSON? */
static bool is_number(const char *s)
{
	const char *digits = s + (s[0] == '-');
	size_t n = strspn(digits, "0123456789");

	return n > 0 && n < 10 && !digits[n] && (digits[0] != '0' || n == 1);
}

static void print_fault_json(const char *file, const struct format_fault *f, struct buffer *out)
{
	json_line_text(out, "{\"file\": ", file);
	json_line_text(out, ", \"level\": ", f->is_warning ? "warning" : "error");
	json_line_text(out, ", \"path\": ", f->path);
	json_line_text(out, ", \"field\": ", f->field);
	if (is_number(f->value))
		buffer_printf(out, ", \"value\": %s", f->value);
	else
		json_line_text(out, ", \"value\": ", f->value);
	json_line_text(out, ", \"bound\": ", f->bound);
	json_line_text(out, ", \"problem\": ", f->text);
	buffer_text(out, "}\n");
}

/* Print a fault: a line of text, or a JSON object on one line. */
static void print_fault(
	struct check *c, const char *file, const struct format_fault *f, struct buffer *out)
{
	CLEANUP(free) char *shown = strdup(file), *text = strdup(f->line);

	if (f->is_warning)
		c->has_warnings = true;
	if (c->json)
		print_fault_json(file, f, out);
	else if (shown && text)
		buffer_printf(out, "%s: %s: %s\n", replace_unprintable(shown),
			f->is_warning ? "warning" : "error", replace_unprintable(text));
}

/* Print the first faults of a map, and count the others. */
static void add_fault(struct checking *k, const struct format_fault *f)
{
	k->n_faults++;
	if (k->n_faults <= WORK_FAULTS_MAX || k->check->no_limit) {
		print_fault(k->check, k->tree->file, f, k->out);
		return;
	}
	k->is_error_hidden |= !f->is_warning;
	if (f->is_warning)
		k->check->has_warnings = true;
}

static void handle_format_fault(void *arg, const struct format_fault *f)
{
	struct checking *k = arg;

	k->has_errors |= !f->is_warning;
	add_fault(k, f);
	if (f->path[0])
		(void)names_add(&k->fault_paths, f->path);
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
	add_fault(k, &f);
	return 0;
}

static void handle_rule_fault(void *arg, const struct format_fault *f)
{
	add_fault(arg, f);
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
	print_fault(k->check, k->tree->file, &f, k->out);
}

/* Check a map against --rules and --for. */
static int check_against(struct checking *k)
{
	const struct check *c = k->check;
	const struct toolset *of = tools_of(k->tree->vol->format);
	struct error e = ERROR_INIT;
	int r = 0;

	if (c->rule_set.tools && of != c->rule_set.tools)
		r = error_set(&e, -EINVAL, "rules are not supported for this format");
	else if (c->rule_set.tools)
		r = of->rules->check(
			k->tree->vol->base, c->rule_set.rules, handle_rule_fault, k, &e);
	if (r == 0 && c->game && of != c->game_tools)
		r = error_set(&e, -EINVAL, "--for is not supported for this format");
	else if (r == 0 && c->game)
		r = of->convert->check(k->tree->vol->base, c->game_index, handle_rule_fault, k, &e);
	if (r < 0)
		offline_print(k->tree, "%s", error_text(&e));
	return r;
}

static int check_map(void *arg, struct offline *t, struct buffer *out)
{
	struct checking k = {.check = arg, .tree = t, .out = out};
	const struct format_edit *edit = t->vol->format->edit;
	struct error e = ERROR_INIT;
	int r = work_expect(t->vol->base, k.check->no_limit, &e);

	if (r < 0) {
		struct format_fault f = fault_of_map(error_text(&e));

		handle_format_fault(&k, &f);
		names_finish(&k.fault_paths);
		return r;
	}
	if (edit && edit->check_sound && edit->check_sound(t->vol->base, true, &e) < 0) {
		struct format_fault f = fault_of_map(error_text(&e));

		handle_format_fault(&k, &f);
	}
	error_clear(&e);
	if (edit && edit->check)
		r = edit->check(NULL, t->vol->base, handle_format_fault, &k, &e);
	names_sort(&k.fault_paths);
	if (r == 0 || r == -EINVAL)
		r = offline_walk(t, "", read_file, NULL, &k);
	else
		offline_print_error(t, "", r);
	if (r == 0)
		r = check_against(&k);
	print_rest(&k);
	names_finish(&k.fault_paths);
	return r < 0 ? r : k.has_errors ? -EINVAL : 0;
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
	struct format_fault f = fault_of_map(error_text(why));
	CLEANUP(free) char *text = strdup(f.text);

	if (text)
		(void)split_sentence(text, &f);
	print_fault(arg, file, &f, out);
	return why->code;
}

static int run_check(struct command *c)
{
	struct many m = {.visit = check_map,
		.on_refused = handle_refused_map,
		.arg = c,
		.options = &c->map_options,
		.debug = c->debug};
	struct check *k = (struct check *)c;
	struct error e = ERROR_INIT;
	int r;

	if (k->game && convert_find(k->game, &k->game_tools, &k->game_index, &e) < 0)
		return cli_usage("check: --for: %s", error_text(&e));
	r = rule_set_open(k->rules, &k->rule_set);
	if (r == 0)
		r = many_visit_all(&m, c->names, c->n_names);
	rule_set_close(&k->rule_set);
	if (r < 0)
		return OUTCOME_REFUSED;
	return (k->rules || k->game) && k->has_warnings ? OUTCOME_PARTIAL : OUTCOME_DONE;
}

static const struct command_option options[] = {
	{"for", '\0', COMMAND_TEXT, offsetof(struct check, game)},
	{.name = "json", .offset = offsetof(struct check, json)},
	{"no-limit", '\0', COMMAND_FLAG, offsetof(struct check, no_limit)},
	{"rules", '\0', COMMAND_TEXTS, offsetof(struct check, rules)}, {0}};

/* raw=off: the format checks itself what raw/ shows. */
const struct command_line cli_check = {.options = options,
	.min_names = 1,
	.operands = "maps or folders",
	.default_options = "raw=off",
	.size = sizeof(struct check),
	.run = run_check};
