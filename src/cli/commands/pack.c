/* SPDX-License-Identifier: Zlib */
/* mapfs pack: make a map from a directory of files, or copy the directory into a map. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/disk/io.h"
#include "base/print.h"
#include "cli/cli.h"
#include "cli/pack/files.h"
#include "cli/line/command.h"
#include "cli/line/words.h"
#include "tools/index/update.h"
#include "tools/tools.h"
#include "vfs/offline/out.h"
#include "vfs/offline/streams.h"

struct pack {
	struct command command; /* its tree is the map, old or new */
	struct out out;         /* file of `copy`, which replaces the map */
	struct offline copy;    /* the map without referenced mismatches, saved first; or unused */
	const char *dir;        /* as typed */
	const char *onto;       /* NULL: the map is new */
	const char *format;
	bool exact, index, all;
};

static int open_map(struct pack *p, int from)
{
	struct command *c = &p->command;
	struct sandbox_rule rule = offline_rule(from, 0);

	c->create = c->map_options.nameless = !p->onto;
	c->format = p->format;
	return command_open(c, p->onto ? p->onto : c->names[1], &rule, 1);
}

/* Name a complete new map, or write it to standard output. Discard it on failure. */
static int publish_map(struct pack *p, int code)
{
	struct offline *t = &p->command.tree;
	bool stream = streams_named(t->file);
	struct error e = ERROR_INIT;
	int r = 0;

	if (code == OUTCOME_DONE || code == OUTCOME_PARTIAL)
		r = stream ? streams_output(t->vol->source.files[0]->fd, &e)
			   : volume_name(t->vol, &e);
	if (r < 0) {
		offline_print(t, "%s", error_text(&e));
		code = r == -EEXIST ? OUTCOME_REFUSED : OUTCOME_SAVE_FAILED;
	}
	if (stream || (code != OUTCOME_DONE && code != OUTCOME_PARTIAL))
		volume_discard(t->vol);
	return code;
}

/* Save the map without referenced mismatches as p->copy, where their positions are free. */
static int clear_copy(struct pack *p, const struct mismatch *u, struct error *e)
{
	const struct change_save how = {.left = true, .silent = true, .out = &p->out};
	struct offline *t = &p->command.tree;
	enum outcome code;
	int r = mismatch_remove(t, u, true);

	if (r < 0)
		return error_set(e, r, "%s", strerror(-r));
	code = change_save(t, &how);
	if (code != OUTCOME_DONE && code != OUTCOME_PARTIAL)
		return error_set(
			e, -EINVAL, "cannot remove the objects that the directory replaces");
	r = out_open(&p->out, &p->copy, t->file, &p->command.map_options, e);
	return r < 0 ? r : offline_load(&p->copy, e);
}

static int hold_map(struct pack *p, struct error *e)
{
	p->out.existing = &p->command.tree;
	return out_begin_held(&p->out, p->onto, e);
}

/* Remove mismatches (--exact). *ret is the map to change: that of the command, or p->copy. */
static int make_room(struct pack *p, int from, struct mismatch *u, struct offline **ret)
{
	struct offline *t = *ret = &p->command.tree;
	struct error e = ERROR_INIT;
	int r = p->exact ? hold_map(p, &e) : 0;

	if (r == 0 && p->exact)
		r = mismatch_find(t, from, u);
	if (r == 0 && mismatch_any(u, true)) {
		r = clear_copy(p, u, &e);
		*ret = &p->copy;
		mismatch_finish(u);
		if (r == 0)
			r = mismatch_find(&p->copy, from, u);
	}
	if (r == 0)
		r = mismatch_remove(*ret, u, false);
	if (r < 0)
		offline_print(t, "%s", e.code ? error_text(&e) : strerror(-r));
	return r;
}

/* Update the lists (mapfs index) of the map. */
static int put_indexes(struct pack *p, struct files *f)
{
	struct index_update x = {.tree = f->tree, .verbose = p->command.save.verbose};
	struct error e = ERROR_INIT;
	struct overlay_build s;
	int r = overlay_build(f->tree->overlay, &s, &e);

	if (r == 0) {
		r = index_update_run(&x, s.result.map, &e);
		overlay_build_finish(&s);
	}
	if (r < 0)
		offline_print(f->tree, "%s", error_text(&e));
	f->left_out += x.unread;
	return r == 0 ? OUTCOME_DONE : r == -EOPNOTSUPP ? OUTCOME_REFUSED : OUTCOME_SAVE_FAILED;
}

