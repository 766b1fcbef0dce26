/* SPDX-License-Identifier: Zlib */
/* mapfs merge: three-way merge of maps, also as a merge driver of git. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/print.h"
#include "cli/cli.h"
#include "cli/line/command.h"
#include "tools/merge/rescue.h"
#include "tools/merge/steps.h"
#include "tools/tools.h"
#include "vfs/offline/change.h"
#include "vfs/offline/out.h"
#include "vfs/offline/place.h"
#include "vfs/offline/streams.h"

/* Exit codes of a merge driver (gitattributes(5)): git treats those above 128 as failures. */
enum { CLEAN = 0, CONFLICTS = 1, TROUBLE = 128 };
enum { BASE_AT, OURS_AT, THEIRS_AT, OUT_AT, NAMES };

struct command_merge {
	struct command command;
	struct merge merge;
	struct out out;
	const char *label; /* name of the map, in messages and for rescued files of theirs */
	bool has_label;    /* --label was given */
	int label_dirfd;   /* directory of label; rescued files of theirs go there */
	char label_name[NAME_MAX + 1];
	bool ours_is_base, uses_ours; /* only one side changed, or both equally: copy that side */
};

static int report_error(const char *file, const struct error *e)
{
	print_line(stderr, "mapfs: %s: %s", file, error_text(e));
	return e->code;
}

/* Report an error of one of the three maps by its role, as git passes temporary names. */
static int report_side_error(const struct command_merge *c, enum which w, const struct error *e)
{
	static const char *const sides[] = {"the base", "ours", "theirs"};

	if (!c->has_label)
		return report_error(c->command.names[w], e);
	print_line(stderr, "mapfs: %s: %s (%s): %s", c->label, sides[w], c->command.names[w],
		error_text(e));
	return e->code;
}

/* Is the file empty? git passes an empty file if there is no ancestor. */
static bool is_empty(const char *file)
{
	struct stat st;

	return stat(file, &st) == 0 && S_ISREG(st.st_mode) && st.st_size == 0;
}

/* Open the directory of rescued files. */
static int open_label_dir(struct command_merge *c)
{
	CLEANUP(free) char *path = strdup(c->label);
	struct error e = ERROR_INIT;
	const char *name;

	/* git may not have created the directory of the file yet. */
	for (char *at = path; at && (at = strchr(at + 1, '/')); *at = '/') {
		*at = '\0';
		(void)mkdir(path, 0777);
	}
	if (place_open_parent(c->label, &c->label_dirfd, &name, &e) < 0)
		return report_error(c->label, &e);
	strcpy(c->label_name, name);
	return 0;
}

/* Open all files; load_all reads them in the sandbox. */
static int open_all(struct command_merge *c)
{
	char **names = c->command.names;
	struct vfs_options writing = c->command.map_options;
	struct side *s = c->merge.sides;
	struct error e = ERROR_INIT;
	int r;

	writing.read_only = false;
	writing.at_once = true;
	r = out_begin(&c->out, names[OUT_AT], &writing, &e);
	if (r < 0)
		return report_error(names[OUT_AT], &e);
	r = open_label_dir(c);
	if (r < 0)
		return r;
	for (int w = 0; w < SIDES; w++) {
		if (w == BASE && is_empty(names[BASE_AT]))
			continue;
		r = offline_open(&s[w].tree, names[w], &c->command.map_options, &e);
		if (r < 0)
			return report_side_error(c, (enum which)w, &e);
	}
	/* The merge changes the tree of ours. */
	s[OURS].tree.file = c->label;
	s[OURS].tree.vol->store.store.spool_dirfd = c->out.dirfd;
	return 0;
}

static int confine_merge(struct command_merge *c)
{
	struct offline *trees[SIDES + 1];
	struct sandbox_rule rules[] = {{c->label_dirfd, SANDBOX_WRITABLE}, out_rule(&c->out)};
	struct error e = ERROR_INIT;
	size_t n = 0;
	int r;

	for (int w = 0; w < SIDES; w++)
		if (c->merge.sides[w].tree.vol)
			trees[n++] = &c->merge.sides[w].tree;
	if (c->out.existing)
		trees[n++] = c->out.existing;
	r = offline_confine(trees, n, rules, 2, c->command.debug, &e);
	return r < 0 ? report_error(c->label, &e) : 0;
}

/* Check that a side has the format of those that were loaded before it, or is their archive. */
static int check_format(struct command_merge *c, enum which w, const struct format **format)
{
	const struct format *f = c->merge.sides[w].tree.vol->format;
	struct error e = ERROR_INIT;

	if (!*format) {
		*format = f;
		if (tools_of(f)->merge)
			c->merge.schema = tools_of(f)->merge;
	}
	if (f == *format)
		return 0;
	c->merge.base_is_archive = w == BASE && f == c->merge.schema->archive;
	if (c->merge.base_is_archive)
		return 0;
	error_set(&e, -EINVAL, "has another format than the other maps");
	return report_side_error(c, w, &e);
}

static int load_all(struct command_merge *c)
{
	const struct format *format = NULL;
	struct error e = ERROR_INIT;
	int r = 0;

	for (int w = SIDES; r == 0 && w-- > 0;) {
		struct side *s = &c->merge.sides[w];

		if (s->tree.vol) {
			r = offline_load(&s->tree, &e);
			if (r < 0)
				return report_side_error(c, (enum which)w, &e);
			r = check_format(c, (enum which)w, &format);
			if (r < 0)
				return r;
		}
		r = side_read(s, (enum which)w, s->tree.vol && format->has_positions);
	}
	if (r < 0)
		return r;
	r = out_check(&c->out, format, &e);
	if (r < 0)
		return report_error(streams_named(c->out.path) ? c->label : c->out.path, &e);
	c->merge.numbered = format->has_positions;
	c->merge.nocase = format->fold;
	return 0;
}

/* Print a conflict. theirs is the path of its rescued file, or NULL. */
static void print_conflict(const struct command_merge *c, const struct rescue_dir *rescued,
	const char *path, const char *why, const char *theirs)
{
	const char *slash = strrchr(c->label, '/');
	int n = slash ? (int)(slash + 1 - c->label) : 0;

	if (theirs && rescued->name[0])
		print_line(stderr, "mapfs: %s: conflict: %s%s; kept ours, theirs is in %.*s%s/%s",
			c->label, path, why, n, c->label, rescued->name, theirs);
	else
		print_line(stderr, "mapfs: %s: conflict: %s%s", c->label, path, why);
}

static void print_conflicts(const struct command_merge *c, const struct rescue_dir *rescued)
{
	for (size_t i = 0; i < c->merge.n_conflicts; i++) {
		const struct conflict *x = &c->merge.conflicts[i];
		CLEANUP(free) char *path = x->node ? merged_path(x->node, true, NULL) : NULL;
		CLEANUP(free) char *shown = path ? text_printf("%s: ", path[0] ? path : ".") : NULL;
		CLEANUP(free)
		char *theirs = x->copies_theirs ? merged_path(x->node, true, x->node->items[THEIRS])
						: NULL;

		print_conflict(c, rescued, shown ? shown : "", x->reason, theirs);
	}
}

/* Save the merged map. *refused: it is no valid map. */
static int save_merged(struct command_merge *c, bool *refused)
{
	int error = -EINVAL;
	const struct change_save how = {.error = &error,
		.out = &c->out,
		.refused = apply_refused,
		.refused_arg = &c->merge};
	struct offline *of = &c->merge.sides[c->ours_is_base ? THEIRS : OURS].tree;
	struct error e = ERROR_INIT;
	int code;

	*refused = false;
	if (c->ours_is_base || c->uses_ours) {
		code = out_copy(&c->out, &of->vol->source, &e);
		return code < 0            ? report_error(c->command.names[OUT_AT], &e),
		       OUTCOME_SAVE_FAILED : 0;
	}
	code = (int)change_save(of, &how);
	*refused = code == OUTCOME_SAVE_FAILED && error == -EINVAL;
	return code == OUTCOME_PARTIAL ? OUTCOME_DONE : code;
}

/* Write ours, and rescue the map of theirs, because the merged map is no valid one. */
static int keep_ours(struct command_merge *c)
{
	CLEANUP_RESCUE_DIR struct rescue_dir rescued = {
		.dirfd = c->label_dirfd, .map = c->label_name, .fd = -1};
	const struct volume *theirs = c->merge.sides[THEIRS].tree.vol;
	struct error e = ERROR_INIT;
	const struct source *ours = &c->merge.sides[OURS].tree.vol->source;
	int r = merge_rescue_map(&rescued, &theirs->source, theirs->format, &e);

	if (r == 0)
		r = out_copy(&c->out, ours, &e);
	if (r == 0)
		r = out_commit(&c->out, &e);
	if (r < 0) {
		report_error(c->command.names[OUT_AT], &e);
		return TROUBLE + OUTCOME_SAVE_FAILED;
	}
	print_conflict(c, &rescued, "", "the merged map is invalid", c->label_name);
	return CONFLICTS;
}