/* Save. If p->copy was changed, it replaces the map. */
static int save_map(struct pack *p, struct offline *t)
{
	struct error e = ERROR_INIT;
	int code;

	p->command.save.out = t == &p->copy ? &p->out : NULL;
	code = (int)change_save(t, &p->command.save);
	if (t != &p->copy || (code != OUTCOME_DONE && code != OUTCOME_PARTIAL) ||
		out_commit(&p->out, &e) == 0)
		return code;
	offline_print(t, "%s", error_text(&e));
	return e.code == -ESTALE ? OUTCOME_CONFLICT : OUTCOME_SAVE_FAILED;
}

static int fill_map(struct pack *p, int from, struct offline *t, const struct mismatch *u)
{
	struct files f = {.tree = t,
		.dirfd = from,
		.shown = p->dir,
		.mismatch = u,
		.rules = tools_of(t->vol->format)->pack,
		.takes_all = p->all,
		.held_map = &p->command.tree};
	int r = files_copy_in(&f), code;

	if (r == 0)
		r = files_report_replaced(&f);
	if (r == 0 && p->exact)
		r = files_remove_others(&f);
	if (r < 0)
		offline_print(t, "%s", strerror(-r));
	p->command.save.origin = files_origin;
	p->command.save.origin_arg = &f;
	if (p->command.save.skip) {
		f.left_out += f.refused;
		f.refused = 0;
	}
	if (f.refused || io_is_full(r))
		code = OUTCOME_SAVE_FAILED;
	else if (r < 0 || f.unread)
		code = OUTCOME_REFUSED;
	else
		code = p->index ? put_indexes(p, &f) : OUTCOME_DONE;
	if (code == OUTCOME_DONE)
		code = save_map(p, t);
	files_finish(&f);
	return code == OUTCOME_DONE && f.left_out ? OUTCOME_PARTIAL : code;
}

static int pack_directory(struct pack *p)
{
	CLEANUP(close_fd) int from = open(p->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	CLEANUP_MISMATCH struct mismatch u = {0};
	struct command *c = &p->command;
	struct offline *t;
	int r, code;

	if (from < 0) {
		print_line(stderr, "mapfs: %s: %s", p->dir, strerror(errno));
		return OUTCOME_REFUSED;
	}
	r = open_map(p, from);
	if (r < 0 && c->create && c->tree.vol)
		volume_discard(c->tree.vol);
	if (r < 0)
		return (int)offline_write_outcome(r);
	r = make_room(p, from, &u, &t);
	code = r < 0 ? OUTCOME_SAVE_FAILED : fill_map(p, from, t, &u);
	return c->create ? publish_map(p, code) : code;
}

static int run_pack(struct command *c)
{
	struct pack *p = (struct pack *)c;
	int code;

	if (p->format && !words_format_known(p->format))
		return cli_usage("pack: unknown format %s", p->format);
	if (c->n_names != (p->onto ? 1 : 2))
		return cli_usage("pack takes %s", c->line->operands);
	if (p->format && p->onto)
		return cli_usage("pack: --format needs a new file");
	if (p->exact && !p->onto)
		return cli_usage("pack: --exact needs --onto");
	if (!p->onto && streams_named(c->names[1]) && isatty(STDOUT_FILENO))
		return cli_usage("pack: refusing to write a map to a terminal; name a file");
	p->dir = c->names[0];
	code = command_writes(c) ? pack_directory(p) : OUTCOME_USAGE;
	offline_close(&p->copy);
	out_finish(&p->out);
	return code;
}

static const struct command_option options[] = {
	{"all", '\0', COMMAND_FLAG, offsetof(struct pack, all)},
	{"exact", '\0', COMMAND_FLAG, offsetof(struct pack, exact)},
	{"format", '\0', COMMAND_TEXT, offsetof(struct pack, format)},
	{"index", '\0', COMMAND_FLAG, offsetof(struct pack, index)},
	{"onto", '\0', COMMAND_TEXT, offsetof(struct pack, onto)},
	{"skip-refused", '\0', COMMAND_FLAG, offsetof(struct command, save.skip)}, COMMAND_VERBOSE,
	{0}};

const struct command_line cli_pack = {.options = options,
	.min_names = 1,
	.max_names = 2,
	.operands = "a directory, and a new file or --onto a file",
	.size = sizeof(struct pack),
	.initial = &(const struct pack){.out.dirfd = -1, .command.save.left = true},
	.run = run_pack};