static int write_out(struct command_merge *c)
{
	CLEANUP_RESCUE_DIR struct rescue_dir rescued = {
		.dirfd = c->label_dirfd, .map = c->label_name, .fd = -1};
	struct error e = ERROR_INIT;
	bool refused;
	int code = save_merged(c, &refused);

	if (refused)
		return keep_ours(c);
	if (code != OUTCOME_DONE)
		return TROUBLE + code;
	if (merge_rescue(&rescued, &c->merge, &e) < 0 || out_commit(&c->out, &e) < 0) {
		if (c->out.is_committed)
			print_conflicts(c, &rescued);
		else
			rescue_dir_drop(&rescued);
		report_error(c->command.names[OUT_AT], &e);
		return TROUBLE + (e.code == -ESTALE ? OUTCOME_CONFLICT : OUTCOME_SAVE_FAILED);
	}
	print_conflicts(c, &rescued);
	return c->merge.n_conflicts ? CONFLICTS : CLEAN;
}

static int merge_maps(struct command_merge *c)
{
	struct merge *m = &c->merge;
	const struct source *base = NULL, *ours, *theirs;
	struct error e = ERROR_INIT;
	int r = c->out.existing ? offline_check_journal(c->out.existing, &e) : 0;

	if (r < 0)
		return report_error(c->command.names[OUT_AT], &e);
	r = load_all(c);
	if (r < 0)
		return r;
	if (m->sides[BASE].tree.vol)
		base = &m->sides[BASE].tree.vol->source;
	ours = &m->sides[OURS].tree.vol->source;
	theirs = &m->sides[THEIRS].tree.vol->source;
	/* If only one side changed, nothing has to be merged. */
	c->uses_ours = offline_same(ours, theirs) || (base && offline_same(base, theirs));
	c->ours_is_base = !c->uses_ours && base && offline_same(ours, base);
	if (c->uses_ours || c->ours_is_base)
		return 0;
	r = match_all(m);
	if (r == 0)
		r = hidden_decide(m, c->label);
	if (r == 0)
		r = decide_all(m);
	if (r == 0)
		r = removals_check(m);
	if (r == 0)
		r = order_all(m);
	return r < 0 ? r : apply_all(m);
}

static int run_prepared(struct command_merge *c)
{
	CLEANUP(budget_destroy) struct budget *budget = budget_create(c->command.map_options.cache);
	int r = budget ? digest_init() : -ENOMEM, code;

	c->command.map_options.budget = budget; /* the maps share it */

	if (r == 0)
		r = open_all(c);
	if (r == 0)
		r = confine_merge(c);
	if (r == 0)
		r = merge_maps(c);
	if (r == -ENOMEM)
		print_line(stderr, "mapfs: out of memory");
	code = r == 0 ? write_out(c) : TROUBLE + (int)offline_write_outcome(r);
	for (int w = 0; w < SIDES; w++)
		side_finish(&c->merge.sides[w]);
	out_finish(&c->out);
	close_fd_cleanup(&c->label_dirfd);
	merged_finish(&c->merge);
	return code;
}

static int run_merge(struct command *command)
{
	struct command_merge *c = (struct command_merge *)command;
	char **names = command->names;
	bool prints = streams_named(names[OUT_AT]);

	if (prints && isatty(STDOUT_FILENO))
		return TROUBLE +
		       cli_usage("merge: refusing to write a map to a terminal; name a file");
	c->has_label = c->label;
	if (!c->has_label)
		c->label = names[!prints                         ? OUT_AT
				 : streams_named(names[OURS_AT]) ? THEIRS_AT
								 : OURS_AT];
	return run_prepared(c);
}

static const struct merge_schema nothing;

static const struct command_option options[] = {
	{"label", 'L', COMMAND_TEXT, offsetof(struct command_merge, label)},
	{"mark", '\0', COMMAND_FLAG, offsetof(struct command_merge, merge.adds_mark)}, {0}};

const struct command_line cli_merge = {.options = options,
	.min_names = NAMES,
	.max_names = NAMES,
	.operands = "four files: BASE OURS THEIRS OUT",
	.fixed_options = "png=stored",
	.usage_code = TROUBLE + OUTCOME_USAGE,
	.size = sizeof(struct command_merge),
	.initial =
		&(const struct command_merge){
			.merge.schema = &nothing, .label_dirfd = -1, .out.dirfd = -1},
	.run = run_merge};
